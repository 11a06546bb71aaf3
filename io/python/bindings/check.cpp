#include <pybind11/stl.h>

#include <algorithm>

#include "control/shooting/derivative_check.h"
#include "core/base/error.h"
#include "io/python/bindings/bind.h"
#include "io/python/bindings/built_task.h"
#include "io/shot/control.h"

namespace keydrape::python {
namespace {

namespace py = pybind11;

// Looks for Ctrl-C.
class SignalWatch final : public ShootingObserver {
 public:
  void on_step(int, const StepReport&) override {
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
};

DerivativeCheck check(const BuiltTask& built) {
  const std::vector<Target>& targets = built.task().targets;
  if (std::none_of(targets.begin(), targets.end(), [](const Target& t) { return t.keyframe.has_weight(); }))
    throw InputError(
        "check: the task has no keyframes with weight; expected one or more, whose goal is differentiated");
  const py::gil_scoped_release released;
  if (built.scene) check_differentiable(*built.scene, built.task(), *built.prepared.simulator);
  Task task = built.task();
  task.simulator.newton.tolerance = std::min(task.simulator.newton.tolerance, kCheckNewtonTolerance);
  const PreparedTask prepared = prepare(std::move(task), built.prepared.model);
  ShootingOptions options = prepared.shooting_options();
  options.bounds = nullptr;  // the goal's own derivatives, wherever they lead
  SignalWatch watch;
  options.observer = &watch;
  ShootingProblem problem(*prepared.simulator, prepared.start(), *prepared.layout, *prepared.objective,
                          built.options.whole_memory_bytes(), options);
  return check_derivatives(problem, scene_check_options(*prepared.simulator));
}

}  // namespace

void bind_check(py::module_& module) {
  py::class_<DerivativeCheck>(module, "Check")
      .def_property_readonly("is_exact", &is_exact)
      .def_readonly("taylor_orders", &DerivativeCheck::taylor_orders)
      .def_readonly("taylor_order_mean", &DerivativeCheck::taylor_order_mean)
      .def_readonly("central_difference_error", &DerivativeCheck::central_difference_error)
      .def_readonly("dot_product_error", &DerivativeCheck::dot_product_error)
      .def_readonly("finished", &DerivativeCheck::finished);
  module.def("check", &check, py::arg("task"));
}

}  // namespace keydrape::python
