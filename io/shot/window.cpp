#include "io/shot/window.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "io/shot/control.h"

namespace keydrape {
namespace {

// A keyframe of the whole shot as the window sees it; none if it has passed, or is to come.
std::optional<ShotKeyframe> within(const ShotKeyframe& whole, const ShotWindow& window, const Shot& shot) {
  const int first = window.first_step, last = first + window.shot.clock.step_count();
  const auto is_inside = [&](int state) { return first < state && state <= last; };
  ShotKeyframe keyframe = whole;
  Keyframe& goal = keyframe.goal;
  std::erase_if(goal.candidates, [&](int state) { return !is_inside(state); });
  if (whole.goal.candidates.empty() ? !is_inside(goal.state) : goal.candidates.empty()) return std::nullopt;
  if (!is_inside(goal.state)) goal.state = goal.candidates.back();
  for (int& state : goal.candidates) state -= first;
  goal.state -= first;
  if (goal.relative_to) {
    assert(*goal.relative_to == 0);  // the only state that is known before a run
    goal.relative_to.reset();
    goal.target += shot.start.x;
    goal.target_velocity += shot.start.v;
  }
  return keyframe;
}

// Whether that was to be done before the window, and was.
bool is_behind(std::size_t k, const ShotWindow& window, const Shot& whole, const Trajectory& before) {
  const StateSource states = [&](int n) { return before.states[n]; };
  return met_until(whole, k, states, window.first_step).has_value();
}

double scale(const Shot& whole, const ShotWindow& window) {
  return std::sqrt(static_cast<double>(whole.layout->block_count()) / window.shot.layout->block_count());
}

}  // namespace

std::optional<KeyframeMiss> met_until(const Shot& shot, std::size_t k, const StateSource& states, int last) {
  KeyframeTolerance aim = aimed_tolerances(shot.keyframes)[k];
  if (!std::isfinite(aim.rms) && !std::isfinite(aim.velocity_rms))  // with effort as a number
    aim.rms = kDefaultTolerance * shot.objective->options().length;
  Keyframe there = shot.keyframes[k].goal;
  const std::vector<int> candidates = std::exchange(there.candidates, {});
  std::optional<KeyframeMiss> met;
  for (const int state : candidates) {
    if (state > last) break;
    there.state = state;
    const KeyframeMiss miss = measure_miss(there, states);
    const bool is_met = miss.rms <= aim.rms && miss.velocity_rms <= aim.velocity_rms;
    if (is_met && (!met || miss.rms < met->rms)) met = miss;
  }
  return met;
}

std::vector<FrameRange> control_windows(const scene::Control& control, const FrameRange& shot) {
  if (control.window) return {*control.window};
  if (!control.windows) return {};
  std::vector<FrameRange> ranges;
  int first = shot.first;
  while (true) {
    ranges.push_back({first, std::min(first + control.windows->length, shot.last)});
    if (ranges.back().last == shot.last) return ranges;
    first = ranges.back().last - control.windows->overlap;
  }
}

ShotWindow open_window(const Scene& scene, const Shot& whole, const FrameRange& range,
                       const Trajectory& before) {
  ShotWindow window{{}, whole.clock.state_of_frame(range.first), 0};
  Shot& shot = window.shot;
  shot.clock = whole.clock;
  shot.clock.frames = range;
  shot.meters_per_unit = whole.meters_per_unit;
  shot.rest = whole.rest;
  assert(before.step_count() == window.first_step);
  shot.start = before.back();
  shot.model = whole.model;
  SimulatorOptions options = whole.simulator->options();
  options.first_step = window.first_step;
  shot.simulator = std::make_unique<Simulator>(*shot.model, options);
  for (std::size_t k = 0; k < whole.keyframes.size(); ++k) {
    auto inside = within(whole.keyframes[k], window, whole);
    if (inside && !is_behind(k, window, whole, before)) shot.keyframes.push_back(std::move(*inside));
  }
  shot.layout = open_control_layout(scene, whole.clock, whole.rest, *whole.model, range);
  const int steps = whole.clock.substeps * (range.count() - 1);
  for (int n = window.first_step + steps - 1; n >= window.first_step; --n)
    if (whole.layout->block_of_step(n) >= 0) window.first_block = whole.layout->block_of_step(n);
  if (whole.base) shot.base = std::make_unique<LaterForces>(*whole.base, window.first_step);
  std::vector<Keyframe> goals;
  for (const ShotKeyframe& keyframe : shot.keyframes) goals.push_back(keyframe.goal);
  shot.objective =
      make_objective(scene, shot.clock, shot.rest, std::move(goals), *shot.layout,
                     static_cast<double>(shot.layout->block_count()) / whole.layout->block_count());  // (W1)
  return window;
}

VecX window_unknowns(const Shot& whole, const ShotWindow& window, const VecX& z) {
  const int first = whole.layout->triples_beginning(window.first_block).first;
  return scale(whole, window) * z.segment(3 * static_cast<Eigen::Index>(first), window.shot.layout->size());
}

void put_window_unknowns(const Shot& whole, const ShotWindow& window, const VecX& z_window, VecX& z) {
  const int first = whole.layout->triples_beginning(window.first_block).first;
  z.segment(3 * static_cast<Eigen::Index>(first), z_window.size()) = z_window / scale(whole, window);
}

}  // namespace keydrape
