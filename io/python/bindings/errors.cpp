#include <pybind11/pybind11.h>

#include <exception>
#include <utility>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/python/bindings/bind.h"
#include "io/python/bindings/run.h"

namespace keydrape::python {
namespace {

namespace py = pybind11;

// Kept for as long as the interpreter runs, as extension modules are.
PyObject* simulation_error = nullptr;
PyObject* no_derivatives = nullptr;

void raise_failure(const SimulationFailure& failure) {
  const py::object error = py::reinterpret_borrow<py::object>(simulation_error)(failure.message);
  error.attr("trajectory") = failure.run ? py::cast(failure.run) : py::none();
  PyErr_SetObject(simulation_error, error.ptr());
}

}  // namespace

void bind_errors(py::module_& module) {
  py::register_exception<InputError>(module, "InputError", PyExc_ValueError).doc() =
      "Input that cannot be: the text says where, what was found and what is expected.";
  py::register_exception<OutputError>(module, "OutputError", PyExc_OSError).doc() =
      "A file could not be written.";
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
      PyErr_SetString(no_derivatives, reason.message.c_str());
    }
  });
}

}  // namespace keydrape::python
