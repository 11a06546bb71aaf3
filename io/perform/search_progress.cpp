#include "io/perform/search_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/file/counted.h"
#include "io/shot/control.h"

namespace keydrape {
namespace {

// A run's sweeps are taken to be as much work as the run: so many are half of them, since how many there will
// be is known to no one.
constexpr double kHalfOfSweeps = 10.0;
// Of all work, that of coarser levels together. Not measured: they have fewer vertices or steps, and
// as many runs.
constexpr double kShareOfLevels = 0.3;

// Of all windows, each as much work as it is long, where `share` of one is done. `number`: which one, from 1.
double share_of_windows(const std::vector<IntervalRange>& windows, int number, double share) {
  double done = 0.0, all = 0.0;
  for (int k = 1; const IntervalRange& window : windows) {
    all += window.count();
    if (k <= number) done += (k < number ? 1.0 : share) * window.count();
    ++k;
  }
  return done / all;
}

}  // namespace

std::string label_of(const SearchPart& part) {
  if (part.kind != SearchPart::Kind::kLevel) return "";
  const Task& task = part.task.task;
  return fmt::format("{} vertices, {}: ", task.vertex_count(), counted(task.grid.substeps, "substep"));
}

void SearchProgress::show(const SearchPosition& at, int n) {
  if (work_ != &at.work) {  // another part
    work_ = &at.work;
    runs_ = -1;
    sweeps_before_ = 0;
  }
  if (n >= 0)
    show_run(at, n);
  else
    show_sweep(at);
}

void SearchProgress::show_run(const SearchPosition& at, int n) {
  const StepGrid& grid = at.part.task.task.grid;
  const int run = at.work.forward_simulations + 1;
  const int frame = frame_of(at.part, n, clock_.frames);
  show(at, run - 1 + 0.5 * (n + 1) / grid.step_count(),
       fmt::format("iteration {}, forward run {} of at most {}, frame {}", at.iteration, run, at.budget,
                   frame));
}

void SearchProgress::show_sweep(const SearchPosition& at) {
  const int all = at.work.adjoint_sweeps + at.work.tangent_sweeps;
  if (runs_ != at.work.forward_simulations) {
    runs_ = at.work.forward_simulations;
    sweeps_before_ = all;
  }
  const int sweeps = all - sweeps_before_;
  show(at, runs_ - 0.5 + 0.5 * sweeps / (sweeps + kHalfOfSweeps),
       sweeps == 0 ? fmt::format("iteration {}, derivatives of forward run {}", at.iteration, runs_)
                   : fmt::format("iteration {}, sweep {} of forward run {}", at.iteration, sweeps, runs_));
}

void SearchProgress::show(const SearchPosition& at, double runs, const std::string& text) {
  if (at.part.kind != SearchPart::Kind::kLevel) first_run_ = 1.0 / at.budget;
  listener_.on_progress(share_of_all(at.part, runs / at.budget), label_of(at.part) + text);
}

double SearchProgress::share_of_all(const SearchPart& part, double share) const {
  share = std::min(share, 1.0);
  if (part.kind == SearchPart::Kind::kWindow) return share_of_windows(windows_, part.window, share);
  if (levels_ == 0) return share;
  constexpr double kShareOfShot = 1.0 - kShareOfLevels;
  if (part.kind == SearchPart::Kind::kLevel)
    return kShareOfShot * first_run_ + kShareOfLevels * (levels_ - part.level + share) / levels_;
  return kShareOfShot * share + (share < first_run_ ? 0.0 : kShareOfLevels);
}

}  // namespace keydrape
