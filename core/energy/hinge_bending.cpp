#include "core/energy/hinge_bending.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/energy/hinge_fade.h"
#include "core/mesh/hinge_angle.h"

namespace keydrape {

namespace {

constexpr double kPi = std::numbers::pi;

// theta, off by less than two turns, within half a turn of `middle` [rad]; with the same bits if it is.
double turned_near(double middle, double theta) {
  if (theta > middle + kPi) return theta - 2 * kPi;
  if (theta < middle - kPi) return theta + 2 * kPi;
  return theta;
}

// theta of the start of a step, within half a turn of (F4) [rad].
double counted_at_start(double theta_rest, double theta) {
  const double sharpness = std::max(0.0, std::abs(theta_rest) - 0.5 * kPi);
  return turned_near(std::copysign(sharpness, theta_rest), theta);
}

// theta counted on from that of the start, within half a turn of (F5) [rad].
double counted_from(double start, double theta_rest, double theta) {
  return turned_near(0.5 * (start + theta_rest), start + std::remainder(theta - start, 2 * kPi));
}

// The condition at y, its angle counted on from that of the start of the step (F3).
class HingeCondition {
 public:
  HingeCondition(const HingeBending& hinge, const Stencil<4>& y, double start_theta)
      : fade_(y, hinge.whole_areas) {
    if (fade_.is_gone()) return;
    angle_.emplace(y);
    bend_ = counted_from(start_theta, hinge.theta_rest, angle_->theta()) - hinge.theta_rest;
  }

  double value() const { return fade_.is_whole() ? bend_ : fade_.value() * bend_; }

  Stencil<4> gradient() const {
    if (!angle_) return Stencil<4>::Zero();
    if (fade_.is_whole()) return angle_->gradient();
    return fade_.value() * angle_->gradient() + bend_ * fade_.gradient();
  }

  // w'' grad c grad c^T + sigma d2c/dy2
  StencilHessian<4> energy_hessian(double stiffness, double sigma) const {
    if (!angle_) return StencilHessian<4>::Zero();
    const Eigen::Matrix<double, 12, 1> g = gradient().reshaped();
    StencilHessian<4> h = fade_.is_whole() ? sigma * angle_->hessian() : sigma * faded_hessian();
    h.noalias() += (stiffness * g) * g.transpose();
    return h;
  }

 private:
  StencilHessian<4> faded_hessian() const {
    const Eigen::Matrix<double, 12, 1> of_angle = angle_->gradient().reshaped();
    const Eigen::Matrix<double, 12, 1> of_fade = fade_.gradient().reshaped();
    const StencilHessian<4> mixed = of_angle * of_fade.transpose();
    return fade_.value() * angle_->hessian() + mixed + mixed.transpose() + bend_ * fade_.hessian();
  }

  HingeFade fade_;
  std::optional<HingeAngle> angle_;  // none where a triangle has no area
  double bend_ = 0.0;                // theta - theta_rest [rad]
};

}  // namespace

HingeBending::Start HingeBending::start(const Shared&, const StepStart& step, const Stencil<4>& x,
                                        const Stencil<4>&) const {
  const double theta =
      HingeFade(x, whole_areas).is_gone() ? theta_rest : counted_at_start(theta_rest, HingeAngle(x).theta());
  return {{k, k_d / step.dt, HingeCondition(*this, x, theta).value()}, theta};
}

double HingeBending::value(const Stencil<4>& y, const Start& s) const {
  return s.law.value(HingeCondition(*this, y, s.theta).value());
}

std::array<double, 1> HingeBending::tension(const Stencil<4>& y, const Start& s) const {
  return {s.law.tension(HingeCondition(*this, y, s.theta).value())};
}

std::array<double, 1> HingeBending::tension_change(const Stencil<4>& y, const Stencil<4>& dy,
                                                   const Start& s) const {
  return {s.law.stiffness() * HingeCondition(*this, y, s.theta).gradient().cwiseProduct(dy).sum()};
}

Stencil<4> HingeBending::gradient(const Stencil<4>& y, const Start& s) const {
  const HingeCondition c(*this, y, s.theta);
  return s.law.tension(c.value()) * c.gradient();
}

StencilHessian<4> HingeBending::hessian(const Stencil<4>& y, const Start& s) const {
  const HingeCondition c(*this, y, s.theta);
  return c.energy_hessian(s.law.stiffness(), s.law.tension(c.value()));
}

StencilHessian<4> HingeBending::hessian_with_tension(const Stencil<4>& y, const Start& s,
                                                     const std::array<double, 1>& sigma) const {
  return HingeCondition(*this, y, s.theta).energy_hessian(s.law.stiffness(), sigma[0]);
}

StencilHessian<4> HingeBending::cross_x(const Stencil<4>& y, const Stencil<4>& x, const Start& s) const {
  // Only c_start depends on x:  d2W/dy dx = -k_d/dt  grad c(y) grad c(x)^T
  const Eigen::Matrix<double, 12, 1> at_y = HingeCondition(*this, y, s.theta).gradient().reshaped();
  const Eigen::Matrix<double, 12, 1> at_x = HingeCondition(*this, x, s.theta).gradient().reshaped();
  return (-s.law.k_d_over_dt * at_y) * at_x.transpose();
}

ParameterDerivative<4> HingeBending::gradient_by(const Parameter& p, const Stencil<4>& y, const Stencil<4>&,
                                                 const Start& s) const {
  if (p.kind == Parameter::kLogBend) return columns<4>(gradient(y, s));
  if (p.kind == Parameter::kLogDamping) return columns<4>(gradient(y, {s.law.dissipation(), s.theta}));
  return {};
}

}  // namespace keydrape
