#pragma once

#include <string_view>

#include "core/cloth/material.h"
#include "core/step/step_problem.h"

namespace keydrape {

// Derivatives of a step's residual r (core/EQUATIONS.md (3)) by numbers of its cloth other than
// positions, at the step's solution: inertia, and sums of what each energy says of itself
// (energy/parameter.h).

struct StepSolution {
  const StepProblem& problem;
  const VecX& y;  // [m] (3n)
  // Whether the step was linearised at its start: what is quadratic in y then has its derivatives at y still,
  // and the matrix that y was solved with is StepProblem::linearized_matrix at the start.
  bool is_linearized = false;
};

// By the velocity of the air at the end of the step (3n x 3) [kg/s]; zero without wind.
Eigen::MatrixXd residual_by_air(const StepSolution& at);

// By stretch_scale, b_u and b_v (3n x 2) [N].
Eigen::MatrixXd residual_by_stretch_scale(const StepSolution& at);

// By where a soft pin is at the end of the step, was at its start, and a step before that (3n x 3 each)
// [N/m]. `pin`: its number in ClothDescription::soft_pins.
struct SoftPinDerivatives {
  Eigen::MatrixXd by_end, by_start, by_before;
};
SoftPinDerivatives residual_by_soft_pin(const StepSolution& at, int pin);

// The numbers of a Material that act in a step.
enum class MaterialNumber { kDensity, kWarp, kWeft, kShear, kBend, kDamping };
double& number_of(Material& material, MaterialNumber number);
std::string_view name_of(MaterialNumber number);  // "density", "warp", "weft", ..

// By the logarithm of one of them, all others fixed, contact and springs among them (3n) [N].
VecX residual_by_log(const StepSolution& at, MaterialNumber number);

}  // namespace keydrape
