#pragma once

#include <optional>
#include <vector>

#include "control/optimize/optimizer.h"

namespace keydrape {

struct TrustRegionStep {
  VecX p;
  double length = 0.0;          // of p
  double predicted_fall = 0.0;  // of the quadratic model; not finite: a product with it was not
  int iterations = 0;           // of conjugate gradients that were made for it
  bool on_boundary = false;
};

// Minimises the model g.p + 1/2 p.A p of an iterate over |p| <= radius by conjugate gradients (Steihaug
// 1983), preconditioned by the iterate's metric, in which |p| is measured. |p| grows along the iterates, so
// that the solution for a smaller radius is where the same path leaves the smaller ball: it costs no product
// with A as long as the path is known that far.
class SteihaugPath {
 public:
  // Remembers the path up to the `max_points`-th iterate at most, one vector each; 0: not at all.
  explicit SteihaugPath(int max_points) : max_points_(max_points) {}

  // Ends when further iterations hardly lower the model (Nash & Sofer 1990), not when the residual is small:
  // where cloth is close to buckling, single directions have derivatives a thousand times larger than the
  // rest, and the residual sees nothing else. `model_tolerance`: in place of that of the options.
  TrustRegionStep solve(Iterate& at, double radius, const OptimizerOptions& options, double model_tolerance);

  // The solution of the last solve(), at this iterate, for a smaller radius; none where the path was not
  // remembered that far.
  std::optional<TrustRegionStep> shortened(Iterate& at, double radius) const;

 private:
  // From iterate p along d: the model falls by t slope - t^2/2 curvature up to t = length.
  struct Leg {
    VecX end;
    double distance;  // |end|
    double fall_before, slope, curvature, length;
  };

  int max_points_;
  std::vector<Leg> legs_;
};

}  // namespace keydrape
