#include "core/step/parameter_derivatives.h"

#include <cassert>

namespace keydrape {

namespace {

// d2E/dy dp (3n x p.size()).
Eigen::MatrixXd residual_by(const StepSolution& at, const Parameter& p) {
  Eigen::MatrixXd by = Eigen::MatrixXd::Zero(at.y.size(), p.size());
  for (const auto& energy : at.problem.energies()) energy->add_parameter_derivative(p, at.y, by);
  return by;
}

// M (y - x_tilde)/beta^2: inertia and weight are linear in the density.
VecX inertia(const StepSolution& at) {
  const double beta = at.problem.beta();
  return at.problem.model().mass().cwiseProduct(at.y - at.problem.x_tilde()) / (beta * beta);
}

}  // namespace

Eigen::MatrixXd residual_by_air(const StepSolution& at) { return residual_by(at, {Parameter::kAir}); }

Eigen::MatrixXd residual_by_stretch_scale(const StepSolution& at) {
  return residual_by(at, {Parameter::kStretchScale});
}

SoftPinDerivatives residual_by_soft_pin(const StepSolution& at, int pin) {
  assert(pin >= 0);
  return {residual_by(at, {Parameter::kPinEnd, pin}), residual_by(at, {Parameter::kPinStart, pin}),
          residual_by(at, {Parameter::kPinBefore, pin})};
}

double& number_of(Material& material, MaterialNumber number) {
  switch (number) {
    case MaterialNumber::kDensity:
      return material.density;
    case MaterialNumber::kWarp:
      return material.k_warp;
    case MaterialNumber::kWeft:
      return material.k_weft;
    case MaterialNumber::kShear:
      return material.k_shear;
    case MaterialNumber::kBend:
      return material.bend;
    case MaterialNumber::kDamping:
      break;
  }
  return material.damping;
}

std::string_view name_of(MaterialNumber number) {
  switch (number) {
    case MaterialNumber::kDensity:
      return "density";
    case MaterialNumber::kWarp:
      return "warp";
    case MaterialNumber::kWeft:
      return "weft";
    case MaterialNumber::kShear:
      return "shear";
    case MaterialNumber::kBend:
      return "bend";
    case MaterialNumber::kDamping:
      break;
  }
  return "damping";
}

VecX residual_by_log(const StepSolution& at, MaterialNumber number) {
  switch (number) {
    case MaterialNumber::kDensity:
      return inertia(at) + residual_by(at, {Parameter::kLogDensity}).col(0);
    case MaterialNumber::kWarp:
      return residual_by(at, {Parameter::kLogWarp});
    case MaterialNumber::kWeft:
      return residual_by(at, {Parameter::kLogWeft});
    case MaterialNumber::kShear:
      return residual_by(at, {Parameter::kLogShear});
    case MaterialNumber::kBend:
      return residual_by(at, {Parameter::kLogBend});
    case MaterialNumber::kDamping:
      break;
  }
  return residual_by(at, {Parameter::kLogDamping});
}

}  // namespace keydrape
