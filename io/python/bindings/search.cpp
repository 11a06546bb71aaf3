#include "control/search/search.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <optional>

#include "core/base/error.h"
#include "io/perform/search_memory_text.h"
#include "io/python/bindings/arrays.h"
#include "io/python/bindings/bind.h"
#include "io/python/bindings/result.h"
#include "io/run/scratch_folder.h"
#include "io/shot/contradictions.h"
#include "io/shot/control.h"

namespace keydrape::python {
namespace {

class PythonObserver final : public SearchObserver {
 public:
  explicit PythonObserver(SearchWatch& watch) : watch_(watch) {}  // which outlives it

  void on_iteration(const SearchIteration& at) override { watch_.hear(at); }
  bool should_stop() override { return watch_.should_stop(); }

 private:
  SearchWatch& watch_;
};

void refuse_little_memory(const BuiltTask& task) {
  const SearchMemory memory = plan_search_memory(task.prepared, task.options);
  if (memory.fits()) return;
  throw InputError(fmt::format("memory_gb: found {:g}; expected at least {:g} for this task; give it so much",
                               1e-9 * task.options.memory_bytes, 1e-3 * std::ceil(1e-6 * memory.needed)));
}

// Without a folder. Scratch goes where the scene says, or else where the system keeps what is temporary.
SearchResult search_for(const BuiltTask& task, SearchObserver& observer) {
  if (!task.scene) {
    refuse_little_memory(task);
    return search(task.prepared, task.options, observer);
  }
  const Scene& scene = *task.scene;
  refuse_without_goal(scene);
  check_differentiable(scene, task.task(), *task.prepared.simulator);
  const SearchMemory memory = search_memory(scene, task.prepared, task.options);
  SearchOptions options = task.options;
  std::optional<ScratchFolder> scratch;
  if (scene.solver.scratch_gb > 0)
    options.scratch = &scratch.emplace(
        scene.solver.scratch_dir.empty() ? std::filesystem::temp_directory_path() : scene.solver.scratch_dir,
        memory.scratch, memory.budget);
  return search(task.prepared, options, observer);
}

Result solve(const TaskPointer& task, py::object observer) {
  if (task->task().targets.empty())
    throw InputError(
        "solve: the task has no keyframes; expected one or more; to simulate without, use simulate");
  SearchWatch watch(std::move(observer));
  PythonObserver observed(watch);
  std::optional<Result> result;
  {
    const py::gil_scoped_release released;
    SearchResult found = search_for(*task, observed);
    result.emplace(result_of(task, std::move(found), watch.history()));
  }
  return hand_over(std::move(*result), watch);
}

}  // namespace

void bind_search(py::module_& module) {
  module.def("solve", &solve, py::arg("task").none(false), py::arg("observer") = py::none());
}

}  // namespace keydrape::python
