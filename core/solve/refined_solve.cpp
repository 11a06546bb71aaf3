#include "core/solve/refined_solve.h"

#include <cassert>
#include <limits>

#include "core/constraint/hard_pin.h"

namespace keydrape {

RefinedReport solve_refined(const SymmetricMatrix& H, const SingleFactor& factor,
                            const StepConstraints& constraints, const VecX& b, int max_iterations, VecX& x) {
  assert(&b != &x && max_iterations > 0);
  RefinedReport report;
  x.setZero(b.size());
  VecX r = b, z, Hp, absolute;
  double target = 0.0;
  if (r.isZero(0.0)) return {0, true};
  factor.solve(r, z);
  constraints.filter(z);
  VecX p = z;
  double rz = r.dot(z);
  while (report.iterations < max_iterations) {
    H.multiply(p, Hp);
    ++report.iterations;
    const double curvature = p.dot(Hp);
    if (!(curvature > 0.0)) break;  // rounding has taken over: the factor is too far from H
    const double alpha = rz / curvature;
    x += alpha * p;
    const VecX r_before = r;
    r -= alpha * Hp;
    if (report.iterations == 1) {  // five digits of x are known, which is plenty for this
      H.multiply_absolute(x, absolute);
      target = 0.5 * std::numeric_limits<double>::epsilon() * absolute.norm();
    }
    report.reached = r.norm() <= target;
    if (report.reached) break;
    factor.solve(r, z);
    constraints.filter(z);
    const double rz_next = r.dot(z);
    p = z + ((rz_next - r_before.dot(z)) / rz) * p;
    rz = rz_next;
  }
  return report;
}

}  // namespace keydrape
