#include "io/python/bindings/search_watch.h"

namespace keydrape::python {

namespace py = pybind11;

void SearchWatch::hear(const SearchIteration& at) {
  Iteration& kept = history_.emplace_back(Iteration{
      at.iteration, at.forward_simulations, at.objective, at.terms.effort, at.gradient_norm, at.time_s, {}});
  for (const KeyframeMiss& miss : at.misses) kept.misses.push_back(miss.rms);
  const py::gil_scoped_acquire gil;
  if (callable_.is_none() || signal_) return;
  try {
    const py::object answer = callable_(kept);
    is_stopped_ = is_stopped_ || (!answer.is_none() && answer.cast<bool>());
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
