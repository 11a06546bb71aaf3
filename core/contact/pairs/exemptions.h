#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "core/contact/barrier.h"

namespace keydrape {

// Two parts of the cloth that go through each other along one curve: until nothing of that is left, no
// feature of the one collides with any of the other. Vertices, ascending; both may have some. (X1)
struct CrossingParts {
  std::vector<int> first, second;
};

// A pair with a smaller gap than its law has, since it began nearer. (X2)
struct NearPair {
  std::array<int, 4> vertices;  // as in VertexFaceContact or EdgeEdgeContact
  std::optional<double> xi;     // [m]; none: it does not collide yet
};

// Which pairs of the cloth with itself do not collide, or have a smaller gap, since the shot began so: part
// of a State, the same during a step, and ever less from one to the next. Immutable.
class Exemptions {
 public:
  // `near_..`: in any order, each once; none of two parts that cross.
  Exemptions(std::vector<CrossingParts> crossing, std::vector<NearPair> near_vertex_faces,
             std::vector<NearPair> near_edge_edges);

  const std::vector<CrossingParts>& crossing() const { return crossing_; }
  const std::vector<NearPair>& near_vertex_faces() const { return near_vertex_faces_; }  // ascending
  const std::vector<NearPair>& near_edge_edges() const { return near_edge_edges_; }
  bool is_empty() const { return crossing_.empty() && near_pair_count() == 0; }
  int near_pair_count() const {
    return static_cast<int>(near_vertex_faces_.size() + near_edge_edges_.size());
  }

  // xi of a pair whose first feature has so many vertices, 1 or 2, and whose law says `xi` [m]; none: it is
  // one that does not collide.
  std::optional<double> gap(const std::array<int, 4>& vertices, int first_count, double xi) const;
  // Whether its features are of two parts that cross.
  bool is_crossing(const std::array<int, 4>& vertices, int first_count) const;
  // Leaves out of the pairs, in their order, those that do not collide; gives the others their gap.
  template <class Contact>
  void apply(int first_count, std::vector<Contact>& pairs) const {
    auto kept = pairs.begin();
    for (const Contact& pair : pairs) {
      const std::optional<double> xi = gap(pair.vertices, first_count, pair.xi);
      if (!xi) continue;
      *kept = pair;
      (kept++)->xi = *xi;
    }
    pairs.erase(kept, pairs.end());
  }

 private:
  std::vector<CrossingParts> crossing_;
  std::vector<NearPair> near_vertex_faces_, near_edge_edges_;
  // By vertex, ascending: 2 k for the first of the parts k, 2 k + 1 for the second. As long as it has to be.
  std::vector<std::vector<int>> sides_;
};

using ExemptionsPointer = std::shared_ptr<const Exemptions>;  // null: none at all

// Pairs that are farther apart than their gap by this share of it, or less, count as nearer: rounding alone
// would tell, and what the barrier does there is beyond all else.
constexpr double kAtGap = 1e-6;

// The gap that a pair begins with, or goes on with once nothing crosses it, that is d [m] apart: one of
// xi/2^j, of a law with this barrier; none: too near for any. (X2)
std::optional<double> first_gap(const Barrier& barrier, double d);
// The gap of a pair that is d [m] apart at the end of a step: not smaller than `xi`, that of the step, and so
// that it pushes nothing by growing. (X3)
double next_gap(const Barrier& barrier, double xi, double d);

}  // namespace keydrape
