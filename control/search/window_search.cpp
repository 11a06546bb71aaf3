#include "control/search/window_search.h"

#include <memory>
#include <optional>
#include <utility>

#include "control/run/rollout.h"
#include "control/search/single_search.h"
#include "control/task/later_forces.h"
#include "control/task/window_task.h"

namespace keydrape {
namespace {

// Appends the steps of a run that begins where the other ends. Their forces are recalled at the end: what a
// checkpoint has of the steps before comes without.
void append(Trajectory& run, const Trajectory& more) {
  run.states.insert(run.states.end(), more.states.begin() + 1, more.states.end());
  run.reports.insert(run.reports.end(), more.reports.begin(), more.reports.end());
  run.seconds.insert(run.seconds.end(), more.seconds.begin(), more.seconds.end());
}

void keep_steps(Trajectory& run, int count) {
  run.states.resize(static_cast<std::size_t>(count) + 1);
  run.reports.resize(static_cast<std::size_t>(count));
  run.seconds.resize(static_cast<std::size_t>(count));
}

class WindowSearch {
 public:
  explicit WindowSearch(const SearchContext& context)
      : context_(context), z_(VecX::Zero(context.task().layout->size())) {}

  SearchResult run() {
    SearchSummary& summary = result_.summary;
    const std::vector<IntervalRange>& windows = context_.options.windows;
    const int count = static_cast<int>(windows.size());
    try {
      if (context_.resume)
        go_on(*context_.resume);
      else
        run_without_control();
      while (done_.count < count && solve(windows[static_cast<std::size_t>(done_.count)])) {
        ++done_.count;
        checkpoint();
      }
      result_.best.reset();  // the windows so far are no run of the whole task
      if (done_.count == count) run_on_to_the_end();
      if (!result_.best && !is_stopped_ && done_.count > 0) result_.z_of_windows = z_;
      if (!result_.best && done_.count == count) done_.end = SearchEnd::kStartFailed;
    } catch (const SearchStopped&) {
      is_stopped_ = true;
    }
    if (is_stopped_) result_.best.reset();
    summary.end = is_stopped_ ? SearchEnd::kStopped : done_.end.value_or(SearchEnd::kAtRest);
    summary.reason = done_.reason;
    summary.is_without_weight = asks_without_weight(task().targets);
    summary.windows_done = done_.count;
    summary.window_count = count;
    summary.is_out_of_budget = !done_.spent.empty();
    summary.windows_spent = done_.spent;
    summary.is_of_part =
        windows.front().first > 0 || windows.back().last < context_.task().task.grid.interval_count;
    summary.iterations = counts_.iterations;
    summary.cg_iterations = counts_.cg_iterations;
    summary.forward_simulations = counts_.forward_simulations;
    summary.time_s = counts_.time_s;
    if (result_.best)
      result_.targets = target_outcomes(task().targets, result_.best->misses, summary.uncontrolled);
    return std::move(result_);
  }

 private:
  const Task& task() const { return context_.task().task; }
  int budget() const { return context_.options.forward_run_budget(task().effort); }
  int step_count() const { return task().grid.step_count(); }

  // Of a target that may slide where it was met, as the windows have it; if nowhere, at the best it has.
  std::vector<KeyframeMiss> misses() const {
    const StateSource states = states_of(run_);
    std::vector<KeyframeMiss> misses;
    for (std::size_t k = 0; k < task().targets.size(); ++k) {
      const auto met = met_until(task(), k, states, run_.step_count());
      misses.push_back(met ? *met : measure_miss(task().targets[k].keyframe, states, task().length()));
    }
    return misses;
  }

  // Everything that the windows to come depend on.
  void checkpoint() {
    SearchState now;
    const GoalState& goal = *context_.task().objective->first_goal();
    now.iteration = counts_.iterations - 1;
    now.time_s = counts_.time_s;
    now.work = result_.summary.work;
    now.uncontrolled = result_.summary.uncontrolled;
    now.uncontrolled_fastest = result_.summary.uncontrolled_fastest;
    now.weight_factors = goal.weight_factors;
    now.keyframe_states = goal.states();
    now.progress.cg_iterations = counts_.cg_iterations;
    done_.forward_simulations = counts_.forward_simulations;
    done_.budget = budget();
    now.windows = done_;
    context_.observer.on_checkpoint(context_.part, now, {z_, run_}, nullptr);
  }

  // The search as it stood when the checkpoint was written.
  void go_on(SearchCheckpoint& before) {
    const SearchState& state = before.state;
    done_ = state.windows.value();
    z_ = std::move(before.at.z);
    run_ = std::move(before.at.trajectory);
    counts_ = {state.iteration + 1, done_.forward_simulations, state.progress.cg_iterations, state.time_s};
    result_.summary.uncontrolled = state.uncontrolled;
    result_.summary.uncontrolled_fastest = state.uncontrolled_fastest;
    result_.summary.work = state.work;
    if (const int kept = windows_kept(done_, budget()); kept < done_.count) take_up_again(kept);
  }

  // All windows but so many, with the forces that they came to.
  void take_up_again(int kept) {
    done_.count = kept;
    if (done_.first_missed && *done_.first_missed >= done_.count) {
      done_.first_missed.reset();
      done_.end.reset();
      done_.reason.clear();
    }
    std::erase_if(done_.spent, [&](int window) { return window >= done_.count; });
  }

  // From the last state of run_ to the end of the task under the forces of z_, as far as it comes.
  void run_on_to_the_end() {
    const PreparedTask& whole = context_.task();
    const int first = run_.step_count();
    SimulatorOptions options = whole.simulator->options();
    options.first_step += first;
    const Simulator simulator(*whole.model, options);
    const auto forces = std::make_shared<const ControlForces>(*whole.layout, z_, whole.base());
    const Trajectory rest = rollout(simulator, run_.from(first), LaterForces(forces, first),
                                    step_count() - first, [this](int, const StepReport&) {
                                      if (context_.observer.should_stop()) throw SearchStopped{};
                                      return true;
                                    });
    ShootingWork& work = result_.summary.work;
    if (rest.step_count() > 0) ++work.forward_simulations;
    work.count_steps(rest.reports);
    for (const double seconds : rest.seconds) work.forward_s += seconds;
    append(run_, rest);
    result_.best.reset();
    if (!is_complete()) return;
    result_.best = SearchPoint{z_, run_, misses(), {}};
    result_.best->record.iteration = RunRecord::kInNone;
    recall_forces(*whole.simulator, *forces, result_.best->trajectory);
  }

  bool is_complete() const {
    return run_.step_count() == step_count() && run_.first_failure() == run_.step_count();
  }

  // The take, or the cloth by itself: what comes before the first window, and what the result
  // is compared with.
  void run_without_control() {
    run_.states = {context_.task().start()};
    run_on_to_the_end();
    if (!result_.best) {
      context_.observer.on_warning(SearchWarning::kUncontrolledFailed, "");
      result_.summary.uncontrolled.assign(task().targets.size(), {kUnknownMiss, kUnknownMiss});
      return;
    }
    result_.summary.uncontrolled = result_.best->misses;
    result_.summary.uncontrolled_fastest = fastest_vertex(run_);
    context_.observer.on_uncontrolled(run_);
    checkpoint();
  }

  // Whether the next window has a state to begin at.
  bool solve(const IntervalRange& range) {
    const PreparedTask& whole = context_.task();
    const int first = range.first * task().grid.substeps;
    if (run_.first_failure() < first) {
      if (!done_.first_missed) done_.first_missed = done_.count;
      done_.end = SearchEnd::kStartFailed;
      return false;
    }
    keep_steps(run_, first);
    const int count = static_cast<int>(context_.options.windows.size());
    const BesideWindow beside{run_, z_, done_.count + 1 == count};
    const PreparedTask window = prepare(window_of(whole, range, beside), whole.model);
    const WindowUnknowns unknowns(whole, window, range);
    const VecX begin_with = unknowns.of_window(known_so_far());
    const SearchContext part{{SearchPart::Kind::kWindow, range, window, done_.count + 1, count, &run_},
                             context_.options,
                             context_.memory,
                             context_.observer,
                             nullptr,
                             counts_,
                             &begin_with,
                             {}};
    context_.observer.on_part(part.part);
    const SearchResult found = search_at_once(part);
    const SearchSummary& summary = found.summary;
    counts_ = {summary.iterations, summary.forward_simulations, summary.cg_iterations, summary.time_s};
    result_.summary.work += summary.work;
    if (summary.is_out_of_budget) done_.spent.push_back(done_.count);
    is_stopped_ = summary.is_stopped();
    if (!is_stopped_) note_end(found, window.task.targets);
    if (is_stopped_ || !found.best) return false;
    unknowns.put(found.best->z, z_);
    append(run_, found.best->trajectory);
    return true;
  }

  // The forces of the windows that were searched, and behind them those of the first guess. One that is taken
  // up again was searched before: that it needed forces shows.
  VecX known_so_far() const {
    VecX z = z_;
    if (!context_.options.first_guess) return z;
    int window = 0;
    Eigen::Index known = 0, begin = 0;
    for (const IntervalRange& range : context_.options.windows) {
      const Eigen::Index end = unknowns_before(context_.task(), range.last);
      if (window++ < done_.count || !z.segment(begin, end - begin).isZero(0.0)) known = end;
      begin = end;
    }
    const Eigen::Index behind = z.size() - known;
    z.tail(behind) = context_.options.first_guess->z.tail(behind);
    return z;
  }

  // A window where nothing has weight has nothing to say of the search, unless it fails. One that cannot be
  // simulated is the last.
  void note_end(const SearchResult& found, const std::vector<Target>& targets) {
    const auto is_aim = [](const Target& target) { return target.keyframe.has_weight(); };
    const bool has_aims = std::any_of(targets.begin(), targets.end(), is_aim);
    if (!found.best) {
      if (!done_.first_missed) done_.first_missed = done_.count;
      done_.end = found.summary.end;
      done_.reason = found.summary.reason;
      return;
    }
    bool goes_well = true;
    for (std::size_t k = 0; k < targets.size(); ++k)
      goes_well = goes_well && (!is_aim(targets[k]) || found.targets[k].reached());
    if (done_.first_missed || (goes_well && !has_aims && done_.end)) return;
    if (!goes_well) done_.first_missed = done_.count;
    const SearchEnd end = found.summary.end;
    // Without any force only if no window needed one.
    if (!(end == SearchEnd::kMetWithoutForces && done_.end == SearchEnd::kMet)) done_.end = end;
    done_.reason = found.summary.reason;
  }

  const SearchContext& context_;
  VecX z_;          // of the whole task
  Trajectory run_;  // its states so far
  PartCounts counts_;
  WindowsDone done_;
  bool is_stopped_ = false;
  SearchResult result_;
};

}  // namespace

int windows_kept(const WindowsDone& done, int budget) {
  const bool has_more = done.budget > 0 && budget > done.budget;
  return has_more && !done.spent.empty() ? done.spent.front() : done.count;
}

SearchResult search_in_windows(const SearchContext& context) { return WindowSearch(context).run(); }

}  // namespace keydrape
