#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <vector>

#include "control/search/observer.h"

namespace keydrape::python {

// An iteration, kept.
struct Iteration {
  int number, forward_simulations;
  double objective, effort, gradient_norm, seconds;
  std::vector<double> misses;
};

// Tells Python's observer of iterations and heeds Ctrl-C. Called without the GIL.
class SearchWatch {
 public:
  // `callable`: None for no observer. Throws InputError where it is anything else that cannot be called.
  // What it raises comes out of hear(), but for KeyboardInterrupt; so does InputError, where it answers
  // neither a truth value nor None.
  explicit SearchWatch(pybind11::object callable);

  void hear(const SearchIteration& at);
  // Once true, always true.
  bool should_stop();

  const std::vector<Iteration>& history() const { return history_; }
  // What a signal's handler has thrown, KeyboardInterrupt of Ctrl-C; none: there was none.
  std::optional<pybind11::error_already_set>& signal() { return signal_; }

 private:
  pybind11::object callable_;
  std::vector<Iteration> history_;
  bool is_stopped_ = false;
  std::optional<pybind11::error_already_set> signal_;
};

}  // namespace keydrape::python
