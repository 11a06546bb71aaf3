#include "core/step/filtered_cg.h"

#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <vector>

namespace keydrape {

namespace {

class BlockDiagonal {
 public:
  BlockDiagonal(const BlockMatrix& A, const StepConstraints& constraints) : Q_(A.pattern().rows()) {
    const auto block = [&](int i) { return Mat3(A.block(A.pattern().diagonal_slot(i))); };
    for (int i = 0; i < A.pattern().rows(); ++i) Q_[i] = block(i).inverse();
    for (const StepConstraints::Row& row : constraints.rows()) {  // (J3)
      const Mat3 A_ii = block(row.vertex);
      const Mat3 held = (A_ii.trace() / 3.0) * (Mat3::Identity() - row.S);
      Q_[row.vertex] = row.S * (row.S * A_ii * row.S + held).inverse() * row.S;
    }
  }

  void multiply(const VecX& r, VecX& out) const {
    out.resize(r.size());
    for (size_t i = 0; i < Q_.size(); ++i) out.segment<3>(3 * i) = Q_[i] * r.segment<3>(3 * i);
  }

 private:
  std::vector<Mat3> Q_;
};

}  // namespace

FilteredCgReport solve_filtered(const BlockMatrix& A, const VecX& b, const StepConstraints& constraints,
                                const FilteredCgOptions& options, const VecX& z, VecX& x) {
  assert(b.size() == 3 * A.pattern().rows() && z.size() == b.size() && &x != &b && &x != &z);
  FilteredCgReport report;
  const BlockDiagonal Q(A, constraints);
  VecX product, r = b, Qr;
  constraints.filter(r);
  Q.multiply(r, Qr);
  double scale = r.dot(Qr);
  x = z;
  constraints.filter_out(x);
  if (!x.isZero(0.0)) {
    A.multiply(x, product);
    constraints.filter(product);
    r -= product;
    Q.multiply(r, Qr);
  }
  VecX p = Qr;
  double delta = r.dot(p);
  scale = std::max(scale, delta);  // b may be 0 where held vertices move
  const double target = options.tolerance * options.tolerance * scale;
  while (!(report.converged = delta <= target) && report.iterations < options.max_iterations) {
    A.multiply(p, product);
    constraints.filter(product);
    const double curvature = p.dot(product);
    if (!(curvature > 0.0)) break;
    ++report.iterations;
    const double alpha = delta / curvature;
    x += alpha * p;
    r -= alpha * product;
    Q.multiply(r, Qr);
    const double next = r.dot(Qr);
    p = Qr + (next / delta) * p;
    delta = next;
  }
  return report;
}

}  // namespace keydrape
