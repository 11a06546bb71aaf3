#include <pybind11/pybind11.h>

#include <exception>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/file/printable.h"
#include "io/python/bindings/bind.h"
#include "io/python/bindings/run.h"

namespace keydrape::python {
namespace {

namespace py = pybind11;

// Kept for as long as the interpreter runs, as extension modules are.
PyObject* input_error = nullptr;
PyObject* output_error = nullptr;
PyObject* simulation_error = nullptr;
PyObject* no_derivatives = nullptr;

// Python's text is UTF-8, and would be none at all of a message that quotes a file's name of other bytes.
std::string python_text(const std::string& message) {
  return is_utf8(message) ? message : printable(message);
}

void raise(PyObject* type, const std::string& message) {
  PyErr_SetString(type, python_text(message).c_str());
}

void raise_failure(const SimulationFailure& failure) {
  const py::object error = py::reinterpret_borrow<py::object>(simulation_error)(python_text(failure.message));
  error.attr("trajectory") = failure.run ? py::cast(failure.run) : py::none();
  PyErr_SetObject(simulation_error, error.ptr());
}

}  // namespace

void bind_errors(py::module_& module) {
  py::exception<InputError> input(module, "InputError", PyExc_ValueError);
  input.doc() = "Input that cannot be: the text says where, what was found and what is expected.";
  input_error = input.release().ptr();
  py::exception<OutputError> output(module, "OutputError", PyExc_OSError);
  output.doc() = "A file could not be written.";
  output_error = output.release().ptr();
  simulation_error =
      py::exception<SimulationFailure>(module, "SimulationError", PyExc_RuntimeError).release().ptr();
  no_derivatives =
      py::exception<NoDerivatives>(module, "DerivativeError", PyExc_RuntimeError).release().ptr();
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(std::move(thrown));
    } catch (const SimulationFailure& failure) {
      raise_failure(failure);
    } catch (const NoDerivatives& reason) {
      raise(no_derivatives, reason.message);
    } catch (const InputError& error) {
      raise(input_error, error.what());
    } catch (const OutputError& error) {
      raise(output_error, error.what());
    }
  });
}

}  // namespace keydrape::python
