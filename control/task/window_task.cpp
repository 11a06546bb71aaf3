#include "control/task/window_task.h"

#include <cassert>
#include <cmath>
#include <utility>

#include "control/task/later_forces.h"

namespace keydrape {
namespace {

// A target of the whole task as the window sees it; none if it has passed, or is to come.
std::optional<Target> within(const Target& whole, const State& start, int first, int last) {
  const auto is_inside = [&](int state) { return first < state && state <= last; };
  Target target = whole;
  Keyframe& keyframe = target.keyframe;
  const bool slides = !keyframe.candidates.empty();
  std::erase_if(keyframe.candidates, [&](int state) { return !is_inside(state); });
  if (slides ? keyframe.candidates.empty() : !is_inside(keyframe.state)) return std::nullopt;
  if (!is_inside(keyframe.state)) keyframe.state = keyframe.candidates.back();
  for (int& state : keyframe.candidates) state -= first;
  keyframe.state -= first;
  if (keyframe.relative_to) {
    assert(*keyframe.relative_to == 0);  // the only state that is known before a run
    keyframe.relative_to.reset();
    keyframe.target += start.x;
    keyframe.target_velocity += start.v;
  }
  return target;
}

}  // namespace

std::optional<KeyframeMiss> met_until(const Task& task, std::size_t k, const StateSource& states, int last) {
  KeyframeTolerance aim = aimed_tolerances({task.targets[k]}).front();
  if (!std::isfinite(aim.rms) && !std::isfinite(aim.velocity_rms))
    aim.rms = kDefaultTolerance * task.length();
  Keyframe there = task.targets[k].keyframe;
  const std::vector<int> candidates = std::exchange(there.candidates, {});
  std::optional<KeyframeMiss> met;
  for (const int state : candidates) {
    if (state > last) break;
    there.state = state;
    const KeyframeMiss miss = measure_miss(there, states, task.length());
    const bool is_met = miss.rms <= aim.rms && miss.velocity_rms <= aim.velocity_rms &&
                        !(aim.is_max_asked && miss.max > aim.max);
    if (is_met && (!met || miss.rms < met->rms)) met = miss;
  }
  return met;
}

Task window_of(const PreparedTask& whole, const IntervalRange& range, const Trajectory& before) {
  const Task& task = whole.task;
  const int first = range.first * task.grid.substeps, steps = range.count() * task.grid.substeps;
  assert(before.step_count() == first);
  Task window = task;
  window.start = before.back();
  window.drape.reset();
  if (const StepFrom from = before.from(first); from.before) window.before = *from.before;
  window.grid.interval_count = range.count();
  window.grid.first_step = task.grid.first_step + first;
  window.pushing.vertices = whole.pushed.vertices;
  window.pushing.weights = whole.pushed.weights;
  window.pushing.counts_held = true;
  window.pushing.when.reset();
  window.targets.clear();
  const StateSource states = states_of(before);
  for (std::size_t k = 0; k < task.targets.size(); ++k) {
    auto inside = within(task.targets[k], task.start, first, first + steps);
    if (inside && !met_until(task, k, states, first)) window.targets.push_back(std::move(*inside));
  }
  const int steps_in_block = task.pushing.hold == Hold::kInterval ? task.grid.substeps : 1;
  const int blocks = (steps + steps_in_block - 1) / steps_in_block;
  window.effort.share = task.effort.share * (static_cast<double>(blocks) / whole.block_count());  // (W1)
  if (task.take) window.take = Take{std::make_shared<const LaterForces>(task.take->forces, first), {}};
  return window;
}

WindowUnknowns::WindowUnknowns(const PreparedTask& whole, const PreparedTask& window,
                               const IntervalRange& range)
    : size_(window.layout->size()),
      scale_(std::sqrt(static_cast<double>(whole.block_count()) / window.block_count())) {
  const int substeps = whole.task.grid.substeps;
  int first_block = 0;
  for (int n = range.last * substeps - 1; n >= range.first * substeps; --n)
    if (whole.layout->block_of_step(n) >= 0) first_block = whole.layout->block_of_step(n);
  first_ = 3 * whole.layout->triples_beginning(first_block).first;
}

VecX WindowUnknowns::of_window(const VecX& z) const { return scale_ * z.segment(first_, size_); }

void WindowUnknowns::put(const VecX& z_window, VecX& z) const {
  z.segment(first_, size_) = z_window / scale_;
}

}  // namespace keydrape
