#include "control/search/search.h"

#include <pybind11/stl.h>

#include <optional>

#include "core/base/error.h"
#include "io/python/bindings/arrays.h"
#include "io/python/bindings/bind.h"
#include "io/python/bindings/run.h"

namespace keydrape::python {
namespace {

// An iteration, kept.
struct Iteration {
  int number, forward_simulations;
  double objective, effort, gradient_norm, seconds;
  std::vector<double> misses;
};

// Tells Python of iterations and heeds Ctrl-C. Called without the GIL.
class PythonObserver final : public SearchObserver {
 public:
  explicit PythonObserver(py::object callable) : callable_(std::move(callable)) {}

  void on_iteration(const SearchIteration& at) override {
    Iteration& kept = history_.emplace_back(Iteration{at.iteration,
                                                      at.forward_simulations,
                                                      at.objective,
                                                      at.terms.effort,
                                                      at.gradient_norm,
                                                      at.time_s,
                                                      {}});
    for (const KeyframeMiss& miss : at.misses) kept.misses.push_back(miss.rms);
    const py::gil_scoped_acquire gil;
    if (callable_.is_none() || signal_) return;
    try {
      const py::object answer = callable_(kept);
      is_stopped_ = is_stopped_ || (!answer.is_none() && answer.cast<bool>());
    } catch (const py::error_already_set& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      signal_.emplace(error);  // Ctrl-C while the observer was at it
      is_stopped_ = true;
    }
  }
  bool should_stop() override {
    if (is_stopped_) return true;
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) {
      signal_.emplace();
      is_stopped_ = true;
    }
    return is_stopped_;
  }

  std::vector<Iteration> history() const { return history_; }
  // What a signal's handler has thrown, KeyboardInterrupt of Ctrl-C; none: there was none.
  std::optional<py::error_already_set>& signal() { return signal_; }

 private:
  py::object callable_;
  std::vector<Iteration> history_;
  bool is_stopped_ = false;
  std::optional<py::error_already_set> signal_;
};

struct Result {
  TaskPointer task;
  VecX z;
  RunPointer run;
  std::vector<TargetOutcome> targets;
  SearchSummary summary;
  bool reached;
  std::vector<Iteration> history;
};

Result result_of(TaskPointer task, SearchResult found, std::vector<Iteration> history) {
  const bool reached = found.best && found.reached();
  Result result{std::move(task),          {},      nullptr,           std::move(found.targets),
                std::move(found.summary), reached, std::move(history)};
  if (!found.best) return result;
  result.z = std::move(found.best->z);
  std::vector<VecX> channels;
  if (const Channels* known = result.task->prepared.channels.get())
    channels = known->values(result.task->prepared.layout->channels(result.z));
  result.run = std::make_shared<Run>(result.task, cloth_of_run(*result.task, std::move(channels)),
                                     std::move(found.best->trajectory));
  return result;
}

Result solve(const TaskPointer& task, py::object observer) {
  if (task->task().targets.empty())
    throw InputError(
        "solve: the task has no keyframes; expected one or more; to simulate without, use simulate");
  PythonObserver watch(std::move(observer));
  std::optional<Result> result;
  {
    const py::gil_scoped_release released;
    SearchResult found = search(task->prepared, task->options, watch);
    result.emplace(result_of(task, std::move(found), watch.history()));
  }
  if (watch.signal()) {
    watch.signal()->value().attr("result") = py::cast(*result);
    throw py::error_already_set(*watch.signal());
  }
  if (!result->run && result->summary.end != SearchEnd::kStopped)
    throw SimulationFailure{result->summary.sentence(), nullptr};
  return std::move(*result);
}

py::object forces_of(const Result& result) {
  if (!result.run) return py::none();
  const PreparedTask& prepared = result.task->prepared;
  const ControlForces forces(*prepared.layout, result.z, prepared.base());
  const py::ssize_t steps = result.task->task().grid.step_count(), n = result.task->task().vertex_count();
  py::array_t<double> array({steps, n, py::ssize_t{3}});
  VecX u = VecX::Zero(3 * n);
  for (py::ssize_t step = 0; step < steps; ++step) {
    forces.force(static_cast<int>(step), u);
    std::copy(u.data(), u.data() + u.size(), array.mutable_data() + 3 * n * step);
  }
  return array;
}

}  // namespace

void bind_search(py::module_& module) {
  py::class_<Iteration>(module, "Iteration")
      .def_readonly("number", &Iteration::number)
      .def_readonly("forward_simulations", &Iteration::forward_simulations)
      .def_readonly("objective", &Iteration::objective)
      .def_readonly("effort", &Iteration::effort)
      .def_readonly("gradient_norm", &Iteration::gradient_norm)
      .def_readonly("seconds", &Iteration::seconds)
      .def_readonly("misses", &Iteration::misses);
  py::class_<TargetOutcome>(module, "Target")
      .def_property_readonly("rms", [](const TargetOutcome& target) { return target.miss.rms; })
      .def_property_readonly("max", [](const TargetOutcome& target) { return target.miss.max; })
      .def_property_readonly("velocity_rms",
                             [](const TargetOutcome& target) { return target.miss.velocity_rms; })
      .def_property_readonly("state", [](const TargetOutcome& target) { return target.miss.state; })
      .def_readonly("uncontrolled_rms", &TargetOutcome::uncontrolled_rms)
      .def_readonly("tolerance", &TargetOutcome::tolerance)
      .def_property_readonly("reached", &TargetOutcome::reached);
  py::class_<Result>(module, "Result")
      .def_readonly("trajectory", &Result::run)
      .def_property_readonly("forces", &forces_of)
      .def_readonly("targets", &Result::targets)
      .def_property_readonly("misses",
                             [](const Result& result) {
                               std::vector<double> misses;
                               for (const TargetOutcome& target : result.targets)
                                 misses.push_back(target.miss.rms);
                               return misses;
                             })
      .def_readonly("reached", &Result::reached)
      .def_property_readonly("end", [](const Result& result) { return result.summary.sentence(); })
      .def_property_readonly("is_stopped", [](const Result& result) { return result.summary.is_stopped(); })
      .def_readonly("history", &Result::history)
      .def_property_readonly("forward_simulations",
                             [](const Result& result) { return result.summary.forward_simulations; })
      .def_property_readonly("seconds", [](const Result& result) { return result.summary.time_s; });
  module.def("solve", &solve, py::arg("task"), py::arg("observer") = py::none());
}

}  // namespace keydrape::python
