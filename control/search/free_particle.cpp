#include "control/search/free_particle.h"

#include <algorithm>
#include <vector>

namespace keydrape {
namespace {

// The first step whose forces serve keyframe k at a state: that after the target before. No keyframe of the
// same target counts, and none without weight.
int first_step(const std::vector<Keyframe>& keyframes, std::size_t k, int state) {
  const auto is_same_target = [&](std::size_t j) {
    return j == k || (keyframes[j].target_id >= 0 && keyframes[j].target_id == keyframes[k].target_id);
  };
  int begin = 0;
  for (std::size_t j = 0; j < keyframes.size(); ++j)
    if (!is_same_target(j) && keyframes[j].has_weight() && keyframes[j].state < state)
      begin = std::max(begin, keyframes[j].state);
  return begin;
}

}  // namespace

GoalScale scale_of(const Keyframe& keyframe, const KeyframeTolerance& tolerance, double length) {
  if (keyframe.weight > 0.0) return {keyframe.weight, length * length, tolerance.rms};
  return {keyframe.velocity_weight, kStandardGravity * length, tolerance.velocity_rms};
}

double free_particle_response(const ShootingProblem& problem, const GoalState& goal, std::size_t k,
                              int state) {
  return free_particle_gain(problem, goal, k, state) / problem.objective().options().effort;
}

double free_particle_gain(const ShootingProblem& problem, const GoalState& goal, std::size_t k, int state) {
  const ControlLayout& layout = problem.layout();
  const Keyframe& keyframe = goal.keyframes[k];
  const double dt = problem.simulator().dt();
  const bool moves = keyframe.weight > 0.0;
  std::vector<double> lever(layout.block_count(), 0.0);  // dx/da of a block [s^2], or dv/da [s]
  for (int n = first_step(goal.keyframes, k, state); n < state; ++n)
    if (layout.block_of_step(n) >= 0) lever[layout.block_of_step(n)] += moves ? dt * dt * (state - n) : dt;
  double S = 0.0;
  for (int f = 0; f < layout.block_count(); ++f)
    S += lever[f] * lever[f] * layout.strength(f) * layout.strength(f);
  const GoalScale scale = scale_of(keyframe, {1.0, 1.0}, problem.objective().options().length);
  const double g = kStandardGravity;
  const double F_m = static_cast<double>(layout.block_count()) * layout.active_count();
  const double omega = (moves ? keyframe.vertex_weight : keyframe.velocity_omega()).sum();
  return scale.weight / (scale.unit_squared * omega) * g * g * F_m * S;
}

double effort_before(const ShootingProblem& problem, const GoalState& goal, const VecX& z, std::size_t k) {
  const ControlLayout& layout = problem.layout();
  const int state = goal.keyframes[k].state;
  const VecX y = layout.fine(z);
  const Eigen::Index size = 3 * static_cast<Eigen::Index>(layout.active_count());
  double sum = 0.0;
  int previous = -1;
  for (int n = first_step(goal.keyframes, k, state); n < state; ++n) {
    const int block = layout.block_of_step(n);
    if (block < 0 || block == previous) continue;
    previous = block;
    sum += y.segment(block * size, size).squaredNorm();
  }
  return sum;
}

}  // namespace keydrape
