#include "io/cli/search.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "control/optimize/bounded.h"
#include "control/search/goal_revision.h"
#include "control/search/tolerance_weights.h"
#include "core/mesh/mesh.h"
#include "io/cli/obstacle.h"
#include "io/cli/search_beginning.h"
#include "io/cli/search_log.h"
#include "io/cli/search_progress.h"
#include "io/cli/stopwatch.h"
#include "io/file/interrupt.h"
#include "io/run/run_outputs.h"
#include "io/run/scratch_folder.h"
#include "io/run/take_departure.h"
#include "io/shot/control.h"

namespace keydrape {
namespace {

// A miss that could not be measured; null in the summary.
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// A run that has no line of its own: it was met in a line search, or the search did not begin with it.
constexpr int kNotInLog = -1;
// Tolerances of a hundredth of the first miss need a model that is minimised further than a fixed effort's
// (OptimizerOptions::cg_model_tolerance): weights would rise to make up for it.
constexpr double kToleranceModel = 0.02;

class Search {
 public:
  explicit Search(const SearchArguments& arguments)
      : in_(arguments),
        before_(arguments.window ? arguments.window->before : WindowCounts{}),
        problem_(*in_.shot.simulator, in_.shot.start, *in_.shot.layout, *in_.shot.objective,
                 in_.memory.of_run()),
        beginning_(in_, problem_),
        log_(in_.folder, in_.shot, in_.progress, in_.level,
             arguments.window ? arguments.window->earlier_lines
                              : earlier_convergence_lines(in_.folder, in_.checkpoint)),
        first_iteration_(before_.iterations) {
    budget_ = forward_simulation_budget(in_.scene.control);
    progress_.emplace(in_.progress, in_.level, in_.shot.clock, problem_.work(), budget_);
    const scene::Solver& solver = in_.scene.solver;
    if (solver.scratch_gb > 0)
      problem_.keep_in(scratch_.emplace(solver.scratch_dir.empty() ? in_.folder.path() : solver.scratch_dir,
                                        in_.memory.scratch, in_.memory.budget));
    if (in_.shot.base) problem_.start_from(*in_.shot.base);
    if (in_.shot.channels) problem_.open(*in_.shot.channels);
    if (in_.scene.control.max_acceleration) problem_.limit(open_bounds(in_.scene, in_.shot));
    problem_.observe_steps([this](int n, const StepReport&) {
      progress_->show_run(iteration_ + 1, n);
      heed_signals();
      return true;
    });
    problem_.observe_sweeps([this] {
      progress_->show_sweep(iteration_ + 1);
      heed_signals();
    });
  }

  SearchResult run() {
    try {
      minimize();
    } catch (const Interrupted&) {
      result_.interrupted = true;
    }
    if (failure_) std::rethrow_exception(failure_);
    end_log_with_result();
    if (result_.interrupted)
      result_.end = result_.best ? "this is the best so far; --resume goes on" : "in the first run";
    result_.work = problem_.work();
    if (in_.window) result_.convergence = log_.lines();
    result_.counts = {iteration_ + 1, forward_simulations(), cg_iterations_, time_s()};
    return std::move(result_);
  }

 private:
  void minimize() {
    std::unique_ptr<ShootingIterate> at = in_.checkpoint ? resumed() : run_without_forces();
    if (at && is_before_search_) at = best_beginning(std::move(at));
    if (!at) return;
    const bool lbfgs = in_.scene.control.method == scene::ControlMethod::kLbfgs;
    const OptimizerResult optimum =
        lbfgs ? minimize_by_lbfgs(std::move(at)) : minimize_by_gauss_newton(std::move(at));
    result_.end =
        optimum.end == OptimizerEnd::kDone ? met_sentence(in_.scene, in_.shot) : sentence(optimum.end);
    result_.out_of_budget = optimum.end == OptimizerEnd::kMaxEvaluations;
    if (optimum.end == OptimizerEnd::kStopped && !failure_) result_.interrupted = true;
  }

  OptimizerOptions optimizer_options() {
    OptimizerOptions options;
    options.resume = resume_;
    options.remembered_path = in_.memory.remembered_path;
    if (in_.memory.memory_pairs > 0) options.memory_pairs = in_.memory.memory_pairs;
    const int evaluations_before = resume_ ? resume_->evaluations : 1;
    options.max_evaluations = std::max(1, budget_ - problem_.work().forward_simulations + evaluations_before);
    options.keep_progress = [this](const OptimizerProgress& progress, const Point& at) {
      return guarded([&] { checkpoint(static_cast<const ShootingIterate&>(at), progress); });
    };
    return options;
  }

  OptimizerResult minimize_by_gauss_newton(std::unique_ptr<ShootingIterate> at) {
    OptimizerOptions options = optimizer_options();
    if (tolerances_) {
      options.cg_loose_model_tolerance = options.cg_model_tolerance;
      options.cg_model_tolerance = kToleranceModel;
      options.reviser = &*tolerances_;
    }
    if (goal_) options.reviser = &*goal_;
    const auto observer = [this](const IterationRecord& record) {
      return guarded([&] { record_iteration(record); });
    };
    if (problem_.bounds())
      return minimize_projected_gauss_newton(std::move(at), *problem_.bounds(), options, observer);
    return minimize_gauss_newton(std::move(at), options, observer);
  }

  // With effort = "auto", or a goal that is adapted to the run, in stages, each with one of its own: pairs of
  // gradients from two objectives make no curvature.
  OptimizerResult minimize_by_lbfgs(std::unique_ptr<ShootingIterate> at) {
    constexpr double kStageTolerance = 1e-2;
    const auto observer = [this](const IterationRecord& record) {
      return guarded([&] { record_iteration(record); });
    };
    while (true) {
      OptimizerOptions options = optimizer_options();
      if (tolerances_ || goal_) options.objective_tolerance = kStageTolerance;
      // The best point is simulated once more afterwards.
      options.max_evaluations = std::max(1, options.max_evaluations - 1);
      OptimizerResult optimum =
          problem_.bounds()
              ? minimize_bounded_lbfgs(problem_, std::move(at), *problem_.bounds(), options, observer)
              : minimize_lbfgs(problem_, std::move(at), options, observer);
      resume_ = nullptr;
      stage_iteration_ = iteration_ + 1;
      if (failure_ || optimum.end == OptimizerEnd::kStopped || optimum.end == OptimizerEnd::kStartFailed ||
          optimum.end == OptimizerEnd::kFlat)
        return optimum;
      at = std::make_unique<ShootingIterate>(problem_, optimum.z);
      // The best point may have been met in a line search that the budget cut off.
      if (result_.best && merit(*at) < result_.best->record.merit)
        keep(*at, {kNotInLog, merit(*at), at->objective(), at->terms(), optimum.gradient_norm});
      if (!(tolerances_ || goal_) || optimum.end == OptimizerEnd::kMaxEvaluations) return optimum;
      const bool is_adapted = goal_ && goal_->adapt_to(*at);
      Revision revision = tolerances_ ? tolerances_->revise_at_rest(*at) : Revision::kNone;
      if (revision == Revision::kNone && is_adapted) revision = Revision::kChanged;
      if (revision == Revision::kDone) optimum.end = OptimizerEnd::kDone;
      if (revision != Revision::kChanged) return optimum;
      if (problem_.work().forward_simulations >= budget_) {
        optimum.end = OptimizerEnd::kMaxEvaluations;
        return optimum;
      }
    }
  }

  // With effort = "auto": from the misses without forces to the objective's weights. With a goal that runs
  // have a say in: what adapts it.
  void open_goal() {
    Objective& objective = *in_.shot.objective;
    if (in_.scene.control.effort.automatic)
      tolerances_.emplace(problem_, objective, aimed_tolerances(in_.shot.keyframes), result_.uncontrolled);
    if (objective.is_adaptive())
      goal_.emplace(objective, tolerances_ ? &*tolerances_ : nullptr,
                    [this](const GoalChange& change) { log_.report(iteration_, change); });
  }

  // The search as it stood when the checkpoint was written.
  std::unique_ptr<ShootingIterate> resumed() {
    const Checkpoint& before = *in_.checkpoint;
    result_.uncontrolled = before.uncontrolled;
    open_goal();
    in_.shot.objective->set_weight_factors(before.weight_factors);
    iteration_ = before.iteration;
    first_iteration_ = before.first_iteration;
    stage_iteration_ = before.stage_iteration;
    cg_iterations_ = before.progress.cg_iterations;
    is_before_search_ = before.is_before_search;
    if (!is_before_search_) resume_ = &before.progress;
    if (tolerances_) tolerances_->remember(before.weight_memory);
    auto at = restored(problem_, before.at);
    if (goal_) in_.shot.objective->adapt_to(at->trajectory(), before.keyframe_states);
    at->objective_changed();
    if (before.best)
      keep(*restored(problem_, *before.best), before.best_record);
    else
      keep(*at, before.best_record);
    problem_.work() = before.work;
    result_.closest = before.closest;
    result_.levels = before.levels;
    checkpointed_iteration_ = iteration_;
    return at;
  }

  double merit(const ShootingIterate& at) const {
    if (!at.is_complete()) return at.objective();
    return tolerances_ ? tolerances_->merit(at) : at.adapted_objective();
  }

  // The run that the result is compared with. Null where nothing is left to do.
  std::unique_ptr<ShootingIterate> run_without_forces() {
    auto free = std::make_unique<ShootingIterate>(problem_, VecX::Zero(problem_.size()));
    if (free->is_complete())
      result_.uncontrolled = free->misses();
    else
      result_.uncontrolled.assign(in_.shot.keyframes.size(), {kUnknown, kUnknown});
    if (free->is_complete() && in_.shot.base && is_whole())
      log_.warn(departure_from_take(in_.scene, in_.shot, free->trajectory()));
    open_goal();
    if (goal_ && free->is_complete()) choose_first_states(problem_, *in_.shot.objective, free->trajectory());
    free->objective_changed();
    const bool is_allowed = !problem_.bounds() || problem_.bounds()->contain(free->z());
    const bool is_met =
        is_allowed && tolerances_ && free->is_complete() && tolerances_->all_met(free->misses());
    // A take whose forces are larger than they may be now is no start; what is left of them is.
    if (!is_allowed) {
      if (is_whole()) write_uncontrolled(in_.scene, in_.shot, free->trajectory(), in_.folder);
      VecX z = free->z();
      problem_.bounds()->project(z);
      free = std::make_unique<ShootingIterate>(problem_, std::move(z));
    }
    is_before_search_ = !is_met && beginning_.exists() && budget_ >= 2;
    if (!is_met && !is_before_search_) return free;
    if (free->is_complete()) {
      const double gradient_norm = free->gradient().norm();
      record_iteration({0, free->objective(), gradient_norm, 0.0, 1, 0, *free});
      if (is_before_search_) checkpoint(*free, {});
    } else {
      log_.warn("the cloth without forces could not be simulated to the end; going on with the guided run");
    }
    if (!is_met) return free;
    result_.end = fmt::format("{} without any force", met_sentence(in_.scene, in_.shot));
    return nullptr;
  }

  // The best of all there are, the run without forces included.
  std::unique_ptr<ShootingIterate> best_beginning(std::unique_ptr<ShootingIterate> free) {
    heed_signals();
    free->release_derivatives();  // other runs, and coarser levels, need the memory
    Beginnings others = beginning_.make(*free, tolerances_ ? &*tolerances_ : nullptr, result_.levels);
    free->objective_changed();
    is_before_search_ = false;
    std::unique_ptr<ShootingIterate>* best = &free;
    for (std::unique_ptr<ShootingIterate>& other : others.runs) {
      other->objective_changed();
      compare(*other);
      if (merit(*other) < merit(**best)) best = &other;
    }
    if (others.spare) set_aside(*others.spare, **best);
    if (best == &free) return free;
    if (free->is_complete()) ++first_iteration_;
    if (goal_) goal_->adapt_to(**best);
    return std::move(*best);
  }

  // Keeps a run that the search does not begin with, should it be better than the one that it does.
  void set_aside(ShootingIterate& spare, const ShootingIterate& beginning) {
    if (!spare.is_complete() || merit(spare) >= merit(beginning)) return;
    spare.objective_changed();
    compare(spare);
    keep(spare, {kNotInLog, merit(spare), spare.objective(), spare.terms(), spare.gradient().norm()});
  }

  // An exception must not pass through the optimiser: LBFGS++ reports its own failures by the same types.
  // Interrupts are none.
  template <class Action>
  bool guarded(const Action& action) {
    try {
      action();
    } catch (const std::exception&) {
      failure_ = std::current_exception();
      return false;
    }
    return true;
  }

  void record_iteration(const IterationRecord& record) {
    const Stopwatch writing;
    const auto& iterate = static_cast<const ShootingIterate&>(record.iterate);
    const bool is_first = !result_.best;
    const int iteration = std::max(first_iteration_, stage_iteration_ - 1) + record.iteration;
    if (iteration == iteration_) return;  // the run that the optimiser starts from
    iteration_ = iteration;
    compare(iterate);
    if (is_first && is_whole() && iterate.z().isZero(0.0))
      write_uncontrolled(in_.scene, in_.shot, iterate.trajectory(), in_.folder);
    const bool is_improvement = is_first || merit(iterate) < result_.best->record.merit;
    if (is_improvement)
      keep(iterate, {iteration_, merit(iterate), record.objective, iterate.terms(), record.gradient_norm});
    report(record, iterate);
    if (is_improvement && is_whole()) in_.on_improvement(iterate.trajectory());
    result_.io_s += writing.seconds();
  }

  void compare(const ShootingIterate& run) {
    if (run.is_complete()) result_.closest.take_in(run.misses(), problem_.work().forward_simulations);
  }

  // Of a shot as it is, which leaves files of its own.
  bool is_whole() const { return !in_.window && in_.level.empty(); }

  void keep(const ShootingIterate& iterate, const BestRecord& record) {
    result_.best = SearchPoint{iterate.z(), iterate.trajectory(), iterate.misses(), record};
  }

  // Everything that the search depends on from here.
  void checkpoint(const ShootingIterate& at, const OptimizerProgress& progress) {
    if (!is_whole()) return;
    const Stopwatch writing;
    Checkpoint now;
    now.scene = in_.fingerprint;
    now.layout = layout_fingerprint(*in_.shot.layout);
    now.is_before_search = is_before_search_;
    now.iteration = iteration_;
    now.first_iteration = first_iteration_;
    now.stage_iteration = stage_iteration_;
    now.time_s = time_s();
    now.work = problem_.work();
    now.uncontrolled = result_.uncontrolled;
    now.closest = result_.closest;
    now.weight_factors = in_.shot.objective->weight_factors();
    now.keyframe_states = in_.shot.objective->states();
    if (tolerances_) now.weight_memory = tolerances_->memory();
    now.levels = result_.levels;
    now.progress = progress;
    now.best_record = result_.best->record;
    const RunView best{result_.best->z, result_.best->trajectory};
    write_checkpoint(in_.folder, now, {at.z(), at.trajectory()}, at.z() == best.z ? nullptr : &best);
    checkpointed_iteration_ = iteration_;
    result_.io_s += writing.seconds();
  }

  // convergence.jsonl ends with what summary.json reports.
  void end_log_with_result() {
    if (!is_whole() || !result_.best || result_.best->record.iteration == iteration_) return;
    const BestRecord& best = result_.best->record;
    log_.write({iteration_ + 1, best.objective, best.terms, best.gradient_norm, 0.0,
                problem_.work().forward_simulations, cg_iterations_, time_s(), std::nullopt},
               result_.best->misses);
  }

  void heed_signals() {
    throw_if_interrupted();
    if (!checkpoint_requested()) return;
    in_.progress.clear();
    if (!is_whole())
      spdlog::info("--resume goes on at the beginning of this {}", in_.window ? "window" : "coarser level");
    else if (checkpointed_iteration_ < 0)
      spdlog::info("no iteration is complete yet: there is nothing to resume from");
    else
      spdlog::info("the checkpoint of iteration {} is in {}; going on", checkpointed_iteration_,
                   in_.folder.path().string());
  }

  void report(const IterationRecord& record, const ShootingIterate& iterate) {
    const ConvergenceRecord line{iteration_,
                                 record.objective,
                                 iterate.terms(),
                                 record.gradient_norm,
                                 record.step_length,
                                 forward_simulations(),
                                 before_.cg_iterations + record.cg_iterations,
                                 time_s(),
                                 in_.window ? std::optional(in_.window->range) : std::nullopt};
    cg_iterations_ = line.cg_iterations;
    log_.report(line, iterate.misses());
  }

  int forward_simulations() const {
    return before_.forward_simulations + problem_.work().forward_simulations;
  }
  double time_s() const {
    return before_.time_s + (in_.checkpoint ? in_.checkpoint->time_s : 0.0) + elapsed_.seconds();
  }

  SearchArguments in_;
  WindowCounts before_;
  std::optional<ScratchFolder> scratch_;  // none: memory is all there is
  ShootingProblem problem_;
  SearchBeginning beginning_;
  SearchLog log_;
  int budget_;
  std::optional<SearchProgress> progress_;
  const OptimizerProgress* resume_ = nullptr;  // of the checkpoint, until an optimiser has gone on from there
  bool is_before_search_ = false;              // the steered run comes next
  int iteration_ = -1;                         // the last one reported
  int checkpointed_iteration_ = -1;            // the last one that can be resumed from
  int first_iteration_;                        // what the optimiser's own iteration 0 is called
  int stage_iteration_ = 0;                    // one after the last of the stage before
  int cg_iterations_ = 0;                      // as last reported
  std::optional<ToleranceWeights> tolerances_;  // with effort = "auto"
  std::optional<GoalRevision> goal_;            // with keyframes that are adapted to the run
  SearchResult result_;
  std::exception_ptr failure_;
  Stopwatch elapsed_;
};

}  // namespace

SearchResult search(const SearchArguments& arguments) { return Search(arguments).run(); }

}  // namespace keydrape
