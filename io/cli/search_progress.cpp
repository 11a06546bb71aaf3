#include "io/cli/search_progress.h"

#include <fmt/format.h>

namespace keydrape {
namespace {

// A run's sweeps are taken to be as much work as the run: so many are half of them, since how many there will
// be is known to no one.
constexpr double kHalfOfSweeps = 10.0;

}  // namespace

void SearchProgress::show_run(int iteration, int n) {
  const int run = work_.forward_simulations + 1;
  show(run - 1 + 0.5 * (n + 1) / clock_.step_count(),
       fmt::format("iteration {}, forward run {} of at most {}, frame {}", iteration, run, budget_,
                   clock_.frame_of_step(n)));
}

void SearchProgress::show_sweep(int iteration) {
  const int all = work_.adjoint_sweeps + work_.tangent_sweeps;
  if (runs_ != work_.forward_simulations) {
    runs_ = work_.forward_simulations;
    sweeps_before_ = all;
  }
  const int sweeps = all - sweeps_before_;
  show(runs_ - 0.5 + 0.5 * sweeps / (sweeps + kHalfOfSweeps),
       sweeps == 0 ? fmt::format("iteration {}, derivatives of forward run {}", iteration, runs_)
                   : fmt::format("iteration {}, sweep {} of forward run {}", iteration, sweeps, runs_));
}

void SearchProgress::show(double runs, const std::string& text) {
  progress_.update(runs / budget_, level_ + text);
}

}  // namespace keydrape
