#include "control/goal/goal_state.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

namespace keydrape {

std::vector<int> GoalState::seen_states() const {
  std::set<int> seen;
  for (const Keyframe& keyframe : keyframes) {
    seen.insert(keyframe.state);
    seen.insert(keyframe.candidates.begin(), keyframe.candidates.end());
    if (keyframe.relative_to) seen.insert(*keyframe.relative_to);
  }
  return {seen.begin(), seen.end()};
}

std::vector<int> GoalState::states() const {
  std::vector<int> states;
  for (const Keyframe& k : keyframes) states.push_back(k.state);
  return states;
}

std::vector<VecX> GoalState::matched() const {
  std::vector<VecX> matched;
  for (const Keyframe& k : keyframes) {
    if (!k.surface) continue;
    assert(k.matched.size() > 0);
    matched.push_back(k.matched);
  }
  return matched;
}

bool GoalState::is_adaptive() const {
  return std::any_of(keyframes.begin(), keyframes.end(), [](const Keyframe& k) { return k.is_adaptive(); });
}

GoalPointer with_factors(const GoalState& goal, std::vector<double> factors) {
  assert(factors.size() == goal.keyframes.size());
  GoalState changed = goal;
  changed.weight_factors = std::move(factors);
  return std::make_shared<const GoalState>(std::move(changed));
}

AdaptedGoal adapted(const GoalState& goal, const Trajectory& run, double length) {
  GoalState next = goal;
  int moved = 0;
  for (Keyframe& k : next.keyframes)
    if (k.is_adaptive() && adapt(k, states_of(run), length) && k.has_weight()) ++moved;
  return {std::make_shared<const GoalState>(std::move(next)), moved};
}

GoalPointer with_choices(const GoalState& goal, const std::vector<int>& states,
                         const std::vector<VecX>& matched) {
  assert(states.size() == goal.keyframes.size());
  GoalState next = goal;
  auto cloth = matched.begin();
  for (std::size_t k = 0; k < states.size(); ++k) {
    next.keyframes[k].state = states[k];
    if (next.keyframes[k].surface) match(next.keyframes[k], *cloth++);
  }
  assert(cloth == matched.end());
  return std::make_shared<const GoalState>(std::move(next));
}

GoalPointer adapted_at(const GoalState& goal, const Trajectory& run, const std::vector<int>& states,
                       double length) {
  assert(states.size() == goal.keyframes.size());
  GoalState next = goal;
  for (size_t k = 0; k < states.size(); ++k) {
    Keyframe& keyframe = next.keyframes[k];
    const std::vector<int> candidates = std::exchange(keyframe.candidates, {});
    keyframe.state = states[k];
    adapt(keyframe, states_of(run), length);
    keyframe.candidates = candidates;
  }
  return std::make_shared<const GoalState>(std::move(next));
}

}  // namespace keydrape
