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

// theta of the start of a step, within half a turn of (F4) [rad].
double counted_at_start(double theta_rest, double theta) {
  const double sharpness = std::max(0.0, std::abs(theta_rest) - 0.5 * kPi);
  return angle_near(std::copysign(sharpness, theta_rest), theta);
}

// The condition at y (F1). theta is found only where it is needed.
class HingeCondition {
 public:
  HingeCondition(const HingeBending& hinge, double theta_rest, const Stencil<4>& y)
      : theta_rest_(theta_rest), angle_(y) {
    // A triangle without area makes the angle no number, of which this is not so, either.
    if (!(angle_.area_a() >= hinge.whole_areas[0] && angle_.area_b() >= hinge.whole_areas[1]))
      fade_.emplace(y, hinge.whole_areas);
  }

  // theta as it is taken at the start of a step.
  double theta_at_start() const {
    return is_gone() ? theta_rest_ : counted_at_start(theta_rest_, angle_.theta());
  }

  // theta: however it is counted; theta_start: in a step that starts there.
  double value_of(double theta) const { return share() * (theta - theta_rest_); }
  double value(double theta_start) const { return is_gone() ? 0.0 : share() * bend(theta_start); }

  Stencil<4> gradient(double theta_start) const {
    if (!fade_) return angle_.gradient();
    if (is_gone()) return Stencil<4>::Zero();
    return fade_->value() * angle_.gradient() + bend(theta_start) * fade_->gradient();
  }

  // w'' grad c grad c^T + sigma d2c/dy2
  StencilHessian<4> energy_hessian(double theta_start, double stiffness, double sigma) const {
    const Eigen::Matrix<double, 12, 1> g = gradient(theta_start).reshaped();
    StencilHessian<4> h = sigma * hessian(theta_start);
    h.noalias() += (stiffness * g) * g.transpose();
    return h;
  }

 private:
  bool is_gone() const { return fade_ && fade_->is_gone(); }
  double share() const { return fade_ ? fade_->value() : 1.0; }
  double bend(double theta_start) const { return counted_bend(theta_start, theta_rest_, angle_.theta()); }

  StencilHessian<4> hessian(double theta_start) const {
    if (!fade_) return angle_.hessian();
    if (is_gone()) return StencilHessian<4>::Zero();
    const Eigen::Matrix<double, 12, 1> of_angle = angle_.gradient().reshaped();
    const Eigen::Matrix<double, 12, 1> of_fade = fade_->gradient().reshaped();
    const StencilHessian<4> mixed = of_angle * of_fade.transpose();
    return fade_->value() * angle_.hessian() + mixed + mixed.transpose() +
           bend(theta_start) * fade_->hessian();
  }

  double theta_rest_;
  HingeAngle angle_;
  std::optional<HingeFade> fade_;  // none where the angle counts whole
};

}  // namespace

HingeBending::Start HingeBending::start(const Shared& shared, const StepStart& step,
                                        const StartStencil<4>& at) const {
  // The angle at rest is that at the end of the step for all states: creasing is not damped.
  const double rest = crease < 0 ? theta_rest : shared.creases[crease].at(step.time);
  const HingeCondition condition(*this, rest, at.x);
  const double theta = condition.theta_at_start();
  // A step before, theta is counted back from that of the start.
  return {condition_law({k, k_d, nullptr, friction}, step, condition.value_of(theta),
                        [&] { return HingeCondition(*this, rest, at.x_before).value(theta); }),
          theta, rest};
}

double HingeBending::value(const Stencil<4>& y, const Start& s) const {
  return s.law.value(HingeCondition(*this, s.theta_rest, y).value(s.theta));
}

std::array<double, 1> HingeBending::tension(const Stencil<4>& y, const Start& s) const {
  return {s.law.tension(HingeCondition(*this, s.theta_rest, y).value(s.theta))};
}

std::array<double, 1> HingeBending::tension_change(const Stencil<4>& y, const Stencil<4>& dy,
                                                   const Start& s) const {
  const HingeCondition c(*this, s.theta_rest, y);
  return {s.law.tension_change(c.value(s.theta), c.gradient(s.theta).cwiseProduct(dy).sum())};
}

Stencil<4> HingeBending::gradient(const Stencil<4>& y, const Start& s) const {
  const HingeCondition c(*this, s.theta_rest, y);
  return s.law.tension(c.value(s.theta)) * c.gradient(s.theta);
}

StencilHessian<4> HingeBending::hessian(const Stencil<4>& y, const Start& s) const {
  const HingeCondition c(*this, s.theta_rest, y);
  const double value = c.value(s.theta);
  return c.energy_hessian(s.theta, s.law.stiffness(value), s.law.tension(value));
}

StencilHessian<4> HingeBending::hessian_with_tension(const Stencil<4>& y, const Start& s,
                                                     const std::array<double, 1>& sigma) const {
  const HingeCondition c(*this, s.theta_rest, y);
  return c.energy_hessian(s.theta, s.law.stiffness(c.value(s.theta)), sigma[0]);
}

double HingeBending::condition(const Stencil<4>& y, const Start& s) const {
  return HingeCondition(*this, s.theta_rest, y).value(s.theta);
}

Stencil<4> HingeBending::condition_gradient(const Stencil<4>& y, const Start& s) const {
  return HingeCondition(*this, s.theta_rest, y).gradient(s.theta);
}

StencilHessian<4> HingeBending::cross_x(const Stencil<4>& y, const Stencil<4>& x, const Start& s,
                                        const StepScheme::Level& level) const {
  // What the law keeps of x:  d2W/dy dx = d(tension)/dc(x)  grad c(y) grad c(x)^T
  const HingeCondition c(*this, s.theta_rest, y);
  const Eigen::Matrix<double, 12, 1> at_y = c.gradient(s.theta).reshaped();
  const Eigen::Matrix<double, 12, 1> at_x =
      HingeCondition(*this, s.theta_rest, x).gradient(s.theta).reshaped();
  return (s.law.tension_by_start(c.value(s.theta), level) * at_y) * at_x.transpose();
}

ParameterDerivative<4> HingeBending::gradient_by(const Parameter& p, const Stencil<4>& y, const Stencil<4>&,
                                                 const Start& s) const {
  const HingeCondition c(*this, s.theta_rest, y);
  const double value = c.value(s.theta);
  if (p.kind == Parameter::kLogBend)
    return columns<4>(Stencil<4>(s.law.tension_by_stiffness(value) * c.gradient(s.theta)));
  if (p.kind == Parameter::kLogDamping)
    return columns<4>(Stencil<4>(s.law.tension_by_damping(value) * c.gradient(s.theta)));
  return {};
}

Eigen::Matrix4d HingeBending::stiffness_bound(const Shared&, const StiffnessBound& of_step) const {
  return keydrape::stiffness_bound({k, k_d, nullptr, friction}, of_step.dt()) * flat_gradient *
         flat_gradient.transpose();
}

}  // namespace keydrape
