#pragma once

#include <string>

#include "control/shooting/shooting_problem.h"
#include "io/cli/progress.h"
#include "io/scene/shot_clock.h"

namespace keydrape {

// How far a search has come: in forward runs, of those that it may make, and in the sweeps that follow each.
class SearchProgress {
 public:
  // `level`: what the text begins with. `budget`: forward runs allowed. The rest outlives this.
  SearchProgress(Progress& progress, std::string level, const ShotClock& clock, const ShootingWork& work,
                 int budget)
      : progress_(progress), level_(std::move(level)), clock_(clock), work_(work), budget_(budget) {}

  // Step n of a forward run has been made, on the way to `iteration`.
  void show_run(int iteration, int n);
  // A step of a sweep comes next, or the derivatives of one.
  void show_sweep(int iteration);

 private:
  void show(double runs, const std::string& text);

  Progress& progress_;
  std::string level_;
  const ShotClock& clock_;
  const ShootingWork& work_;
  int budget_;
  int runs_ = -1;          // before the sweeps that are shown; -1: none were
  int sweeps_before_ = 0;  // made before those
};

}  // namespace keydrape
