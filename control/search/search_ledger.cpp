#include "control/search/search_ledger.h"

#include <algorithm>
#include <utility>

#include "control/shooting/shooting_iterate.h"

namespace keydrape {

SearchLedger::SearchLedger(const SearchContext& context, const ShootingProblem& problem,
                           const SearchGoal& goal)
    : context_(context),
      problem_(problem),
      goal_(goal),
      iteration_(context.before.iterations - 1),
      first_iteration_(context.before.iterations),
      cg_iterations_(context.before.cg_iterations),
      time_before_s_(context.before.time_s + (context.resume ? context.resume->state.time_s : 0.0)) {}

void SearchLedger::go_on_from(const SearchState& state, const ShootingIterate& at,
                              const ShootingIterate* best) {
  iteration_ = state.iteration;
  first_iteration_ = state.first_iteration;
  stage_iteration_ = state.stage_iteration;
  cg_iterations_ = state.progress.cg_iterations;
  is_before_search_ = state.is_before_search;
  closest_ = state.closest;
  levels_ = state.levels;
  keep(best ? *best : at, 0, 0.0);
  best_->record = state.best_record;
}

void SearchLedger::record(const IterationRecord& record) {
  const auto& run = static_cast<const ShootingIterate&>(record.iterate);
  const int iteration = std::max(first_iteration_, stage_iteration_ - 1) + record.iteration;
  if (iteration == iteration_) return;
  iteration_ = iteration;
  cg_iterations_ = context_.before.cg_iterations + record.cg_iterations;
  compare(run);
  const bool is_improvement = is_better(run);
  if (is_improvement) keep(run, iteration_, record.gradient_norm);
  const std::vector<KeyframeMiss> misses = run.misses();
  SearchIteration entry = this->entry(iteration_, misses);
  entry.objective = record.objective;
  entry.terms = run.terms();
  entry.gradient_norm = record.gradient_norm;
  entry.step_length = record.step_length;
  context_.observer.on_iteration(entry);
  if (is_improvement && context_.part.kind != SearchPart::Kind::kLevel)
    context_.observer.on_improvement(context_.part, run.trajectory());
}

void SearchLedger::compare(const ShootingIterate& run) {
  if (run.is_complete()) closest_.take_in(run.misses(), problem_.work().forward_simulations);
}

void SearchLedger::keep(const ShootingIterate& run, int in_iteration, double gradient_norm) {
  best_ = SearchPoint{run.z(),
                      run.trajectory(),
                      run.misses(),
                      {in_iteration, goal_.merit(run), run.objective(), run.terms(), gradient_norm}};
}

bool SearchLedger::is_better(const ShootingIterate& run) const {
  return !best_ || goal_.merit(run) < best_->record.merit;
}

void SearchLedger::checkpoint(const ShootingIterate& at, const OptimizerProgress& progress) {
  cg_iterations_ = context_.before.cg_iterations + progress.cg_iterations;
  if (context_.part.kind == SearchPart::Kind::kWindow) return;
  // Until it is under way a level depends on what the one before has found, whose checkpoint stays.
  if (context_.part.kind == SearchPart::Kind::kLevel && is_before_search_) return;
  SearchState now;
  now.is_before_search = is_before_search_;
  now.iteration = iteration_;
  now.first_iteration = first_iteration_;
  now.stage_iteration = stage_iteration_;
  now.time_s = time_s();
  now.work = problem_.work();
  now.uncontrolled = uncontrolled_;
  now.uncontrolled_fastest = uncontrolled_fastest_;
  now.closest = closest_;
  now.weight_factors = at.goal().weight_factors;
  now.keyframe_states = at.goal().states();
  now.matched = at.goal().matched();
  now.weight_memory = goal_.memory();
  now.levels = levels_;
  now.progress = progress;
  now.best_record = best_->record;
  const RunView best{best_->z, best_->trajectory};
  context_.observer.on_checkpoint(context_.part, now, {at.z(), at.trajectory()},
                                  at.z() == best.z ? nullptr : &best);
}

void SearchLedger::end_with_result() {
  if (!context_.is_whole() || !best_ || best_->record.iteration == iteration_) return;
  SearchIteration entry = this->entry(iteration_ + 1, best_->misses);
  entry.objective = best_->record.objective;
  entry.terms = best_->record.terms;
  entry.gradient_norm = best_->record.gradient_norm;
  entry.is_result = true;
  context_.observer.on_iteration(entry);
}

SearchIteration SearchLedger::entry(int iteration, const std::vector<KeyframeMiss>& misses) const {
  return {.part = context_.part,
          .iteration = iteration,
          .forward_simulations = forward_simulations(),
          .cg_iterations = cg_iterations_,
          .time_s = time_s(),
          .misses = misses};
}

int SearchLedger::forward_simulations() const {
  return context_.before.forward_simulations + problem_.work().forward_simulations;
}

double SearchLedger::time_s() const { return time_before_s_ + elapsed_.seconds(); }

PartCounts SearchLedger::counts() const {
  return {iteration_ + 1, forward_simulations(), cg_iterations_, time_s()};
}

SearchResult SearchLedger::result() && {
  SearchResult result;
  SearchSummary& summary = result.summary;
  const PartCounts counts = this->counts();
  summary.uncontrolled = uncontrolled_;
  summary.uncontrolled_fastest = uncontrolled_fastest_;
  summary.closest = std::move(closest_);
  summary.work = problem_.work();
  summary.levels = std::move(levels_);
  summary.iterations = counts.iterations;
  summary.cg_iterations = counts.cg_iterations;
  summary.forward_simulations = counts.forward_simulations;
  summary.time_s = counts.time_s;
  result.weight_factors = goal_.weight_factors();
  if (best_) {
    result.targets = target_outcomes(context_.task().task.targets, best_->misses, uncontrolled_);
    result.best = std::move(best_);
  }
  return result;
}

}  // namespace keydrape
