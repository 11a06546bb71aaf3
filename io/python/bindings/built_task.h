#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "control/search/options.h"
#include "control/task/prepared_task.h"
#include "io/shot/shot.h"

namespace keydrape::python {

// Task of Python: what is asked for, built. Runs and results share it, so that it lives as long as they do.
struct BuiltTask {
  PreparedTask prepared;
  SearchOptions options;
  int first_frame = 0;                   // what the first frame is called
  std::vector<std::string> warnings{};   // of a scene's files
  std::shared_ptr<const Scene> scene{};  // null: of arrays

  const Task& task() const { return prepared.task; }
};
using TaskPointer = std::shared_ptr<const BuiltTask>;

// A scene's task, out of its shot.
inline std::shared_ptr<BuiltTask> built_task(const Scene& scene, Shot shot) {
  return std::make_shared<BuiltTask>(BuiltTask{std::move(shot.prepared), std::move(shot.options),
                                               shot.clock.frames.first, std::move(shot.warnings),
                                               std::make_shared<const Scene>(scene)});
}

}  // namespace keydrape::python
