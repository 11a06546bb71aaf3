#pragma once

#include <memory>

#include "control/search/search_context.h"
#include "control/search/search_goal.h"
#include "control/search/search_ledger.h"

namespace keydrape {

// The optimisers at work for a search: Gauss-Newton, or L-BFGS or descent in stages, within bounds or not.
class Descent {
 public:
  // All outlive it.
  Descent(const SearchContext& context, ShootingProblem& problem, SearchGoal& goal, SearchLedger& ledger,
          int forward_run_budget)
      : context_(context), problem_(problem), goal_(goal), ledger_(ledger), budget_(forward_run_budget) {}

  // From a run on, to the end. `resume`: where the optimiser of a checkpoint stood, at that run; null: at its
  // beginning. Throws what the observer throws.
  OptimizerEnd run(std::unique_ptr<ShootingIterate> at, OptimizerProgress* resume);
  // Whether the runs were all used up, even if all that was asked for was met by then.
  bool was_cut_off() const { return was_cut_off_; }

 private:
  OptimizerOptions options(OptimizerProgress* resume);
  IterationObserver observer();
  OptimizerEnd by_gauss_newton(std::unique_ptr<ShootingIterate> at, OptimizerProgress* resume);
  OptimizerEnd by_lbfgs(std::unique_ptr<ShootingIterate> at, OptimizerProgress* resume);
  OptimizerResult lbfgs_stage(std::unique_ptr<ShootingIterate> at, OptimizerProgress* resume);
  Verdict judge_at_rest(ShootingIterate& at);

  const SearchContext& context_;
  ShootingProblem& problem_;
  SearchGoal& goal_;
  SearchLedger& ledger_;
  int budget_;
  bool was_cut_off_ = false;
};

}  // namespace keydrape
