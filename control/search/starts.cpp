#include "control/search/starts.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "control/optimize/bounded.h"
#include "control/shooting/shooting_iterate.h"

namespace keydrape {
namespace {

bool is_steered(const SearchContext& context) {
  return context.options.start == SearchStart::kGuided && context.task().layout->active_count() > 0;
}

bool has_first_guess(const SearchContext& context) {
  return context.part.kind == SearchPart::Kind::kWhole && context.options.first_guess;
}

bool has_earlier_windows(const SearchContext& context) {
  return context.begin_with && !context.begin_with->isZero(0.0);
}

// Forces of another task may be larger than they may be here.
VecX within_bounds(const ShootingProblem& problem, VecX z) {
  if (problem.bounds()) problem.bounds()->project(z);
  return z;
}

// The forces of a run of another task, the cloth keeping close to how it went there.
std::unique_ptr<ShootingIterate> repeated(ShootingProblem& problem, const SavedRun& run,
                                          const GoalPointer& goal) {
  const ShootingWork work = problem.work();
  const auto there = restored(problem, run, goal);
  problem.work() = work;
  return there->nearby(within_bounds(problem, run.z));
}

// The goal's value for a over that for b, whose own goals stay.
double compare(const ToleranceWeights* fresh, ShootingIterate& a, ShootingIterate& b) {
  if (!fresh) return a.adapted_objective() / b.adapted_objective();
  const GoalPointer of_a = a.shared_goal(), of_b = b.shared_goal();
  ToleranceWeights weights = *fresh;
  const double ratio = weights.compare_starts(a, b);
  a.measure_by(of_a);
  b.measure_by(of_b);
  return ratio;
}

// Runs that live beyond those that a search holds while a second one is made from behind.
constexpr double kRunsBeside = 2.0;

// The run from behind: of one that is held to its way, which goes wrong less often, and one that comes back
// to it in time, which takes less force, the more promising; the first, if memory has no room for both.
// Null: there is none.
std::unique_ptr<ShootingIterate> from_behind(ShootingProblem& problem, const SearchMemory& memory,
                                             const ToleranceWeights* tolerances, const ShootingIterate& near,
                                             const std::vector<Keyframe>& poses) {
  using Return = PathFollowing::Return;
  auto held = problem.evaluate_retrograde(near, &poses, Return::kAtOnce);
  if (kRunsBeside * memory.states_of_run > memory.derivatives) return held;
  auto in_time = problem.evaluate_retrograde(near, &poses, Return::kInTime);
  if (!in_time || !held) return in_time ? std::move(in_time) : std::move(held);
  const bool is_held =
      !in_time->is_complete() || (held->is_complete() && !(compare(tolerances, *in_time, *held) < 1.0));
  return is_held ? std::move(held) : std::move(in_time);
}

// Runs that were steered towards the keyframes: the more promising one, and the other if there is one.
struct SteeredRuns {
  std::unique_ptr<ShootingIterate> start, spare;
};
// `laid`: the keyframes, with poses for surfaces.
SteeredRuns steered(ShootingProblem& problem, const SearchMemory& memory, ToleranceWeights* tolerances,
                    const ShootingIterate& free, const std::vector<Keyframe>& laid) {
  const std::vector<Keyframe> poses = problem.led_keyframes(laid);
  auto guided = problem.evaluate_guided(free.shared_goal(), &poses);
  // Whatever the budget: a search that goes on with a larger one has to have begun at the same run.
  auto retrograde = from_behind(problem, memory, tolerances, guided->is_complete() ? *guided : free, poses);
  if (!retrograde) {
    if (tolerances) tolerances->learn_from(*guided);
    return {std::move(guided), nullptr};
  }
  const bool is_guided_better = tolerances ? &tolerances->choose_start(*guided, *retrograde) == guided.get()
                                           : guided->adapted_objective() <= retrograde->adapted_objective();
  if (!is_guided_better) std::swap(guided, retrograde);
  return {std::move(guided), std::move(retrograde)};
}

// Chooses for a run what keyframes leave open, as the search does that begins with it.
void adapt(const ShootingProblem& problem, ShootingIterate& run) {
  if (run.is_complete() && run.goal().is_adaptive())
    run.measure_by(adapted(run.goal(), run.trajectory(), problem.objective().options().length).goal);
}

// The run along what a first guess or a coarser level brings; null: there is none, or it cannot be simulated
// to the end, and the goal is as it was.
std::unique_ptr<ShootingIterate> from_elsewhere(const SearchContext& context, ShootingProblem& problem,
                                                ToleranceWeights* tolerances, const GoalPointer& goal,
                                                const CoarseStart* coarse) {
  std::unique_ptr<ShootingIterate> start;
  if (has_first_guess(context)) {
    start = repeated(problem, *context.options.first_guess, goal);
    if (start->is_complete()) {
      if (tolerances) tolerances->learn_from(*start);
      return start;
    }
    context.observer.on_warning(SearchWarning::kStartFailed, "the first guess");
  } else if (coarse) {
    GoalPointer there = goal;
    ToleranceWeights::Memory before;
    if (tolerances) {
      before = tolerances->memory();
      tolerances->all_changes_count();
      there = tolerances->with(*goal, coarse->weight_factors);
    }
    start = problem.evaluate_along(coarse->run, there);
    if (start->is_complete()) return start;
    if (tolerances) {
      tolerances->remember(before);
      tolerances->with(*goal, goal->weight_factors);  // the factors that it set last
    }
    context.observer.on_warning(SearchWarning::kStartFailed, "the run along the coarser level");
  }
  return nullptr;
}

// Whether two targets want positions at one moment: a compromise between them, which a sum of squares likes
// best, may meet neither.
bool wants_two_at_once(const std::vector<Keyframe>& keyframes) {
  std::set<int> states;
  return !std::all_of(keyframes.begin(), keyframes.end(), [&](const Keyframe& keyframe) {
    return !(keyframe.weight > 0.0) || states.insert(keyframe.state).second;
  });
}

// A run that a search may begin with, and what tolerances have made of the goal on the way to it. Without a
// run: it is none.
struct RacingStart {
  std::unique_ptr<ShootingIterate> run;
  std::unique_ptr<ToleranceWeights> weights;  // null: the effort is a number
};

// The goal of one start over that of the other from which on it is clearly ahead.
constexpr double kClearlyAhead = 10.0;
// Runs that live while both go on for an iteration, beyond those that a search holds.
constexpr double kRunsOfRace = 4.0;

// Of the way from a miss: a start that comes no nearer to anything is none, however little it costs.
constexpr double kSomeWay = 0.05;

bool comes_nearer(const ShootingIterate& run, const ShootingIterate& free) {
  const std::vector<KeyframeMiss> there = run.misses(), before = free.misses();
  for (std::size_t k = 0; k < there.size(); ++k)
    if (there[k].rms < (1.0 - kSomeWay) * before[k].rms ||
        there[k].velocity_rms < (1.0 - kSomeWay) * before[k].velocity_rms)
      return true;
  return false;
}

std::unique_ptr<ToleranceWeights> copy_of(const ToleranceWeights* weights) {
  return weights ? std::make_unique<ToleranceWeights>(*weights) : nullptr;
}

// Where a search from `at` would be after its first iteration: what the linear model proposes there
// (control/decisions/0039-race-of-starts.md). None where that leads nowhere. The goal of `at` stays.
RacingStart after_iteration(ShootingProblem& problem, ShootingIterate& at, const ToleranceWeights* weights,
                            int model_vectors) {
  RacingStart next{nullptr, copy_of(weights)};
  if (!at.is_complete()) return next;
  const GoalPointer before = at.shared_goal();
  OptimizerOptions options;
  options.policy = next.weights.get();
  options.model_vectors = model_vectors;
  std::unique_ptr<Iterate> trial =
      problem.bounds() ? first_trial(at, *problem.bounds(), options) : first_trial(at, options);
  at.measure_by(before);
  at.sweeps().release();
  std::unique_ptr<ShootingIterate> run(static_cast<ShootingIterate*>(trial.release()));
  if (!run || !run->is_complete()) return next;
  next.run = std::move(run);
  adapt(problem, *next.run);
  if (next.weights) next.weights->after_step(*next.run, StepKind::kFull);
  return next;
}

bool is_laid(const Keyframe& keyframe, const Keyframe& laid) { return keyframe.surface && !laid.surface; }

// The goal with every surface as it is near the pose that stands for it: what is nearest to cloth that is far
// away says little of where it is to lie.
GoalPointer matched_to(const GoalPointer& goal, const std::vector<Keyframe>& laid) {
  std::vector<VecX> matched;
  bool any = false;
  for (std::size_t k = 0; k < laid.size(); ++k) {
    const Keyframe& keyframe = goal->keyframes[k];
    if (!keyframe.surface) continue;
    any = any || is_laid(keyframe, laid[k]);
    matched.push_back(is_laid(keyframe, laid[k]) ? laid[k].target : keyframe.matched);
  }
  return any ? with_choices(*goal, goal->states(), matched) : goal;
}

// Puts the more promising of a start and one that was proposed into `start`, and of what else there is the
// one nearest to the keyframes into `spare`. Where neither is clearly ahead, both go on for an iteration
// first, if memory has room for their runs. The goal learns from the winner; a weight that is smaller with
// the other comes to lie between both: raising one takes the model a sweep, lowering it takes runs.
void race(ShootingProblem& problem, SearchGoal& goal, const SearchMemory& memory, RacingStart& proposed,
          std::unique_ptr<ShootingIterate>& start, std::unique_ptr<ShootingIterate>& spare) {
  ToleranceWeights* weights = goal.tolerances();
  RacingStart steered{std::move(start), copy_of(weights)};
  adapt(problem, *steered.run);
  double ratio = compare(weights, *proposed.run, *steered.run);
  RacingStart next, next_proposed;
  const double aside = kRunsOfRace * memory.states_of_run;
  const int model_vectors = memory.model_vectors;
  if (ratio > 1.0 / kClearlyAhead && ratio < kClearlyAhead && aside <= memory.derivatives) {
    problem.set_memory_aside(static_cast<size_t>(aside));
    next = after_iteration(problem, *steered.run, steered.weights.get(), model_vectors);
    next_proposed = after_iteration(problem, *proposed.run, proposed.weights.get(), model_vectors);
    problem.set_memory_aside(0);
    if (next.run && next_proposed.run) ratio = compare(weights, *next_proposed.run, *next.run);
  }
  const bool is_proposed = ratio < 1.0;
  RacingStart &winner = is_proposed ? proposed : steered, &other = is_proposed ? steered : proposed,
              &ahead = is_proposed ? next_proposed : next;
  if (ahead.run && compare(weights, *ahead.run, *winner.run) < 1.0) std::swap(ahead, winner);
  if (weights) {
    weights->remember(winner.weights->memory());
    std::vector<double> factors = winner.run->goal().weight_factors;
    const std::vector<double>& of_other = other.run->goal().weight_factors;
    for (std::size_t k = 0; k < factors.size(); ++k)
      factors[k] = std::min(factors[k], std::sqrt(factors[k] * of_other[k]));
    winner.run->measure_by(weights->with(winner.run->goal(), std::move(factors)));
  }
  start = std::move(winner.run);
  // A start whose next iteration is better by the goal may have met what that gives up for less force.
  for (std::unique_ptr<ShootingIterate>* left : {&other.run, &next.run, &next_proposed.run})
    if (*left && (!spare || goal.merit(**left) < goal.merit(*spare))) spare = std::move(*left);
}

}  // namespace

std::unique_ptr<ShootingIterate> restored(ShootingProblem& problem, SavedRun run, GoalPointer goal) {
  auto variant = problem.variant(run.z);
  return std::make_unique<ShootingIterate>(problem, std::move(run.z), std::move(variant),
                                           std::move(run.trajectory), std::move(goal));
}

bool has_starts(const SearchContext& context) {
  return has_first_guess(context) || is_steered(context) || has_earlier_windows(context) ||
         context.search_coarser;
}

Starts make_starts(const SearchContext& context, ShootingProblem& problem, SearchGoal& goal,
                   ShootingIterate& free, std::vector<LevelOutcome>& levels) {
  ToleranceWeights* tolerances = goal.tolerances();
  const CoarseStart* coarse = nullptr;
  if (context.search_coarser && !has_first_guess(context)) {
    free.sweeps().release();  // coarser levels need the memory
    coarse = context.search_coarser(levels);
  }
  if (has_first_guess(context)) free.sweeps().release();
  Starts starts;
  starts.goal = free.shared_goal();
  std::unique_ptr<ShootingIterate> start = from_elsewhere(context, problem, tolerances, starts.goal, coarse);
  if (!start && is_steered(context)) {
    const std::vector<Keyframe> laid = problem.laid_keyframes(starts.goal->keyframes, free.trajectory());
    RacingStart proposed;
    const bool has_model = context.options.method == SearchMethod::kGaussNewton;
    if (has_model && free.is_complete() && !wants_two_at_once(laid)) {
      const GoalPointer there = matched_to(starts.goal, laid);
      if (there != starts.goal) free.measure_by(there);
      proposed = after_iteration(problem, free, tolerances, context.memory.model_vectors);
      if (there != starts.goal) free.measure_by(starts.goal);
    }
    if (proposed.run && !comes_nearer(*proposed.run, free)) proposed.run.reset();
    free.sweeps().release();  // other runs need the memory
    SteeredRuns runs = steered(problem, context.memory, tolerances, free, laid);
    start = std::move(runs.start);
    starts.spare = std::move(runs.spare);
    if (proposed.run) race(problem, goal, context.memory, proposed, start, starts.spare);
  }
  free.sweeps().release();
  if (start) {
    starts.goal = start->shared_goal();
    starts.runs.push_back(std::move(start));
  }
  if (has_earlier_windows(context))
    starts.runs.push_back(
        std::make_unique<ShootingIterate>(problem, within_bounds(problem, *context.begin_with), starts.goal));
  return starts;
}

}  // namespace keydrape
