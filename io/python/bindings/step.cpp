#include <fmt/format.h>

#include <optional>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "io/python/bindings/arrays.h"
#include "io/python/bindings/bind.h"
#include "io/python/bindings/crossings.h"
#include "io/python/bindings/run.h"

namespace keydrape::python {
namespace {

// A time step by itself, for whoever keeps the states.
struct Step {
  py::array x, v;
  double seconds;  // within the library
  int iterations;
  double residual;
  Crossings crossings;
};

// What of the start's crossings is left where step `number` begins.
ExemptionsPointer left_before(const TaskPointer& task, int number, const Crossings* crossings) {
  if (crossings && crossings->of != task)
    throw InputError("crossings: found those of another task; expected what a step of this one has left");
  if (crossings) return crossings->left;
  const ExemptionsPointer& of_start = task->prepared.start().exempt;
  if (number > 0 && of_start)
    throw InputError(fmt::format(
        "crossings: found None; expected those of state {}, as Step.crossings of the step before or "
        "Trajectory.crossings has them, since the cloth begins through itself, and what crosses "
        "does not collide until it has come apart; the first step of a run does without",
        number));
  return of_start;
}

Step take_step(const TaskPointer& task, int number, const py::object& x, const py::object& v,
               const py::object& forces, const py::object& before, const Crossings* crossings) {
  const int n = task->task().vertex_count(), steps = task->task().grid.step_count();
  if (number < 0 || number >= steps)
    throw InputError(
        fmt::format("number: found {}; expected that of a step, from 0 to {}", number, steps - 1));
  std::optional<State> known;
  if (!before.is_none()) {
    if (!py::isinstance<py::sequence>(before) || py::len(before) != 2)
      throw InputError("before: expected positions and velocities, (x, v), of a step before x and v");
    known = State{rows_of_three(before[py::int_(0)], "before[0]", n, "one row a vertex [m]", Size::kAny),
                  rows_of_three(before[py::int_(1)], "before[1]", n, "one row a vertex [m/s]", Size::kAny)};
  }
  if (task->prepared.simulator->options().method == StepMethod::kBdf2 && number > 0 && !known)
    throw InputError(
        fmt::format("before: found None; expected positions and velocities of state {}, since a step of "
                    "\"bdf2\" knows two states; the first step of a run does without",
                    number - 1));
  const State start{rows_of_three(x, "x", n, "one row a vertex [m]", Size::kAny),
                    rows_of_three(v, "v", n, "one row a vertex [m/s]", Size::kAny),
                    left_before(task, number, crossings)};
  const VecX u = forces.is_none() ? VecX::Zero(3 * n)
                                  : rows_of_three(forces, "forces", n, "one row a vertex [N]", Size::kAny);
  StepResult result;
  double seconds = 0.0;
  {
    const py::gil_scoped_release released;
    const Stopwatch watch;
    result = task->prepared.simulator->step(number, StepFrom(start, known ? &*known : nullptr), u);
    result.factor.reset();  // for the next step of a run, which this is not
    seconds = watch.seconds();
  }
  if (!result.report.converged())
    throw SimulationFailure{
        fmt::format("step {} did not converge: {}", number, failure_text(*task, result.report)), nullptr};
  return {owning_view_of(std::move(result.next.x)),
          owning_view_of(std::move(result.next.v)),
          seconds,
          result.report.iterations,
          result.report.residual,
          {task, std::move(result.next.exempt)}};
}

}  // namespace

void bind_step(py::module_& module) {
  py::class_<Step>(module, "Step")
      .def_readonly("x", &Step::x)
      .def_readonly("v", &Step::v)
      .def_readonly("seconds", &Step::seconds)
      .def_readonly("iterations", &Step::iterations)
      .def_readonly("residual", &Step::residual)
      .def_readonly("crossings", &Step::crossings);
  module.def("step", &take_step, py::arg("task").none(false), py::arg("number"), py::arg("x"), py::arg("v"),
             py::arg("forces") = py::none(), py::arg("before") = py::none(),
             py::arg("crossings") = py::none());
}

}  // namespace keydrape::python
