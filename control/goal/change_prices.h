#pragma once

#include "control/goal/objective.h"

namespace keydrape {

// How much counts, so far, of what changes of forces cost (smooth_time, smooth_space). A run that is steered
// changes its forces abruptly; against the whole price a search finds nothing near it that pays, and would
// end with the roughest forces of all. So it begins where changes cost no more than the forces do, and every
// run within the tolerances raises the price.  (E7)
class ChangePrices {
 public:
  // What is remembered from one iteration to the next.
  struct Memory {
    double share = 1.0;  // GoalState::change_share
    double rise = 1.0;   // of the cost of runs, by all raises
  };

  // `price`: of changes as fast as the feedback's, over that of forces (Feedback::change_price).
  void begin(double price);
  // As where changes cost nothing, or a search has been through this.
  void begin_with_all() { now_ = {}; }

  double share() const { return now_.share; }
  bool all_count() const { return now_.share == 1.0; }
  double rise() const { return now_.rise; }
  // Once more, from a run that costs this. What the targets' weights rise by for it.
  double raise(const ObjectiveTerms& cost);

  const Memory& memory() const { return now_; }
  void remember(const Memory& memory) { now_ = memory; }

 private:
  Memory now_;
};

}  // namespace keydrape
