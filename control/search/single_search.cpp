#include "control/search/single_search.h"

#include <memory>
#include <utility>

#include "control/search/descent.h"
#include "control/search/starts.h"
#include "control/shooting/shooting_iterate.h"

namespace keydrape {
namespace {

// Tells the observer how far runs and sweeps are, and stops them where it asks to.
class Watch final : public ShootingObserver {
 public:
  // `most`: forward runs, at most.
  Watch(const SearchContext& context, int most) : context_(context), most_(most) {}
  // Before the first run; both outlive this.
  void attach(const ShootingProblem& problem, const SearchLedger& ledger) {
    problem_ = &problem;
    ledger_ = &ledger;
  }
  void on_step(int step, const StepReport&) override { tell(step); }
  void on_sweep_step() override { tell(-1); }
  void on_no_derivatives(const DerivativeFailure& failure) override { failure_ = sentence(failure); }
  // Of the last sweep that failed, in words; empty: none has.
  const std::string& failure() const { return failure_; }

 private:
  void tell(int step) {
    context_.observer.on_progress({context_.part, problem_->work(), ledger_->next_iteration(), most_}, step);
    if (context_.observer.should_stop()) throw SearchStopped{};
  }

  const SearchContext& context_;
  int most_;
  const ShootingProblem* problem_ = nullptr;
  const SearchLedger* ledger_ = nullptr;
  std::string failure_;
};

// The RMS misses that steering by trials need not go below, one a target [m]: near its tolerance, or where
// the task names none the one that it would have with an automatic effort.
std::vector<double> near_enough(const Task& task) {
  std::vector<Target> targets = task.targets;
  for (Target& target : targets) set_default_tolerances(target, task.length(), task.grid.interval());
  std::vector<double> aims;
  for (const KeyframeTolerance& tolerance : aimed_tolerances(targets))
    aims.push_back(ToleranceWeights::kAim * tolerance.rms);
  return aims;
}

ShootingOptions shooting_options(const SearchContext& context, ShootingObserver& observer) {
  ShootingOptions options = context.task().shooting_options();
  options.scratch = context.options.scratch;
  options.observer = &observer;
  options.near_enough = near_enough(context.task().task);
  return options;
}

class Search {
 public:
  explicit Search(const SearchContext& context)
      : context_(context),
        budget_(context.options.forward_run_budget(context.task().task.effort)),
        watch_(context, context.options.most_forward_runs(context.task().task)),
        problem_(*context.task().simulator, context.task().from(), *context.task().layout,
                 *context.task().objective, context.memory.of_run(), shooting_options(context, watch_)),
        goal_(context, problem_),
        ledger_(context, problem_, goal_) {
    watch_.attach(problem_, ledger_);
  }

  SearchResult run() {
    SearchEnd end = SearchEnd::kStopped;
    try {
      end = minimize();
    } catch (const SearchStopped&) {
    }
    ledger_.end_with_result();
    SearchResult result = std::move(ledger_).result();
    // What was asked for is then met by the best run, if not by the last.
    const bool is_spent = goal_.is_spent();
    result.summary.end = is_spent && end == SearchEnd::kForwardRuns ? SearchEnd::kMet : end;
    if (end == SearchEnd::kNoDerivatives) result.summary.reason = watch_.failure();
    result.summary.is_out_of_budget = is_spent || was_cut_off_ || end == SearchEnd::kForwardRuns;
    result.summary.is_without_weight = asks_without_weight(context_.task().task.targets);
    return result;
  }

 private:
  SearchEnd minimize() {
    std::unique_ptr<ShootingIterate> at = context_.resume ? resumed() : run_without_forces();
    if (at && ledger_.is_before_search()) {
      if (budget_ >= 2)
        at = best_start(std::move(at));
      else if (at->is_complete())
        return SearchEnd::kForwardRuns;  // the starts are made when it goes on
    }
    if (!at) return SearchEnd::kMetWithoutForces;
    const bool goes_on = context_.resume && !context_.resume->state.is_before_search;
    Descent descent(context_, problem_, goal_, ledger_, budget_);
    const OptimizerEnd end = descent.run(std::move(at), goes_on ? &context_.resume->state.progress : nullptr);
    was_cut_off_ = descent.was_cut_off();
    return search_end(end);
  }

  void open_goal() {
    goal_.open(ledger_.uncontrolled(), [this](const GoalChange& change, const ShootingIterate& at) {
      context_.observer.on_goal_change(context_.part, ledger_.next_iteration() - 1, change, at.goal());
    });
  }

  // The search as it stood when the checkpoint was written.
  std::unique_ptr<ShootingIterate> resumed() {
    SearchCheckpoint& before = *context_.resume;
    ledger_.set_uncontrolled(before.state.uncontrolled, before.state.uncontrolled_fastest);
    open_goal();
    const GoalPointer goal = goal_.restored(before.state);
    auto at = restored(problem_, std::move(before.at), goal);
    const auto best = before.best ? restored(problem_, *std::move(before.best), goal) : nullptr;
    ledger_.go_on_from(before.state, *at, best.get());
    problem_.work() = before.state.work;
    return at;
  }

  // The run that the result is compared with: no forces, or of a window those by which the ones before it
  // fade. Null where nothing is left to do.
  std::unique_ptr<ShootingIterate> run_without_forces() {
    auto free = std::make_unique<ShootingIterate>(problem_, context_.task().objective->cheapest());
    const std::size_t count = context_.task().task.targets.size();
    ledger_.set_uncontrolled(free->is_complete()
                                 ? free->misses()
                                 : std::vector<KeyframeMiss>(count, KeyframeMiss{kUnknownMiss, kUnknownMiss}),
                             free->is_complete() ? fastest_vertex(free->trajectory()) : FastestVertex{});
    open_goal();
    free->measure_by(goal_.first(*free));
    if (free->is_complete() && context_.is_whole()) context_.observer.on_uncontrolled(free->trajectory());
    const bool is_allowed = !problem_.bounds() || problem_.bounds()->contain(free->z());
    const bool is_met = is_allowed && goal_.is_met_by(*free);
    // A take whose forces are larger than they may be now is no start; what is left of them is.
    if (!is_allowed) {
      VecX z = free->z();
      problem_.bounds()->project(z);
      free = std::make_unique<ShootingIterate>(problem_, std::move(z), free->shared_goal());
    }
    const bool is_done = is_met || (free->is_complete() && context_.task().task.targets.empty());
    ledger_.set_before_search(!is_done && has_starts(context_));
    if (!is_done && !ledger_.is_before_search()) return free;
    if (free->is_complete()) {
      const double gradient_norm = free->gradient().norm();
      ledger_.record({0, free->objective(), gradient_norm, 0.0, 1, 0, *free});
      if (ledger_.is_before_search()) ledger_.checkpoint(*free, {});
    } else {
      context_.observer.on_warning(SearchWarning::kUncontrolledFailed, "");
    }
    return is_done ? nullptr : std::move(free);
  }

  // The best of all starts there are, the run without forces included.
  std::unique_ptr<ShootingIterate> best_start(std::unique_ptr<ShootingIterate> free) {
    if (context_.observer.should_stop()) throw SearchStopped{};
    Starts others = make_starts(context_, problem_, goal_, *free, ledger_.levels());
    const GoalPointer of_free = free->shared_goal();
    free->measure_by(others.goal);
    ledger_.set_before_search(false);
    std::unique_ptr<ShootingIterate>* best = &free;
    for (std::unique_ptr<ShootingIterate>& other : others.runs) {
      other->measure_by(others.goal);
      ledger_.compare(*other);
      if (goal_.merit(*other) < goal_.merit(**best)) best = &other;
    }
    // A finer search goes on with weights, which have to be those of the run that it is steered along.
    const bool is_level = context_.part.kind == SearchPart::Kind::kLevel;
    if (others.spare && !is_level) set_aside(*others.spare, **best, others.goal);
    if (best == &free) {  // by the weights that the starts have taught, and what keyframes leave open its own
      if (goal_.adaptation() && free->is_complete())
        free->measure_by(with_choices(*others.goal, of_free->states(), of_free->matched()));
      return free;
    }
    if (free->is_complete()) ledger_.begin_after_first();
    if (goal_.adaptation()) goal_.adaptation()->adapt_goal_of(**best);
    return std::move(*best);
  }

  // Keeps a run that the search does not begin with, should it be better than the one that it does. Where a
  // part of the cloth is wanted, none that misses as well, if nearer, and snatches it: its pose is our guess.
  void set_aside(ShootingIterate& spare, const ShootingIterate& start, const GoalPointer& goal) {
    if (!spare.is_complete()) return;
    ledger_.compare(spare);
    if (goal_.merit(spare) >= goal_.merit(start)) return;
    if (any_wants_a_part(start.goal().keyframes, problem_.layout()) && goal_.is_dear_miss(spare, start))
      return;
    spare.measure_by(goal);
    ledger_.keep(spare, RunRecord::kInNone, spare.gradient().norm());
  }

  const SearchContext& context_;
  int budget_;
  bool was_cut_off_ = false;
  Watch watch_;
  ShootingProblem problem_;
  SearchGoal goal_;
  SearchLedger ledger_;
};

}  // namespace

SearchResult search_at_once(const SearchContext& context) { return Search(context).run(); }

}  // namespace keydrape
