#pragma once

#include <utility>
#include <vector>

#include "core/base/types.h"

namespace keydrape {

// Raises the pull of the goal at the vertices of one keyframe that are farther off than wanted, so that a
// tolerance on the mean hides no corner (control/EQUATIONS.md (K7); Lawson 1961). Gives up where that is in
// vain: a fold that is not there, a pose that no cloth takes.
class FarthestVertices {
 public:
  // What is remembered from one iteration to the next.
  struct Memory {
    std::vector<std::pair<int, double>> factors;  // vertices with a factor above 1, ascending
    double farthest = 0.0;                        // of the run that was followed last [m]; 0: none was
    int vain_rounds = 0;                          // in a row
  };

  FarthestVertices() = default;
  explicit FarthestVertices(int vertex_count) : vertex_count_(vertex_count) {}

  // After an accepted run. distances: of the vertices with weight from their targets [m] (n), some of them
  // beyond `limit`. Whether factors changed.
  bool follow(const VecX& distances, double limit);
  bool is_given_up() const { return vain_rounds_ >= kMaxVainRounds; }

  const VecX& factors() const { return factors_; }  // q (n); empty: ones, as of most frames of a track

  Memory memory() const;
  // Requires vertices in range.
  void remember(const Memory& memory);

 private:
  // A round that leaves more than this of the farthest distance has changed little; after so many in a row,
  // as raises of a weight (WeightCourse::kVainRaises), it is given up.
  static constexpr double kLittle = 0.9;
  static constexpr int kMaxVainRounds = 3;

  int vertex_count_ = 0;
  VecX factors_;
  double farthest_ = 0.0;
  int vain_rounds_ = 0;
};

}  // namespace keydrape
