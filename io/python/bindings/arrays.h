#pragma once

#include <pybind11/numpy.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/types.h"

// Between numpy's arrays and the library's vectors. Arrays that come in are read where they lie if they hold
// doubles row by row, and are converted once if not. Whatever does not fit throws InputError, which says the
// name of the argument, with the index where it is one number, what was found and what is expected.

namespace keydrape::python {

namespace py = pybind11;

// As in scenes: no shot means more, and products of a few of them are finite and no zeros.
inline constexpr double kLargest = 1e30, kSmallestPositive = 1e-30;

// How large numbers may be: in a task up to kLargest; whatever is finite in what a run is given, whose steps
// then fail, as those do that fly apart, or which an optimiser tries.
enum class Size { kOfTask, kAny };

using DoubleArray = py::array_t<double, py::array::c_style | py::array::forcecast>;

// An array of finite numbers of the given shape; -1: any length there. `meaning`: say "one row a vertex".
// Text and None in arrays of objects and masked entries, which numpy would read as numbers, are refused.
DoubleArray doubles(const py::handle& value, const std::string& name, const std::vector<py::ssize_t>& shape,
                    const std::string& meaning, Size size = Size::kOfTask);
// (count, 3), or count numbers, as one vector. [3 count], [count]
VecX rows_of_three(const py::handle& value, const std::string& name, py::ssize_t count,
                   const std::string& meaning, Size size = Size::kOfTask);
VecX numbers(const py::handle& value, const std::string& name, py::ssize_t count, const std::string& meaning,
             Size size = Size::kOfTask);
Vec3 three(const py::handle& value, const std::string& name);
// Numbers of vertices, from 0 to `below`, exclusive: in a list or array of one dimension, or with `width` in
// rows of so many, which come one after the other. Truth values are refused.
std::vector<int> indices(const py::handle& value, const std::string& name, int below, py::ssize_t width = 1);
// True or False, of Python or of numpy; empty: it is something else.
std::optional<bool> truth_value(const py::handle& value);
// How many dimensions the value has as an array; -1: it is none.
int dimensions(const py::handle& value);
// "name[3, 1]": number `flat` of an array of that shape.
std::string place_in(const std::string& name, const py::array& array, py::ssize_t flat);

// A read-only (n, 3) array over the memory of `x`, which `owner` keeps alive.
py::array view_of(const VecX& x, const py::handle& owner);
// The same of a vector that the array owns from now on.
py::array owning_view_of(VecX x);
// (count, n, 3), copied together; writable.
py::array stacked_rows(const std::vector<const VecX*>& rows, py::ssize_t vertex_count);

}  // namespace keydrape::python
