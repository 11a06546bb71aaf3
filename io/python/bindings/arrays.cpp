#include "io/python/bindings/arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "core/base/error.h"

namespace keydrape::python {
namespace {

std::string shape_text(const std::vector<py::ssize_t>& shape) {
  std::string text;
  for (const py::ssize_t length : shape)
    text += (text.empty() ? "" : ", ") + (length < 0 ? std::string("any") : std::to_string(length));
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

bool fits(const py::array& array, const std::vector<py::ssize_t>& shape) {
  if (array.ndim() != static_cast<py::ssize_t>(shape.size())) return false;
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (shape[k] >= 0 && array.shape(static_cast<py::ssize_t>(k)) != shape[k]) return false;
  return true;
}

// What is most often wrong with a shape, or nothing.
std::string remedy(const py::array& array, const std::vector<py::ssize_t>& shape) {
  const auto turned = [&] {
    return array.ndim() == 2 && shape.size() == 2 && (shape[0] < 0 || array.shape(1) == shape[0]) &&
           array.shape(0) == shape[1];
  };
  if (turned()) return "; give its transpose";
  if (array.ndim() == static_cast<py::ssize_t>(shape.size()) + 1 && array.shape(0) == 1)
    return "; give its first element";
  return "";
}

// As numbers, a mask would name vertices 0 and 1.
void refuse_mask(const py::handle& value, const std::string& name) {
  const py::array array = py::array::ensure(value);
  if (!array) PyErr_Clear();
  if (array && array.dtype().kind() == 'b')
    throw InputError(name + ": found truth values; expected vertex numbers; give numpy.flatnonzero(mask)");
}

// What numpy would read as numbers, text, or as not a number, None; null: neither.
const char* stranger_in(const py::array& array) {
  if (array.dtype().kind() != 'O') return nullptr;
  for (const py::handle& element : array.attr("flat")) {
    if (py::isinstance<py::str>(element) || py::isinstance<py::bytes>(element)) return "text among objects";
    if (element.is_none()) return array.ndim() == 0 ? "None" : "None among objects";
  }
  return nullptr;
}

// The value as numpy has it; nothing, and why, where numpy raises an error.
std::optional<py::array> as_array(const py::handle& value, std::string& error_text) {
  try {
    return py::array(py::reinterpret_borrow<py::object>(value));
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) throw;  // an interrupt
    error_text = fmt::format(" ({}: {})", py::cast<std::string>(error.type().attr("__name__")),
                             py::cast<std::string>(py::str(error.value())));
    return std::nullopt;
  }
}

// Numpy would read what is beneath the mask.
void refuse_masked(const py::handle& value, const std::string& name) {
  if (py::cast<bool>(py::module_::import("numpy.ma").attr("is_masked")(value)))
    throw InputError(name + ": found masked entries; expected numbers throughout; give array.filled(..)");
}

py::array read_only(py::array array) {
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

}  // namespace

DoubleArray doubles(const py::handle& value, const std::string& name, const std::vector<py::ssize_t>& shape,
                    const std::string& meaning, Size size) {
  refuse_masked(value, name);
  const std::string expected = fmt::format("expected numbers of shape {}, {}", shape_text(shape), meaning);
  std::string error_text;
  const std::optional<py::array> given = as_array(value, error_text);
  const char* stranger = given ? stranger_in(*given) : nullptr;
  // What numpy would take for numbers, text and the imaginary parts that it would drop are none.
  const bool are_numbers =
      given && !stranger && std::string_view("biufO").find(given->dtype().kind()) != std::string_view::npos;
  DoubleArray array = are_numbers ? DoubleArray::ensure(*given) : DoubleArray();
  if (!are_numbers || !array) {
    const std::string found = stranger ? stranger
                              : py::isinstance<py::array>(value)
                                  ? "an array of " + py::cast<std::string>(py::str(value.attr("dtype")))
                                  : py::cast<std::string>(py::str(py::type::of(value).attr("__name__")));
    throw InputError(fmt::format("{}: found {}{}; {}", name, found, error_text, expected));
  }
  if (!fits(array, shape)) {
    const std::vector<py::ssize_t> found(array.shape(), array.shape() + array.ndim());
    throw InputError(fmt::format("{}: found an array of shape {}; {}{}", name, shape_text(found), expected,
                                 remedy(array, shape)));
  }
  const double* end = array.data() + array.size();
  if (const double* bad = std::find_if(array.data(), end, [](double d) { return !std::isfinite(d); });
      bad != end)
    throw InputError(
        fmt::format("{}: found {}; expected finite numbers; numpy.argwhere(~numpy.isfinite(..)) "
                    "lists all that are not",
                    place_in(name, array, bad - array.data()), *bad));
  if (size == Size::kAny) return array;
  if (const double* bad = std::find_if(array.data(), end, [](double d) { return std::abs(d) > kLargest; });
      bad != end)
    throw InputError(fmt::format("{}: found {}; expected numbers from {:g} to {:g}",
                                 place_in(name, array, bad - array.data()), *bad, -kLargest, kLargest));
  return array;
}

VecX rows_of_three(const py::handle& value, const std::string& name, py::ssize_t count,
                   const std::string& meaning, Size size) {
  const DoubleArray array = doubles(value, name, {count, 3}, meaning, size);
  return Eigen::Map<const VecX>(array.data(), array.size());
}

VecX numbers(const py::handle& value, const std::string& name, py::ssize_t count, const std::string& meaning,
             Size size) {
  const DoubleArray array = doubles(value, name, {count}, meaning, size);
  return Eigen::Map<const VecX>(array.data(), array.size());
}

Vec3 three(const py::handle& value, const std::string& name) { return numbers(value, name, 3, "x, y and z"); }

std::vector<int> indices(const py::handle& value, const std::string& name, int below, py::ssize_t width) {
  refuse_mask(value, name);
  const DoubleArray array = width == 1
                                ? doubles(value, name, {-1}, "numbers of vertices")
                                : doubles(value, name, {-1, width}, fmt::format("{} vertices each", width));
  std::vector<int> result;
  for (py::ssize_t k = 0; k < array.size(); ++k) {
    const double number = array.data()[k];
    if (number != std::floor(number) || number < 0 || number >= below)
      throw InputError(fmt::format(
          "{}: found {}; expected whole numbers from 0 to {}, those of the vertices{}",
          place_in(name, array, k), number, below - 1, number == below ? "; count from 0, not from 1" : ""));
    result.push_back(static_cast<int>(number));
  }
  return result;
}

std::optional<bool> truth_value(const py::handle& value) {
  if (!py::isinstance<py::bool_>(value) && !py::isinstance(value, py::module_::import("numpy").attr("bool_")))
    return std::nullopt;
  return PyObject_IsTrue(value.ptr()) == 1;
}

int dimensions(const py::handle& value) {
  const py::array array = py::array::ensure(value);
  if (array) return static_cast<int>(array.ndim());
  PyErr_Clear();
  return -1;
}

std::string place_in(const std::string& name, const py::array& array, py::ssize_t flat) {
  std::string index;
  for (py::ssize_t d = array.ndim(); d-- > 0;) {
    const py::ssize_t length = std::max<py::ssize_t>(1, array.shape(d));
    index.insert(0, std::to_string(flat % length) + (index.empty() ? "" : ", "));
    flat /= length;
  }
  return array.ndim() == 0 ? name : name + "[" + index + "]";
}

py::array view_of(const VecX& x, const py::handle& owner) {
  return read_only(py::array_t<double>({x.size() / 3, Eigen::Index{3}}, x.data(), owner));
}

py::array owning_view_of(VecX x) {
  auto* kept = new VecX(std::move(x));  // the capsule deletes it
  const py::capsule owner(kept, [](void* vector) { delete static_cast<VecX*>(vector); });
  return py::array_t<double>({kept->size() / 3, Eigen::Index{3}}, kept->data(), owner);
}

py::array stacked_rows(const std::vector<const VecX*>& rows, py::ssize_t vertex_count) {
  py::array_t<double> array({static_cast<py::ssize_t>(rows.size()), vertex_count, py::ssize_t{3}});
  double* to = array.mutable_data();
  for (const VecX* row : rows) to = std::copy(row->data(), row->data() + row->size(), to);
  return array;
}

}  // namespace keydrape::python
