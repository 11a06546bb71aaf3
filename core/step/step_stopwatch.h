#pragma once

#include <chrono>
#include <type_traits>

#include "core/step/step_problem.h"
#include "core/step/step_times.h"

namespace keydrape {

// Tells where the time of a step goes. What is spent on looking for pairs that may touch is told apart from
// what needed them.
class StepStopwatch {
 public:
  // Both outlive the stopwatch; `times` is added to.
  StepStopwatch(const StepProblem& problem, StepTimes& times) : problem_(problem), times_(times) {}

  // Calls f, whose time goes to `part`.
  template <class F>
  std::invoke_result_t<F> operator()(double StepTimes::*part, const F& f) const {
    const Lap lap(problem_, times_, part);
    return f();
  }

 private:
  using Clock = std::chrono::steady_clock;
  class Lap {
   public:
    Lap(const StepProblem& problem, StepTimes& times, double StepTimes::*part)
        : problem_(problem), times_(times), part_(part) {}
    Lap(const Lap&) = delete;
    Lap& operator=(const Lap&) = delete;
    ~Lap() {
      const double all = std::chrono::duration<double>(Clock::now() - begin_).count();
      const double search = problem_.search_seconds() - searched_;
      times_.broad_phase += search;
      times_.*part_ += all - search;
    }

   private:
    const StepProblem& problem_;
    StepTimes& times_;
    double StepTimes::*part_;
    double searched_ = problem_.search_seconds();
    Clock::time_point begin_ = Clock::now();
  };

  const StepProblem& problem_;
  StepTimes& times_;
};

}  // namespace keydrape
