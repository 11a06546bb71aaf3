#include "control/task/window_task.h"

#include <cassert>
#include <cmath>
#include <utility>

#include "control/task/later_forces.h"

namespace keydrape {
namespace {

// A target of the whole task as the window sees it behind a run; none if it has passed, or is to come.
std::optional<Target> within(const Target& whole, const StateSource& before, int first, int last) {
  const auto is_inside = [&](int state) { return first < state && state <= last; };
  Target target = whole;
  Keyframe& keyframe = target.keyframe;
  const bool slides = !keyframe.candidates.empty();
  std::erase_if(keyframe.candidates, [&](int state) { return !is_inside(state); });
  if (slides ? keyframe.candidates.empty() : !is_inside(keyframe.state)) return std::nullopt;
  if (!is_inside(keyframe.state)) keyframe.state = keyframe.candidates.back();
  for (int& state : keyframe.candidates) state -= first;
  keyframe.state -= first;
  if (!keyframe.relative_to) return target;
  const int other = *keyframe.relative_to;
  if (other > first) {
    keyframe.relative_to = other - first;
    return target;
  }
  const State there = before(other);
  keyframe.relative_to.reset();
  keyframe.target += there.x;
  if (keyframe.target_velocity.size() > 0) keyframe.target_velocity += there.v;
  return target;
}

// Of the pushed vertices at a step, under the forces of z alone [g_0].
VecX accelerations(const PreparedTask& whole, const VecX& z, int step) {
  const VecX& mass = whole.model->vertex_mass();
  VecX u(3 * mass.size());
  ControlForces(*whole.layout, z).force(step, u);
  const std::vector<int>& active = whole.layout->active();
  VecX a(3 * static_cast<Eigen::Index>(active.size()));
  for (std::size_t k = 0; k < active.size(); ++k)
    a.segment<3>(3 * static_cast<Eigen::Index>(k)) =
        u.segment<3>(3 * active[k]) / (mass[active[k]] * kStandardGravity);
  return a;
}

BorderForces borders_of(const PreparedTask& whole, const IntervalRange& range, const BesideWindow& beside,
                        int blocks) {
  const double all = whole.block_count();
  BorderForces borders;
  borders.changes = (all - 1.0) * blocks / all;
  if (range.first > 0)
    borders.before = accelerations(whole, beside.z, range.first * whole.task.grid.substeps - 1);
  if (beside.is_last && range.last < whole.task.grid.interval_count)
    borders.after = VecX::Zero(3 * whole.layout->active_count());
  return borders;
}

}  // namespace

std::optional<KeyframeMiss> met_until(const Task& task, std::size_t k, const StateSource& states, int last) {
  Target target = task.targets[k];
  if (!target.keyframe.has_weight()) return {};
  set_default_tolerances(target, task.length(), task.grid.interval());
  const KeyframeTolerance aim = aimed_tolerances({target}).front();
  Keyframe there = task.targets[k].keyframe;
  const std::vector<int> candidates = std::exchange(there.candidates, {});
  std::optional<KeyframeMiss> met;
  for (const int state : candidates) {
    if (state > last) break;
    there.state = state;
    const KeyframeMiss miss = measure_miss(there, states, task.length());
    const bool is_met = aim.share(miss) <= 1.0 && !(aim.is_max_asked && miss.max > aim.max);
    if (is_met && (!met || aim.share(miss) < aim.share(*met))) met = miss;
  }
  return met;
}

Task window_of(const PreparedTask& whole, const IntervalRange& range, const BesideWindow& beside) {
  const Task& task = whole.task;
  const int first = range.first * task.grid.substeps, steps = range.count() * task.grid.substeps;
  const Trajectory& before = beside.run;
  assert(before.step_count() == first && beside.z.size() == whole.layout->size());
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
    auto inside = within(task.targets[k], states, first, first + steps);
    if (inside && !met_until(task, k, states, first)) window.targets.push_back(std::move(*inside));
  }
  const int steps_in_block = task.pushing.hold == Hold::kInterval ? task.grid.substeps : 1;
  const int blocks = (steps + steps_in_block - 1) / steps_in_block;
  window.effort.share = task.effort.share * (static_cast<double>(blocks) / whole.block_count());  // (W1)
  window.effort.borders = borders_of(whole, range, beside, blocks);                               // (W3)
  if (task.take) window.take = Take{std::make_shared<const LaterForces>(task.take->forces, first), {}};
  return window;
}

Eigen::Index unknowns_before(const PreparedTask& whole, int interval) {
  const ControlLayout& layout = *whole.layout;
  for (int n = interval * whole.task.grid.substeps; n < layout.step_count(); ++n)
    if (layout.block_of_step(n) >= 0)
      return 3 * static_cast<Eigen::Index>(layout.triples_beginning(layout.block_of_step(n)).first);
  return layout.size();
}

WindowUnknowns::WindowUnknowns(const PreparedTask& whole, const PreparedTask& window,
                               const IntervalRange& range)
    : first_(unknowns_before(whole, range.first)),
      size_(window.layout->size()),
      scale_(std::sqrt(static_cast<double>(whole.block_count()) / window.block_count())) {}

VecX WindowUnknowns::of_window(const VecX& z) const { return scale_ * z.segment(first_, size_); }

void WindowUnknowns::put(const VecX& z_window, VecX& z) const {
  z.segment(first_, size_) = z_window / scale_;
}

}  // namespace keydrape
