#pragma once

#include <vector>

#include "control/task/task.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape::test {

// A square sheet of cotton, 0.4 m wide, that hangs from y = 0 by its upper edge, at rest. All of it may be
// pushed; its one target is the start itself at the end of so many intervals of two steps, for tests to move.
inline Task hung_task(int cells, int interval_count) {
  constexpr double kSide = 0.4;
  Task task;
  task.cloth = cloth_of(square(cells, kSide), cotton(), Vec3(0, -kStandardGravity, 0));
  std::vector<int> upper;
  for (int i = 0; i < task.vertex_count(); ++i) {
    Vec3& p = task.cloth.mesh.positions[i];
    p.y() -= kSide;
    if (p.y() > -1e-9) upper.push_back(i);
    task.pushing.vertices.push_back(i);
  }
  task.start = {stacked(task.cloth.mesh.positions), VecX::Zero(3 * task.vertex_count())};
  task.cloth.pins = {held(task.start.x, upper)};
  task.grid = {.interval_count = interval_count, .intervals_per_second = 24.0, .substeps = 2};
  Target target;
  target.keyframe.state = task.grid.step_count();
  target.keyframe.vertex_weight = VecX::Ones(task.vertex_count());
  target.keyframe.target = task.start.x;
  task.targets = {target};
  return task;
}

}  // namespace keydrape::test
