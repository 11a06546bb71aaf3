#pragma once

#include <string>
#include <vector>

#include "io/python/bindings/arrays.h"
#include "io/python/bindings/run.h"

// Channels of Python: for each of a task's one array of its numbers, in SI units (control/EQUATIONS.md (C5)).

namespace keydrape::python {

// One vector a channel; empty where `value` is None. Throws InputError: not as many as the task has, or of
// another size, or not above 0 where a number has to be.
std::vector<VecX> channel_values(const BuiltTask& task, const py::object& value);
// What a channel of the task is called: as Channel(kind=...) takes it, or of a scene as the scene does.
std::string channel_kind(const BuiltTask& task, std::size_t number);
py::list channel_list(const std::vector<VecX>& values);

// From dJ/dc to dJ/dp at the values p of the run, and from dp to dc.
py::list channel_gradient(const Run& run, const VecX& c_bar);
VecX channel_change(const Run& run, const py::object& value);

}  // namespace keydrape::python
