#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "io/python/bindings/arrays.h"
#include "io/python/bindings/bind.h"
#include "io/python/bindings/run.h"

namespace keydrape::python {
namespace {

// A time step by itself, for whoever keeps the states.
struct Step {
  py::array x, v;
  double seconds;  // within the library
  int iterations;
  double residual;
};

Step take_step(const BuiltTask& task, int number, const py::object& x, const py::object& v,
               const py::object& forces) {
  const int n = task.task().vertex_count(), steps = task.task().grid.step_count();
  if (number < 0 || number >= steps)
    throw InputError(
        fmt::format("number: found {}; expected that of a step, from 0 to {}", number, steps - 1));
  if (task.prepared.simulator->options().method == StepMethod::kBdf2 && number > 0)
    throw InputError(
        "[solver] integrator: found \"bdf2\", whose steps know two states; expected \"newton\" for steps by "
        "themselves; or use rollout");
  const State start{rows_of_three(x, "x", n, "one row a vertex [m]"),
                    rows_of_three(v, "v", n, "one row a vertex [m/s]")};
  const VecX u =
      forces.is_none() ? VecX::Zero(3 * n) : rows_of_three(forces, "forces", n, "one row a vertex [N]");
  StepResult result;
  double seconds = 0.0;
  {
    const py::gil_scoped_release released;
    const Stopwatch watch;
    result = task.prepared.simulator->step(number, start, u);
    result.factor.reset();  // for the next step of a run, which this is not
    seconds = watch.seconds();
  }
  if (!result.report.converged())
    throw SimulationFailure{
        fmt::format("step {} did not converge: {}; residual {:.2g} of the cloth's weight after {} "
                    "iterations; try more substeps",
                    number, reason(result.report.end), result.report.residual, result.report.iterations),
        nullptr};
  return {owning_view_of(std::move(result.next.x)), owning_view_of(std::move(result.next.v)), seconds,
          result.report.iterations, result.report.residual};
}

}  // namespace

void bind_step(py::module_& module) {
  py::class_<Step>(module, "Step")
      .def_readonly("x", &Step::x)
      .def_readonly("v", &Step::v)
      .def_readonly("seconds", &Step::seconds)
      .def_readonly("iterations", &Step::iterations)
      .def_readonly("residual", &Step::residual);
  module.def("step", &take_step, py::arg("task"), py::arg("number"), py::arg("x"), py::arg("v"),
             py::arg("forces") = py::none());
}

}  // namespace keydrape::python
