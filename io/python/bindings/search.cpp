#include "control/search/search.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "io/python/bindings/arrays.h"
#include "io/python/bindings/bind.h"
#include "io/python/bindings/result.h"

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

Result solve(const TaskPointer& task, py::object observer) {
  if (task->task().targets.empty())
    throw InputError(
        "solve: the task has no keyframes; expected one or more; to simulate without, use simulate");
  SearchWatch watch(std::move(observer));
  PythonObserver observed(watch);
  std::optional<Result> result;
  {
    const py::gil_scoped_release released;
    refuse_little_memory(*task);
    SearchResult found = search(task->prepared, task->options, observed);
    result.emplace(result_of(task, std::move(found), watch.history()));
  }
  return hand_over(std::move(*result), watch);
}

}  // namespace

void bind_search(py::module_& module) {
  module.def("solve", &solve, py::arg("task"), py::arg("observer") = py::none());
}

}  // namespace keydrape::python
