#include "core/step/conjugate_gradient.h"

#include "core/constraint/hard_pin.h"

namespace keydrape {

CgReport solve_by_cg(const BlockMatrix& H, const VecX& b, const SingleFactor& preconditioner,
                     const StepConstraints& constraints, const CgOptions& options, VecX& x,
                     VecX* curvature_direction) {
  CgReport report;
  x.setZero(b.size());
  VecX r = b, z, Hp;
  if (b.isZero(0.0)) {
    report.end = CgEnd::kConverged;
    return report;
  }
  const double target = options.relative_tolerance * b.norm();
  preconditioner.solve(r, z);
  constraints.filter(z);
  VecX p = z;
  double rz = r.dot(z);
  while (report.iterations < options.max_iterations) {
    H.multiply(p, Hp);
    ++report.iterations;
    const double curvature = p.dot(Hp);
    if (!(curvature > 0.0)) {
      if (report.iterations == 1) x = p;
      if (curvature_direction) *curvature_direction = p;
      report.end = CgEnd::kNegativeCurvature;
      return report;
    }
    const double alpha = rz / curvature;
    x += alpha * p;
    r -= alpha * Hp;
    if (r.norm() <= target) {
      report.end = CgEnd::kConverged;
      return report;
    }
    preconditioner.solve(r, z);
    constraints.filter(z);
    const double rz_next = r.dot(z);
    p = z + (rz_next / rz) * p;
    rz = rz_next;
  }
  return report;
}

}  // namespace keydrape
