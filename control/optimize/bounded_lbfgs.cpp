#include <algorithm>
#include <cmath>
#include <utility>

#include "control/optimize/bounded.h"
#include "control/optimize/progress.h"

namespace keydrape {

namespace {

// The start is drawn to where the radial derivative of (B4) is cos(1.3) = 0.27.
constexpr double kLargestStartAngle = 1.3;

// z of y.  (B4)
VecX within_bounds(const BallBounds& bounds, const VecX& y) {
  VecX z = y;
  for (int k = 0; k < bounds.count(); ++k) {
    const double angle = y.segment<3>(3 * k).norm() / bounds.radius(k);
    if (angle > 0.0) z.segment<3>(3 * k) *= std::sin(angle) / angle;
    z.segment<3>(3 * k) += bounds.center_of(k);
  }
  bounds.project(z);  // rounding
  return z;
}

// y_bar = (dz/dy)^T z_bar; symmetric, with cos(angle) along y and sin(angle)/angle across.
VecX pulled_back(const BallBounds& bounds, const VecX& y, const VecX& z_bar) {
  VecX y_bar = z_bar;
  for (int k = 0; k < bounds.count(); ++k) {
    const double length = y.segment<3>(3 * k).norm(), angle = length / bounds.radius(k);
    if (angle == 0.0) continue;
    const Vec3 n = y.segment<3>(3 * k) / length, along = n.dot(z_bar.segment<3>(3 * k)) * n;
    y_bar.segment<3>(3 * k) =
        std::cos(angle) * along + std::sin(angle) / angle * (z_bar.segment<3>(3 * k) - along);
  }
  return y_bar;
}

VecX start_of(const BallBounds& bounds, const VecX& z) {
  VecX y = z;
  for (int k = 0; k < bounds.count(); ++k) {
    y.segment<3>(3 * k) -= bounds.center_of(k);
    const double share =
        std::min(y.segment<3>(3 * k).norm() / bounds.radius(k), std::sin(kLargestStartAngle));
    if (share > 0.0) y.segment<3>(3 * k) *= bounds.radius(k) * std::asin(share) / y.segment<3>(3 * k).norm();
  }
  return y;
}

// The point y, with that at z(y) inside.
class SinePoint final : public Point {
 public:
  // `bounds` outlives it.
  SinePoint(const BallBounds& bounds, VecX y, std::unique_ptr<Point> inner)
      : bounds_(bounds), y_(std::move(y)), inner_(std::move(inner)) {}

  const VecX& z() const override { return y_; }
  double objective() const override { return inner_->objective(); }
  const VecX& gradient() override {
    if (gradient_.size() == 0) gradient_ = pulled_back(bounds_, y_, inner_->gradient());
    return gradient_;
  }
  const Point& inner() const { return *inner_; }

 private:
  const BallBounds& bounds_;
  VecX y_, gradient_;
  std::unique_ptr<Point> inner_;
};

}  // namespace

OptimizerResult minimize_bounded_lbfgs(const PointSource& evaluate, std::unique_ptr<Point> start,
                                       const BallBounds& bounds, const OptimizerOptions& options,
                                       const IterationObserver& observer) {
  const PointSource evaluate_sine = [&](const VecX& y) {
    return std::make_unique<SinePoint>(bounds, y, evaluate(within_bounds(bounds, y)));
  };
  const auto observe = [&](const IterationRecord& record) {
    const auto& point = static_cast<const SinePoint&>(record.iterate);
    return observer({record.iteration, record.objective, record.gradient_norm, record.step_length,
                     record.evaluations, record.cg_iterations, point.inner()});
  };
  OptimizerOptions inner = options;
  if (options.keep_progress)
    inner.keep_progress = [&](const OptimizerProgress& progress, const Point& at) {
      return options.keep_progress(progress, static_cast<const SinePoint&>(at).inner());
    };
  std::unique_ptr<Point> first;
  if (options.resume) {
    first = std::make_unique<SinePoint>(bounds, options.resume->variables, std::move(start));
  } else {
    const VecX y = start_of(bounds, start->z());
    start.reset();  // before the next one: two of them may not fit into memory
    first = evaluate_sine(y);
    inner.max_evaluations = std::max(1, options.max_evaluations - 1);
  }
  OptimizerResult result = minimize_lbfgs(evaluate_sine, std::move(first), inner, observe);
  result.z = within_bounds(bounds, result.z);
  return result;
}

}  // namespace keydrape
