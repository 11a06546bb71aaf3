#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "core/base/error.h"
#include "io/python/bindings/arrays.h"
#include "io/python/bindings/bind.h"
#include "io/python/bindings/channel_values.h"
#include "io/python/bindings/crossings.h"
#include "io/python/bindings/run.h"

namespace keydrape::python {
namespace {

// Derivatives by what a run is made from, or changes of it, as Python has them.
struct Gradient {
  py::array forces;  // (steps, n, 3)
  py::list channels;
  py::array start_x, start_v;
};

py::tuple views(const py::object& self, VecX State::*part) {
  const auto& states = self.cast<const Run&>().trajectory().states;
  py::tuple result(states.size());
  for (std::size_t n = 0; n < states.size(); ++n) result[n] = view_of(states[n].*part, self);
  return result;
}

py::tuple crossings(const Run& run) {
  const auto& states = run.trajectory().states;
  py::tuple result(states.size());
  for (std::size_t n = 0; n < states.size(); ++n) result[n] = Crossings{run.task_pointer(), states[n].exempt};
  return result;
}

// Of Python or of numpy; -1: it is none, or it is negative.
py::ssize_t whole_number(const py::handle& key) {
  const py::ssize_t number = PyIndex_Check(key.ptr()) ? PyNumber_AsSsize_t(key.ptr(), nullptr) : -1;
  if (PyErr_Occurred()) PyErr_Clear();  // an array of several
  return std::max<py::ssize_t>(number, -1);
}

// dJ/dx of each state out of an array (steps + 1, n, 3), a mapping {state: (n, 3)} or None, into the seeds.
void read_seeds(const py::object& value, const std::string& name, const Run& run, VecX StateVector::*part,
                std::vector<StateVector>& seeds) {
  if (value.is_none()) return;
  const int states = static_cast<int>(seeds.size()), n = run.task().task().vertex_count();
  if (!py::isinstance(value, py::module_::import("collections.abc").attr("Mapping"))) {
    const DoubleArray array =
        doubles(value, name, {states, n, 3}, "for each state one row a vertex", Size::kAny);
    for (int k = 0; k < states; ++k)
      seeds[k].*part = Eigen::Map<const VecX>(array.data() + Eigen::Index{3} * n * k, 3 * n);
    return;
  }
  for (const auto& [key, rows] : py::dict(value)) {
    const py::ssize_t state = whole_number(key);
    if (state < 0 || state >= states)
      throw InputError(fmt::format("{}: found the key {}; expected numbers of states from 0 to {}", name,
                                   py::cast<std::string>(py::repr(key)), states - 1));
    seeds[state].*part =
        rows_of_three(rows, fmt::format("{}[{}]", name, state), n, "one row a vertex", Size::kAny);
  }
}

Gradient vjp(Run& run, const py::object& dJ_dx, const py::object& dJ_dv) {
  std::vector<StateVector> seeds(run.trajectory().states.size());
  read_seeds(dJ_dx, "dJ_dx", run, &StateVector::x, seeds);
  read_seeds(dJ_dv, "dJ_dv", run, &StateVector::v, seeds);
  RunInputs bars;
  {
    const py::gil_scoped_release released;
    bars = run.adjoint(seeds);
  }
  std::vector<const VecX*> forces;
  for (const VecX& u_bar : bars.forces) forces.push_back(&u_bar);
  return {stacked_rows(forces, run.task().task().vertex_count()), channel_gradient(run, bars.channels),
          owning_view_of(std::move(bars.start.x)), owning_view_of(std::move(bars.start.v))};
}

py::tuple jvp(Run& run, const py::object& forces, const py::object& channels, const py::object& start_x,
              const py::object& start_v) {
  const int steps = run.trajectory().step_count(), n = run.task().task().vertex_count();
  RunInputs change{std::vector<VecX>(static_cast<std::size_t>(steps)), {}, {}};
  if (!forces.is_none()) {
    const DoubleArray array =
        doubles(forces, "forces", {steps, n, 3}, "for each step one row a vertex", Size::kAny);
    for (int k = 0; k < steps; ++k)
      change.forces[k] = Eigen::Map<const VecX>(array.data() + Eigen::Index{3} * n * k, 3 * n);
  }
  change.channels = channel_change(run, channels);
  if (!start_x.is_none())
    change.start.x = rows_of_three(start_x, "start_x", n, "one row a vertex", Size::kAny);
  if (!start_v.is_none())
    change.start.v = rows_of_three(start_v, "start_v", n, "one row a vertex", Size::kAny);
  std::vector<StateVector> states;
  {
    const py::gil_scoped_release released;
    states = run.tangent(change);
  }
  std::vector<const VecX*> x, v;
  for (const StateVector& state : states) x.push_back(&state.x), v.push_back(&state.v);
  return py::make_tuple(stacked_rows(x, n), stacked_rows(v, n));
}

}  // namespace

void bind_trajectory(py::module_& module) {
  py::class_<Crossings>(module, "Crossings");
  py::class_<Gradient>(module, "Gradient")
      .def_readonly("forces", &Gradient::forces)
      .def_readonly("channels", &Gradient::channels)
      .def_readonly("start_x", &Gradient::start_x)
      .def_readonly("start_v", &Gradient::start_v);
  py::class_<Run, RunPointer>(module, "Trajectory")
      .def_property_readonly("positions", [](const py::object& self) { return views(self, &State::x); })
      .def_property_readonly("velocities", [](const py::object& self) { return views(self, &State::v); })
      .def_property_readonly("crossings", &crossings)
      .def_property_readonly("substeps", [](const Run& run) { return run.task().task().grid.substeps; })
      .def_property_readonly("dt", [](const Run& run) { return run.task().task().grid.dt(); })
      .def_property_readonly("seconds", [](const Run& run) { return run.trajectory().seconds; })
      .def_property_readonly("residuals",
                             [](const Run& run) {
                               std::vector<double> residuals;
                               for (const StepReport& report : run.trajectory().reports)
                                 residuals.push_back(report.residual);
                               return residuals;
                             })
      .def_property_readonly("channels", [](const Run& run) { return channel_list(run.channels()); })
      .def("__len__", [](const Run& run) { return run.trajectory().states.size(); })
      .def("vjp", &vjp, py::arg("dJ_dx") = py::none(), py::arg("dJ_dv") = py::none())
      .def("jvp", &jvp, py::arg("forces") = py::none(), py::arg("channels") = py::none(),
           py::arg("start_x") = py::none(), py::arg("start_v") = py::none());
}

}  // namespace keydrape::python
