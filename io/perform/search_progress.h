#pragma once

#include <string>
#include <vector>

#include "control/search/observer.h"
#include "io/perform/run_listener.h"
#include "io/shot/shot.h"

namespace keydrape {

// What messages about a part of a search begin with; empty: of the shot itself.
std::string label_of(const SearchPart& part);

// How far a search has come: in forward runs, of those that it may make, and in the sweeps that follow each.
class SearchProgress {
 public:
  // All outlive it.
  SearchProgress(RunListener& listener, const Shot& shot)
      : listener_(listener),
        clock_(shot.clock),
        windows_(shot.options.windows),
        levels_(shot.options.coarsening.levels) {}

  // Step n of a forward run has been made; -1: a step of a sweep comes next, or the derivatives of one.
  void show(const SearchPosition& at, int n);

 private:
  void show_run(const SearchPosition& at, int n);
  void show_sweep(const SearchPosition& at);
  void show(const SearchPosition& at, double runs, const std::string& text);
  // Of all parts of the search, where `share` of this one is done.
  double share_of_all(const SearchPart& part, double share) const;

  RunListener& listener_;
  const ShotClock& clock_;
  const std::vector<IntervalRange>& windows_;
  int levels_;                          // coarser ones, which are searched behind the shot's first run
  double first_run_ = 0.0;              // that run's share of the shot's own work
  const ShootingWork* work_ = nullptr;  // of the part that is shown
  int runs_ = -1;                       // before the sweeps that are shown; -1: none were
  int sweeps_before_ = 0;               // made before those
};

}  // namespace keydrape
