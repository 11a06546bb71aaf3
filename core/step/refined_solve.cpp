#include "core/step/refined_solve.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/constraint/hard_pin.h"

namespace keydrape {

namespace {

// The largest power of two up to the largest entry of b, which is not 0: to scale by it changes no digit.
// A sweep with feedback may fade below the range of single precision.
double scale_of(const VecX& b) { return std::ldexp(1.0, std::ilogb(b.lpNorm<Eigen::Infinity>())); }

// z is H^-1 r but for rounding, and r orthogonal to the direction before, so that making z conjugate to that
// takes little away. Where it takes away more than this leaves of its curvature, r is rounding itself, as of
// a lone vertex after one iteration: then z is taken as it is.
constexpr double kConjugateShare = 0.5;

}  // namespace

RefinedReport solve_refined(const SymmetricMatrix& H, const SingleFactor& factor,
                            const StepConstraints& constraints, const VecX& b, int max_iterations, VecX& x,
                            double enough) {
  assert(&b != &x && max_iterations > 0);
  RefinedReport report;
  x.setZero(b.size());
  if (b.isZero(0.0)) return {0, true};
  const double scale = scale_of(b);
  VecX r = b / scale, z, Hp, absolute;
  double target = enough * r.norm();
  factor.solve(r, z);
  constraints.filter(z);
  VecX p = z;
  double rz = r.dot(z);
  bool is_conjugate = false;
  while (report.iterations < max_iterations) {
    H.multiply(p, Hp);
    ++report.iterations;
    const double curvature = p.dot(Hp);
    if (is_conjugate && !(curvature > kConjugateShare * rz)) {
      p = z;
      is_conjugate = false;
      continue;
    }
    if (!(curvature > 0.0)) break;  // rounding has taken over: the factor is too far from H
    const double alpha = rz / curvature;
    x += alpha * p;
    const VecX r_before = r;
    r -= alpha * Hp;
    // Five digits of x are known, which is plenty for this; two iterations mostly give what is enough.
    if (report.iterations == (enough > 0.0 ? 2 : 1) && !(r.norm() <= target)) {
      H.multiply_absolute(x, absolute);
      target = std::max(target, 0.5 * std::numeric_limits<double>::epsilon() * absolute.norm());
    }
    report.reached = r.norm() <= target;
    if (report.reached) break;
    factor.solve(r, z);
    constraints.filter(z);
    const double rz_next = r.dot(z);
    p = z + ((rz_next - r_before.dot(z)) / rz) * p;
    rz = rz_next;
    is_conjugate = true;
  }
  x *= scale;
  return report;
}

}  // namespace keydrape
