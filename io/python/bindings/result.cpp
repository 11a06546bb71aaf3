#include "io/python/bindings/result.h"

#include <pybind11/stl.h>

#include "io/python/bindings/arrays.h"
#include "io/python/bindings/bind.h"

namespace keydrape::python {
namespace {

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

Result hand_over(Result result, SearchWatch& watch) {
  if (watch.signal()) {
    watch.signal()->value().attr("result") = py::cast(std::move(result));
    throw py::error_already_set(*watch.signal());
  }
  if (!result.run && result.summary.end != SearchEnd::kStopped)
    throw SimulationFailure{result.summary.sentence(), nullptr};
  return result;
}

void bind_result(py::module_& module) {
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
}

}  // namespace keydrape::python
