#pragma once

#include <memory>
#include <optional>

#include "control/goal/objective.h"
#include "control/task/task.h"
#include "control/unknowns/ball_bounds.h"
#include "control/unknowns/channel/channels.h"

namespace keydrape {

struct ShootingOptions;

// A task that is built: what runs and searches of it work with. Its parts refer to each other and live on the
// heap, so that it can be moved. It does not change while it is searched.
struct PreparedTask {
  Task task;
  std::shared_ptr<const Model> model;
  std::unique_ptr<const Simulator> simulator;
  PushedVertices pushed;
  std::vector<Objective::EdgeLength> edges;  // of the mesh at rest
  std::unique_ptr<const ControlLayout> layout;
  std::unique_ptr<Channels> channels;  // null: none
  std::unique_ptr<const Objective> objective;
  std::optional<BallBounds> bounds;  // none: forces are not bounded

  const State& start() const { return task.start; }
  StepFrom from() const { return {task.start, task.before ? &*task.before : nullptr}; }
  const ForceSchedule* base() const { return task.take ? task.take->forces.get() : nullptr; }
  int block_count() const { return layout->block_count(); }
  // All that a shooting problem may have of it.
  ShootingOptions shooting_options() const;  // control/shooting/shooting_problem.h
};

// Builds a task. `model`: of its cloth, if there is one already; null: it is built. One with neither vertices
// to push nor channels can be run, but not searched. Throws InputError: check(task) (task_check.h), before
// anything is built; as build_model; of the vertices that may be pushed none can move, they are fewer than
// modes, or with all blocks more than an int counts; channels that share a number, or that cloth of springs
// does not have.
PreparedTask prepare(Task task, std::shared_ptr<const Model> model = nullptr);

// What the layout of a window of the task will be (window_task.h), for planning.
std::unique_ptr<ControlLayout> window_layout(const PreparedTask& prepared, const IntervalRange& range);

// From now on forces come on top of a take. With max_acceleration: requires forces that are constant over
// each block (ControlLayout::is_constant_over_blocks).
void start_from(PreparedTask& prepared, Take take);

}  // namespace keydrape
