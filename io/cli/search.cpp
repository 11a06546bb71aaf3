#include "io/cli/search.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "control/optimize/bounded.h"
#include "control/tolerance_weights.h"
#include "core/mesh.h"
#include "io/cli/report.h"
#include "io/cli/stopwatch.h"
#include "io/interrupt.h"
#include "io/json_lines.h"
#include "io/run_outputs.h"
#include "io/run_records.h"
#include "io/shot_control.h"

namespace keydrape {
namespace {

// A miss that could not be measured; null in the summary.
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Tolerances of a hundredth of the first miss need a model that is minimised further than a fixed effort's
// (OptimizerOptions::cg_model_tolerance): weights would rise to make up for it.
constexpr double kToleranceModel = 0.02;
// A replay is the run that it repeats if no keyframe's miss grows by more than this share of itself, and of
// the cloth's size.
constexpr double kReplayShare = 0.01, kReplayNoise = 1e-5;

class Search {
 public:
  explicit Search(const SearchArguments& arguments)
      : in_(arguments),
        before_(arguments.checkpoint.value_or(Checkpoint{})),
        problem_(*in_.shot.simulator, in_.shot.start, *in_.shot.layout, *in_.shot.objective,
                 memory_budget_bytes(in_.scene.solver)),
        log_(in_.folder / "convergence.jsonl", earlier_convergence_lines(in_.folder, in_.checkpoint)) {
    // A resumed search has its first point still to evaluate again.
    budget_ = std::max(
        1, forward_simulation_budget(in_.scene.control) - before_.forward_simulations + is_resumed());
    result_.uncontrolled = before_.uncontrolled;
    if (in_.shot.base) problem_.start_from(*in_.shot.base);
    if (in_.shot.channels) problem_.open(*in_.shot.channels);
    if (in_.scene.control.max_acceleration) problem_.limit(open_bounds(in_.scene, in_.shot));
    problem_.observe_steps([this](int n, const StepReport&) {
      show_progress(n);
      throw_if_interrupted();
      return true;
    });
  }

  SearchResult run() {
    try {
      minimize();
      if (!failure_ && !result_.interrupted) replay_result();
    } catch (const Interrupted&) {
      result_.interrupted = true;
    }
    if (failure_) std::rethrow_exception(failure_);
    if (result_.interrupted)
      result_.end = result_.best ? "this is the best so far; --resume goes on" : "in the first run";
    result_.work = problem_.work();
    return std::move(result_);
  }

 private:
  bool is_resumed() const { return in_.checkpoint.has_value(); }

  void minimize() {
    std::unique_ptr<ShootingIterate> at = is_resumed() ? resumed() : first_guess();
    if (stop_) return;
    const bool lbfgs = in_.scene.control.method == scene::ControlMethod::kLbfgs;
    const OptimizerResult optimum =
        lbfgs ? minimize_by_lbfgs(std::move(at)) : minimize_by_gauss_newton(std::move(at));
    result_.end = sentence(optimum.end);
    result_.out_of_budget = optimum.end == OptimizerEnd::kMaxEvaluations;
    if (optimum.end == OptimizerEnd::kStopped && !failure_) result_.interrupted = true;
  }

  OptimizerOptions optimizer_options() const {
    OptimizerOptions options;
    options.max_evaluations = std::max(1, budget_ - problem_.work().forward_simulations + 1);
    return options;
  }

  OptimizerResult minimize_by_gauss_newton(std::unique_ptr<ShootingIterate> at) {
    OptimizerOptions options = optimizer_options();
    if (tolerances_) {
      options.cg_model_tolerance = kToleranceModel;
      options.reviser = &*tolerances_;
    }
    const auto observer = [this](const IterationRecord& record) { return observe(record); };
    if (problem_.bounds())
      return minimize_projected_gauss_newton(std::move(at), *problem_.bounds(), options, observer);
    return minimize_gauss_newton(std::move(at), options, observer);
  }

  // With effort = "auto" in stages, each with weights of its own: pairs of gradients from two objectives make
  // no curvature.
  OptimizerResult minimize_by_lbfgs(std::unique_ptr<ShootingIterate> at) {
    constexpr double kStageTolerance = 1e-2;
    const auto observer = [this](const IterationRecord& record) { return observe(record); };
    while (true) {
      OptimizerOptions options = optimizer_options();
      if (tolerances_) options.objective_tolerance = kStageTolerance;
      OptimizerResult optimum =
          problem_.bounds() ? minimize_bounded_lbfgs(problem_, at->z(), *problem_.bounds(), options, observer)
                            : minimize_lbfgs(problem_, std::move(at), options, observer);
      stage_iteration_ = iteration_ + 1;
      if (failure_ || optimum.end == OptimizerEnd::kStopped || optimum.end == OptimizerEnd::kStartFailed)
        return optimum;
      at = std::make_unique<ShootingIterate>(problem_, optimum.z);
      // The best point may have been met in a line search that the budget cut off.
      if (result_.best && merit(*at) < result_.best->merit) keep(*at);
      if (!tolerances_ || optimum.end == OptimizerEnd::kMaxEvaluations) return optimum;
      const Revision revision = tolerances_->revise_at_rest(*at);
      if (revision == Revision::kDone) optimum.end = OptimizerEnd::kDone;
      if (revision != Revision::kChanged) return optimum;
      if (problem_.work().forward_simulations >= budget_) {
        optimum.end = OptimizerEnd::kMaxEvaluations;
        return optimum;
      }
    }
  }

  // With effort = "auto": from the misses without forces to the objective's weights.
  void open_tolerances() {
    if (!in_.scene.control.effort.automatic) return;
    Objective& objective = *in_.shot.objective;
    tolerances_.emplace(problem_, objective, aimed_tolerances(in_.shot.keyframes, objective),
                        result_.uncontrolled);
  }

  std::unique_ptr<ShootingIterate> resumed() {
    open_tolerances();
    in_.shot.objective->set_weight_factors(before_.weight_factors);
    return std::make_unique<ShootingIterate>(problem_, before_.z);
  }

  double merit(const ShootingIterate& at) const {
    if (!at.is_complete()) return at.objective();
    return tolerances_ ? tolerances_->merit(at) : at.objective();
  }

  // The run without forces, which is what the result is compared with, and the run that is steered towards
  // the keyframes: the better of the two.
  std::unique_ptr<ShootingIterate> first_guess() {
    auto free = std::make_unique<ShootingIterate>(problem_, VecX::Zero(problem_.size()));
    if (free->is_complete())
      result_.uncontrolled = free->misses();
    else
      result_.uncontrolled.assign(in_.shot.keyframes.size(), {kUnknown, kUnknown});
    open_tolerances();
    free->objective_changed();
    const bool is_allowed = !problem_.bounds() || problem_.bounds()->contain(free->z());
    if (is_allowed && tolerances_ && free->is_complete() && tolerances_->all_met(free->misses())) {
      stop_ = true;
      observe({0, free->objective(), free->gradient().norm(), 0.0, 1, 0, *free});
      result_.end = "the cloth meets its keyframes without any force";
      return nullptr;
    }
    const bool can_steer = in_.shot.layout->active_count() > 0;
    // A take whose forces are larger than they may be now is no start; what is left of them is.
    if (!is_allowed) {
      write_uncontrolled(*free);
      VecX z = free->z();
      problem_.bounds()->project(z);
      free = std::make_unique<ShootingIterate>(problem_, std::move(z));
    }
    if (in_.scene.control.start == scene::Start::kZero || budget_ < 2 || !can_steer) return free;
    const double free_merit = merit(*free);
    if (free->is_complete()) {
      const double gradient_norm = free->gradient().norm();
      if (!observe({0, free->objective(), gradient_norm, 0.0, 1, 0, *free})) {
        stop_ = true;
        result_.interrupted = !failure_;
        return nullptr;
      }
      first_iteration_ = 1;
    } else {
      spdlog::warn(
          "the cloth without forces could not be simulated to the end; going on with the guided run");
    }
    auto guided = problem_.evaluate_guided();
    if (tolerances_) tolerances_->learn_from(*guided);
    free->objective_changed();
    if (merit(*guided) < free_merit) return guided;
    first_iteration_ = 0;
    return free;
  }

  // The result as its forces alone give it, so that simulate --forces repeats it to the bit. A run of the
  // search was told where its steps would end; where cloth can settle in several ways, forces alone may find
  // another one.
  void replay_result() {
    if (!result_.best || result_.best->is_replay) return;
    const ShootingIterate replay(problem_, result_.best->z);
    if (replay.is_complete() && is_as_close(replay.misses(), result_.best->misses)) {
      keep(replay);
      return;
    }
    in_.progress.clear();
    spdlog::warn(
        "the forces alone, without the search, take the cloth another way ({}): it can settle in several "
        "ways under "
        "them. The results are those of the search; simulate --forces will not repeat them",
        replay.is_complete() ? miss_text(in_.shot, replay.misses()) : "to a step that does not converge");
  }

  bool is_as_close(const std::vector<KeyframeMiss>& misses, const std::vector<KeyframeMiss>& than) const {
    const double slack = kReplayNoise * bounding_box_diagonal(in_.shot.rest.positions);
    for (size_t k = 0; k < misses.size(); ++k)
      if (!(misses[k].rms <= (1 + kReplayShare) * than[k].rms + slack)) return false;
    return true;
  }

  // An exception must not pass through the optimiser: LBFGS++ reports its own failures by the same types.
  bool observe(const IterationRecord& record) {
    try {
      record_iteration(record);
    } catch (...) {
      failure_ = std::current_exception();
      return false;
    }
    return !interrupt_requested();
  }

  void record_iteration(const IterationRecord& record) {
    const Stopwatch writing;
    const auto& iterate = static_cast<const ShootingIterate&>(record.iterate);
    const bool is_first = !result_.best;
    const int iteration =
        std::max(before_.iteration + first_iteration_, stage_iteration_ - 1) + record.iteration;
    if (iteration == iteration_) return;  // the run that the optimiser starts from
    iteration_ = iteration;
    if (is_first && !is_resumed() && iterate.z().isZero(0.0)) write_uncontrolled(iterate);
    const bool is_improvement = is_first || merit(iterate) < result_.best->merit;
    if (is_improvement) {
      keep(iterate);
      write_checkpoint(in_.folder, {iterate.z(), in_.fingerprint, iteration_, forward_simulations(),
                                    before_.cg_iterations + record.cg_iterations, time_s(),
                                    result_.uncontrolled, in_.shot.objective->weight_factors()});
    }
    if (!is_first || !is_resumed()) report(record, iterate);
    if (is_improvement) in_.on_improvement(iterate.trajectory());
    result_.io_s += writing.seconds();
  }

  void write_uncontrolled(const ShootingIterate& iterate) const {
    const auto& caches = in_.scene.output.caches;
    if (std::find(caches.begin(), caches.end(), scene::CacheFormat::kPc2) != caches.end())
      write_pc2(in_.shot, iterate.trajectory(), in_.folder / "uncontrolled.pc2");
  }

  void keep(const ShootingIterate& iterate) {
    result_.best =
        SearchPoint{iterate.z(), merit(iterate), iterate.trajectory(), iterate.misses(), iterate.is_replay()};
  }

  void report(const IterationRecord& record, const ShootingIterate& iterate) {
    const ConvergenceRecord line{iteration_,
                                 record.objective,
                                 iterate.terms(),
                                 record.gradient_norm,
                                 record.step_length,
                                 forward_simulations(),
                                 before_.cg_iterations + record.cg_iterations,
                                 time_s()};
    log_.append(convergence_line(line, in_.shot, iterate.misses()));
    in_.progress.clear();
    spdlog::info("iteration {}: objective {:.4e}, {} forward runs, {}", iteration_, record.objective,
                 line.forward_simulations, miss_text(in_.shot, iterate.misses()));
  }

  void show_progress(int n) {
    const int runs = problem_.work().forward_simulations;
    in_.progress.update((runs + (n + 1.0) / in_.shot.clock.step_count()) / budget_,
                        fmt::format("iteration {}, forward run {} of at most {}, frame {}", iteration_ + 1,
                                    runs + 1, budget_, in_.shot.clock.frame_of_step(n)));
  }

  // A resumed search evaluates its first point for the second time.
  int forward_simulations() const {
    return before_.forward_simulations + problem_.work().forward_simulations - is_resumed();
  }
  double time_s() const { return before_.time_s + elapsed_.seconds(); }

  SearchArguments in_;
  Checkpoint before_;
  ShootingProblem problem_;
  JsonLines log_;
  int budget_ = 1;
  int iteration_ = -1;                          // the last one reported
  int first_iteration_ = 0;                     // what the optimiser's own iteration 0 is called
  int stage_iteration_ = 0;                     // one after the last of the stage before
  std::optional<ToleranceWeights> tolerances_;  // with effort = "auto"
  bool stop_ = false;                           // asked to, before the optimiser began
  SearchResult result_;
  std::exception_ptr failure_;
  Stopwatch elapsed_;
};

}  // namespace

SearchResult search(const SearchArguments& arguments) { return Search(arguments).run(); }

}  // namespace keydrape
