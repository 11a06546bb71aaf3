#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "control/optimize/optimizer.h"
#include "control/optimize/small_model.h"

namespace keydrape {

struct TrustRegionStep {
  VecX p;
  VecX image;                   // of p; empty where p is 0 for want of a slope
  double length = 0.0;          // of p, in the metric
  double predicted_fall = 0.0;  // of the quadratic model; not finite: an image or a bar of it was not
  int iterations = 0;           // vectors that were added for it, each for two sweeps
  bool on_boundary = false;
  bool is_whole = true;  // else the model promises more, at a price
};

// Minimises the model of an iterate over |p| <= radius, in the metric, within the span of vectors that are
// added one by one: each is M^-1 times the residual at the minimum so far, made orthogonal to all before it
// (Gould, Lucidi, Roma & Toint 1999). As conjugate gradients, but what a vector's image has told stays known:
// a smaller radius costs no sweep, and another goal with the same metric one (control/EQUATIONS.md (O3)).
class ModelSubspace {
 public:
  static constexpr int kLeastCapacity = 3;
  static constexpr int kAllVectors = std::numeric_limits<int>::max();
  // Keeps so many vectors and images, but kLeastCapacity at least. When they are full the last two minima
  // take their place: with the next residual they span what conjugate gradients minimise over.
  explicit ModelSubspace(int capacity);

  // Goes on with the vectors of earlier calls, which were for this iterate, whatever its goal was then.
  // Ends when further vectors hardly lower the model (Nash & Sofer 1990), not when the residual is small:
  // where cloth is close to buckling, single directions have derivatives a thousand times larger than the
  // rest, and the residual sees nothing else. `model_tolerance`: in place of that of the options.
  // Already after `least_vectors` more where another run is the cheaper way to what is left.  (O4)
  TrustRegionStep solve(Iterate& at, double radius, const OptimizerOptions& options, double model_tolerance,
                        int least_vectors = kAllVectors);

  // The solution for a smaller radius with the vectors there are; none where some have been replaced.
  std::optional<TrustRegionStep> shortened(double radius) const;

 private:
  void read_goal(Iterate& at);
  void append_to_model(const Iterate& at, const VecX& weighed);
  VecX residual(Iterate& at) const;
  bool add(Iterate& at, const VecX& r, VecX e);
  void compress();
  TrustRegionStep step_to(const SmallModel::Minimum& minimum) const;

  int capacity_;
  bool is_whole_ = true;  // no vector has been replaced
  int added_ = 0;         // vectors, those that were replaced among them
  double first_residual_ = 0.0;
  std::vector<VecX> vectors_;  // v_i, orthonormal in the metric
  std::vector<VecX> images_;   // Y v_i
  VecX image_gradient_;        // b, of the goal as it is
  SmallModel model_;           // in the coordinates c, p = sum c_i v_i
  SmallModel::Minimum minimum_;
  VecX before_;  // c of the minimum before the last vector
};

}  // namespace keydrape
