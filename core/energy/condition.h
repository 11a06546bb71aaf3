#pragma once

#include <cmath>

#include "core/energy/condition_curve.h"
#include "core/energy/step_start.h"

namespace keydrape {

// Friction between the threads of a fabric, in a condition (W4).
struct Hysteresis {
  double tension = 0.0;  // that it holds [that of the condition]
  double rate = 1.0;     // of the condition, up to which it creeps [1/s of the condition], > 0
};

// Stiffness, dissipation and friction of a scalar condition c in one step, as densities (core/EQUATIONS.md
// (6), (W1) to (W4)):
//   w(c) = k int_0^c tau + k_d/(2 beta) (c - c_star)^2 + t f0(|c - c_held|) ,   k_d = damping k nu(c_lag)
// with tau(c) = c and nu = 1 where there is no curve.
struct ConditionLaw {
  double k = 0.0;                         // stiffness that tau is counted in
  double k_d_over_beta = 0.0;             // dissipation
  double c_star = 0.0;                    // (I3): with implicit Euler that at the start of the step
  const ConditionCurve* curve = nullptr;  // tau and nu, outlives this; null: in proportion
  double c_lag = 0.0;                     // where nu is taken (I4)
  double full_k_d_over_beta = 0.0;        // damping k/beta, with nu = 1
  double held_tension = 0.0;              // t
  double c_held = 0.0;                    // at the start of the step
  double slip = 1.0;                      // eps of f0: the condition's change at which friction is full

  double value(double c) const {
    return stored_value(c) + 0.5 * k_d_over_beta * (c - c_star) * (c - c_star) + held_value(c);
  }
  double tension(double c) const { return stored_tension(c) + k_d_over_beta * (c - c_star) + held(c); }
  double stiffness(double c) const {  // d(tension)/dc
    return stored_stiffness(c) + k_d_over_beta + held_stiffness(c);
  }
  double stored_value(double c) const { return curve ? k * curve->value(c) : 0.5 * k * c * c; }
  double stored_tension(double c) const { return curve ? k * curve->tension(c) : k * c; }
  double stored_stiffness(double c) const { return curve ? k * curve->stiffness(c) : k; }
  // d(stiffness)/dc in a step that has not moved, by where it starts.
  double stiffness_slope_at_start() const {
    return curve ? k * curve->curvature(c_lag) + full_k_d_over_beta * curve->viscosity_slope(c_lag) : 0.0;
  }

  // Of the tension, where c goes on by dc: as the law has it, linear without curve and friction.
  double tension_change(double c, double dc) const {
    return curve || held_tension > 0.0 ? tension(c + dc) - tension(c) : stiffness(c) * dc;
  }

  // d(tension at c)/d(the condition at this level of the step's knowledge).
  double tension_by_start(double c, const StepScheme::Level& level) const {
    double by = -level.share * k_d_over_beta - level.held * held_stiffness(c);
    if (curve) by += level.lag * full_k_d_over_beta * curve->viscosity_slope(c_lag) * (c - c_star);
    return by;
  }
  // .. if the condition is shifted everywhere alike, at the end of the step and in all that it knows.
  double tension_by_shift(double c) const {
    double by = stored_stiffness(c);
    if (curve) by += full_k_d_over_beta * curve->viscosity_slope(c_lag) * (c - c_star);
    return by;
  }

  // d(tension)/d log(number): of the stiffness, the fabric's bend (by way of the curve alone), the damping.
  double tension_by_stiffness(double c) const {
    return stored_tension(c) + k_d_over_beta * (c - c_star) - tension_by_bend(c);
  }
  double tension_by_bend(double c) const {
    if (!curve) return 0.0;
    return stored_tension_by_bend(c) + full_k_d_over_beta * curve->viscosity_by_bend(c_lag) * (c - c_star);
  }
  double stored_tension_by_bend(double c) const { return curve ? k * curve->tension_by_bend(c) : 0.0; }
  double tension_by_damping(double c) const { return k_d_over_beta * (c - c_star); }

 private:
  // f0 - f0(0) and its derivatives (Li et al. 2020, equations (19), (20)), in one dimension.
  double held_value(double c) const {
    if (held_tension == 0.0) return 0.0;
    const double s = std::abs(c - c_held) / slip;
    return held_tension * slip * (s < 1.0 ? s * s - s * s * s / 3 : s - 1.0 / 3);
  }
  double held(double c) const {
    if (held_tension == 0.0) return 0.0;
    const double s = std::abs(c - c_held) / slip;
    return std::copysign(held_tension * (s < 1.0 ? s * (2 - s) : 1.0), c - c_held);
  }
  double held_stiffness(double c) const {
    if (held_tension == 0.0) return 0.0;
    const double s = std::abs(c - c_held) / slip;
    return s < 1.0 ? held_tension * 2 * (1 - s) / slip : 0.0;
  }
};

// What a condition is made of, in every step.
struct ConditionNumbers {
  double k;                               // as in ConditionLaw
  double k_d;                             // damping k
  const ConditionCurve* curve = nullptr;  // as in ConditionLaw
  Hysteresis hysteresis{};
};

// A bound on the stiffness of any step so long [s].
inline double stiffness_bound(const ConditionNumbers& numbers, double dt) {
  double bound = numbers.k * (numbers.curve ? numbers.curve->greatest_stiffness() : 1.0) + numbers.k_d / dt;
  if (numbers.hysteresis.tension > 0.0)
    bound += 2.0 * numbers.hysteresis.tension / (numbers.hysteresis.rate * dt);
  return bound;
}

// The law of a step in which the condition is c at the start, and before() a step before that.
template <class Before>
ConditionLaw condition_law(const ConditionNumbers& numbers, const StepStart& step, double c,
                           const Before& before) {
  const double beta = step.scheme().beta;
  ConditionLaw law{numbers.k, numbers.k_d / beta, step.start_condition(c, before)};
  if (numbers.curve) {
    law.curve = numbers.curve;
    law.c_lag = step.lagged_condition(c, before);
    law.full_k_d_over_beta = law.k_d_over_beta;
    law.k_d_over_beta *= numbers.curve->viscosity(law.c_lag);
  }
  if (numbers.hysteresis.tension > 0.0) {
    law.held_tension = numbers.hysteresis.tension;
    law.c_held = c;
    law.slip = numbers.hysteresis.rate * step.slip_time();
  }
  return law;
}

}  // namespace keydrape
