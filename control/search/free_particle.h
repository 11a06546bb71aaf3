#pragma once

#include <cstddef>

#include "control/goal/tolerance.h"
#include "control/shooting/shooting_problem.h"

// What a free particle would say of a keyframe: first guesses of weights and frames.

namespace keydrape {

// What the goal divides the miss of a keyframe by, for its positions or, where they have no
// weight, its velocities.
struct GoalScale {
  double weight;
  double unit_squared;  // of misses: l^2 [m^2], g_0 l [m^2/s^2]
  double tolerance;     // [m], [m/s]
};
GoalScale scale_of(const Keyframe& keyframe, const KeyframeTolerance& tolerance, double length);

// At weight factor 1, pushed from the target before to keyframe k at `state`, it is left with the share
// 1/(1 + response) of its miss: of positions, or of velocities where they alone have weight. Requires an
// effort > 0.  (E1)
double free_particle_response(const ShootingProblem& problem, const GoalState& goal, std::size_t k,
                              int state);
// The same times the weight of effort, which may be 0.
double free_particle_gain(const ShootingProblem& problem, const GoalState& goal, std::size_t k, int state);

// |y|^2 (5) of the blocks that serve keyframe k: those after the target before it.
double effort_before(const ShootingProblem& problem, const GoalState& goal, const VecX& z, std::size_t k);

}  // namespace keydrape
