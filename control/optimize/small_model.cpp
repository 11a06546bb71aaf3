#include "control/optimize/small_model.h"

#include <Eigen/Eigenvalues>
#include <cassert>
#include <cmath>
#include <limits>

namespace keydrape {

namespace {

constexpr double kNoCurvature = 1e-14;  // over the largest
constexpr int kBisections = 200;        // doubles have no more places

}  // namespace

SmallModel::Minimum SmallModel::minimize(double radius) const {
  Minimum minimum;
  minimum.c = VecX::Zero(g.size());
  if (!g.allFinite() || !A.allFinite()) {
    minimum.fall = std::numeric_limits<double>::quiet_NaN();
    return minimum;
  }
  if (g.size() == 0) return minimum;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(A);
  const VecX slopes = spectrum.eigenvectors().transpose() * g;
  const VecX curvatures = spectrum.eigenvalues().cwiseMax(0.0);
  const double flat = kNoCurvature * curvatures(curvatures.size() - 1);
  // c(lambda) in the axes of A.
  const auto along_axes = [&](double lambda) {
    VecX c(slopes.size());
    for (Eigen::Index i = 0; i < c.size(); ++i) {
      const double curvature = curvatures(i) + lambda;
      c(i) = curvature > flat ? -slopes(i) / curvature : 0.0;
    }
    return c;
  };
  VecX c = along_axes(0.0);
  // Without curvature, and with a bound, c goes as far as that.
  const double level = kNoCurvature * slopes.norm();
  bool is_far = c.norm() >= radius;
  for (Eigen::Index i = 0; i < c.size() && std::isfinite(radius); ++i)
    is_far = is_far || (!(curvatures(i) > flat) && std::abs(slopes(i)) > level);
  if (is_far) {
    double low = 0.0, high = slopes.norm() / radius;  // |c| is at most the radius there
    for (int k = 0; k < kBisections; ++k) {
      const double middle = 0.5 * (low + high);
      if (middle == low || middle == high) break;
      (along_axes(middle).norm() > radius ? low : high) = middle;
    }
    c = along_axes(high);
    minimum.on_boundary = true;
  }
  minimum.c = spectrum.eigenvectors() * c;
  minimum.fall = -(g.dot(minimum.c) + 0.5 * minimum.c.dot(A * minimum.c));
  return minimum;
}

void SmallModel::append(double slope, const VecX& coupling) {
  const Eigen::Index size = g.size();
  assert(coupling.size() == size + 1);
  g.conservativeResize(size + 1);
  A.conservativeResize(size + 1, size + 1);
  g(size) = slope;
  A.row(size) = coupling.transpose();
  A.col(size) = coupling;
}

}  // namespace keydrape
