#pragma once

#include <compare>
#include <vector>

#include "core/base/types.h"
#include "core/contact/pairs/box_tree.h"

namespace keydrape {

// What may touch: vertices, edges and faces over one array of vertices, of cloth and of bodies alike.
struct ContactSurface {
  std::vector<int> vertices;  // ascending, each once
  std::vector<Edge> edges;    // each once
  std::vector<Triangle> faces;
  std::vector<char> is_cloth;  // by vertex of the array; a pair without any vertex of cloth is of no interest
};

struct VertexFacePair {
  int vertex;  // of the array
  int face;    // place in ContactSurface::faces
  auto operator<=>(const VertexFacePair&) const = default;
};

struct EdgeEdgePair {
  int first, second;  // places in ContactSurface::edges, first < second
  auto operator<=>(const EdgeEdgePair&) const = default;
};

// Ascending, each once.
struct CandidatePairs {
  std::vector<VertexFacePair> vertex_faces;
  std::vector<EdgeEdgePair> edge_edges;
};

// All pairs that might come close during a motion. Bounding boxes in trees whose shape follows from the
// positions given at construction; the pairs do not depend on it, nor on the number of threads.
class BroadPhase {
 public:
  // `x`: positions of the whole array (3n) [m]. Requires every index of `surface` to be valid in it.
  BroadPhase(ContactSurface surface, const VecX& x);

  // Every pair that shares no vertex, has one of cloth, and whose boxes overlap: the boxes of each feature at
  // x and at y together, grown by half of `reach` [m] on all sides. Among them is every pair that comes to
  // within `reach` while all vertices move from x to y on straight lines, rounding included.
  // `of_cloth`: false leaves out pairs of two features of cloth.
  CandidatePairs candidates(const VecX& x, const VecX& y, double reach, bool of_cloth = true) const;

  const ContactSurface& surface() const { return surface_; }

 private:
  ContactSurface surface_;
  BoxTree vertices_;
  BoxTree edges_;
  BoxTree faces_;
};

}  // namespace keydrape
