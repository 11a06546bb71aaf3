#include "io/python/bindings/search_watch.h"

#include <string>
#include <utility>

#include "core/base/error.h"
#include "io/python/bindings/arrays.h"

namespace keydrape::python {

namespace py = pybind11;

namespace {

std::string type_of(const py::object& value) {
  return py::cast<std::string>(py::type::of(value).attr("__name__"));
}

// What answers with a length, or with how much it has written, means something else.
bool ends_search(const py::object& answer) {
  if (answer.is_none()) return false;
  if (const std::optional<bool> is_end = truth_value(answer)) return *is_end;
  throw InputError("observer: found an answer of type " + type_of(answer) +
                   "; expected True, to end the search, False or None; return None to go on");
}

}  // namespace

SearchWatch::SearchWatch(py::object callable) : callable_(std::move(callable)) {
  if (callable_.is_none() || PyCallable_Check(callable_.ptr())) return;
  throw InputError("observer: found a value of type " + type_of(callable_) +
                   "; expected a function that is called with every Iteration, or None; name a folder as "
                   "folder=");
}

void SearchWatch::hear(const SearchIteration& at) {
  Iteration& kept = history_.emplace_back(Iteration{
      at.iteration, at.forward_simulations, at.objective, at.terms.effort, at.gradient_norm, at.time_s, {}});
  for (const KeyframeMiss& miss : at.misses) kept.misses.push_back(miss.rms);
  const py::gil_scoped_acquire gil;
  if (callable_.is_none() || signal_) return;
  try {
    const py::object answer = callable_(kept);
    is_stopped_ = ends_search(answer) || is_stopped_;
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    signal_.emplace(error);  // Ctrl-C while the observer was at it
    is_stopped_ = true;
  }
}

bool SearchWatch::should_stop() {
  if (is_stopped_) return true;
  const py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) {
    signal_.emplace();
    is_stopped_ = true;
  }
  return is_stopped_;
}

}  // namespace keydrape::python
