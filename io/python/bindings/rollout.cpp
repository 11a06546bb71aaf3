#include <pybind11/stl.h>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "io/python/bindings/bind.h"
#include "io/python/bindings/channel_values.h"

namespace keydrape::python {
namespace {

// Forces of each step, read where numpy keeps them.
class ArrayForces final : public ForceSchedule {
 public:
  ArrayForces(const double* data, Eigen::Index size) : data_(data), size_(size) {}
  void force(int step, VecX& u) const override { u = Eigen::Map<const VecX>(data_ + size_ * step, size_); }

 private:
  const double* data_;
  Eigen::Index size_;  // numbers of a step
};

RunPointer roll_out(const TaskPointer& task, const py::object& forces, const py::object& channels) {
  const int n = task->task().vertex_count(), steps = task->task().grid.step_count();
  std::vector<VecX> values = channel_values(*task, channels);
  DoubleArray array;  // alive while it is read
  if (!forces.is_none())
    array = doubles(forces, "forces", {steps, n, 3}, "for each step one row a vertex [N]", Size::kAny);
  const ArrayForces given(array.data(), Eigen::Index{3} * n);
  const NoForces none;
  const ForceSchedule& schedule = forces.is_none() ? static_cast<const ForceSchedule&>(none) : given;
  const py::gil_scoped_release released;
  return run_forward(task, cloth_of_run(*task, std::move(values)), schedule);
}

}  // namespace

void bind_rollout(py::module_& module) {
  module.def("rollout", &roll_out, py::arg("task").none(false), py::arg("forces") = py::none(),
             py::arg("channels") = py::none());
  module.def(
      "simulate", [](const TaskPointer& task) { return roll_out(task, py::none(), py::none()); },
      py::arg("task").none(false));
}

}  // namespace keydrape::python
