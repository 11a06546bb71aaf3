// With which run a search begins.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "control/run/rollout.h"
#include "control/search/search.h"
#include "control/shooting/shooting_iterate.h"
#include "control/shooting/shooting_problem.h"
#include "tests/support/hung_task.h"

namespace keydrape {
namespace {

using namespace test;

// A sheet that hangs from one edge has to be rolled up by half a turn and more, where guidance leaves folds.
Task rolled(double effort, int steps = 12) {
  constexpr double kRadius = 0.1;
  Task task = hung_task(6, steps);
  VecX& x = task.targets[0].keyframe.target;
  for (Eigen::Index i = 0; i < x.size(); i += 3) {
    const double angle = -task.start.x[i + 1] / kRadius;
    x[i + 1] = -kRadius * std::sin(angle);
    x[i + 2] = kRadius * (1 - std::cos(angle));
  }
  task.targets[0].tolerance = 0.01;
  task.effort = {.automatic = false, .value = effort};
  return task;
}

// A sheet lets go of the horizontal and swings; it is to end where a small force to the side has it swing.
Task swinging() {
  Task task = hung_task(6, 12);
  for (Eigen::Index i = 0; i < task.start.x.size(); i += 3)
    task.start.x[i + 2] = -std::exchange(task.start.x[i + 1], 0.0);
  const PreparedTask prepared = prepare(task);
  ShootingProblem problem(*prepared.simulator, prepared.start(), *prepared.layout, *prepared.objective, 1e9,
                          prepared.shooting_options());
  VecX aside = VecX::Zero(problem.size());
  for (Eigen::Index i = 0; i < aside.size(); i += 3) aside[i] = 0.02 / std::sqrt(problem.size() / 3.0);
  const ShootingIterate hidden(problem, aside);
  EXPECT_TRUE(hidden.is_complete());
  task.targets[0].keyframe.target = hidden.trajectory().states.back().x;
  task.targets[0].tolerance = 0.0005;
  task.effort.automatic = true;
  return task;
}

class Objectives final : public SearchObserver {
 public:
  void on_iteration(const SearchIteration& iteration) override {
    all.push_back(iteration.objective);
    effort = iteration.terms.effort;
  }
  std::vector<double> all;
  double effort = 0.0;  // of the last one, which is the result
};

// What the forces cost with which a search of it ends.
double least_effort(const Task& task, SearchStart start) {
  SearchOptions options;
  options.start = start;
  Objectives objectives;
  EXPECT_EQ(search(prepare(task), options, objectives).summary.end, SearchEnd::kMet);
  return objectives.effort;
}

// Of runs by trials that need not come nearer than that [m].
ShootingOptions options_near(const PreparedTask& prepared, double near_enough) {
  ShootingOptions options = prepared.shooting_options();
  options.near_enough = {near_enough};
  return options;
}

// Of the cheapest run that is steered to the keyframes.
double steered_effort(const Task& task) {
  const PreparedTask prepared = prepare(task);
  ShootingProblem problem(*prepared.simulator, prepared.start(), *prepared.layout, *prepared.objective, 1e9,
                          options_near(prepared, 5e-4));
  const auto guided = problem.evaluate_guided(prepared.objective->first_goal());
  const auto retrograde = problem.evaluate_retrograde(*guided);
  EXPECT_TRUE(guided->is_complete() && retrograde);
  return std::min(guided->terms().effort, retrograde->terms().effort);
}

// Steering holds back what swings, and brakes what it held back: many times the forces that it takes.
TEST(SearchStarts, WhatSwingsNearItsKeyframeIsNotHeldBack) {
  for (const double limit : {0.0, 3.0}) {
    Task task = swinging();
    if (limit > 0.0) task.pushing.max_acceleration = limit;
    const double from_zero = least_effort(task, SearchStart::kFree),
                 from_best = least_effort(task, SearchStart::kGuided);
    std::printf("effort from zero %.3g, from the best start %.3g\n", from_zero, from_best);
    EXPECT_LT(from_best, 1.1 * from_zero) << limit;
    EXPECT_GT(steered_effort(task), 100.0 * from_zero) << "else this tests nothing";
  }
}

// Whatever the effort: with a number as with tolerances, the start from behind is tried.
TEST(SearchStarts, ANumberAsEffortBeginsNoWorseThanBothSteeredRuns) {
  const PreparedTask prepared = prepare(rolled(1e-5));
  ShootingProblem problem(*prepared.simulator, prepared.start(), *prepared.layout, *prepared.objective, 1e9,
                          options_near(prepared, 0.008));
  const ShootingIterate free(problem, VecX::Zero(problem.size()));
  const auto guided = problem.evaluate_guided(free.shared_goal());
  const auto retrograde = problem.evaluate_retrograde(*guided);
  ASSERT_TRUE(guided->is_complete() && retrograde && retrograde->is_complete());
  std::printf("J: free %.3g, guided %.3g, from behind %.3g\n", free.objective(), guided->objective(),
              retrograde->objective());
  ASSERT_LT(retrograde->objective(), 0.5 * guided->objective()) << "else this tests nothing";
  Objectives objectives;
  SearchOptions options;
  options.max_forward_runs = 3;
  search(prepared, options, objectives);
  ASSERT_GE(objectives.all.size(), 2u);
  EXPECT_EQ(objectives.all[0], free.objective());
  EXPECT_LE(objectives.all[1], retrograde->objective());
}

// A search by gradients that makes its starts alone: nothing is proposed by a model.
SearchOptions starts_alone() {
  SearchOptions options;
  options.method = SearchMethod::kLbfgs;
  options.max_forward_runs = 2;
  return options;
}

// Where the starts take all that a search may run, it ends with the best of them.
TEST(SearchStarts, NoSearchRunsMoreThanItSays) {
  Task task = rolled(1e-6);
  for (const std::optional<double>& limit : {std::optional<double>{}, std::optional<double>{0.5}}) {
    task.pushing.max_acceleration = limit;
    const PreparedTask prepared = prepare(task);
    for (const SearchMethod method :
         {SearchMethod::kGaussNewton, SearchMethod::kLbfgs, SearchMethod::kDescent})
      for (const SearchStart start : {SearchStart::kGuided, SearchStart::kFree})
        for (const int runs : {1, 2, 3, 6}) {
          SearchOptions options;
          options.method = method;
          options.start = start;
          options.max_forward_runs = runs;
          Objectives objectives;
          const SearchResult result = search(prepared, options, objectives);
          EXPECT_LE(result.summary.forward_simulations, options.most_forward_runs(task))
              << static_cast<int>(method) << ' ' << static_cast<int>(start) << ' ' << runs;
          EXPECT_TRUE(result.best);
        }
  }
}

// One is held to its way, the other comes back to it in time.
TEST(SearchStarts, OfTwoRunsFromBehindTheBetterOneCounts) {
  using Return = PathFollowing::Return;
  int of_held = 0, of_in_time = 0;
  for (const double effort : {1e-9, 1e-3}) {
    const PreparedTask prepared = prepare(rolled(effort));
    ShootingProblem problem(*prepared.simulator, prepared.start(), *prepared.layout, *prepared.objective, 1e9,
                            options_near(prepared, 0.008));
    const auto guided = problem.evaluate_guided(prepared.objective->first_goal());
    const auto held = problem.evaluate_retrograde(*guided, nullptr, Return::kAtOnce),
               in_time = problem.evaluate_retrograde(*guided, nullptr, Return::kInTime);
    ASSERT_TRUE(guided->is_complete() && held->is_complete() && in_time->is_complete());
    const double better = std::min(held->objective(), in_time->objective());
    ++(held->objective() < in_time->objective() ? of_held : of_in_time);
    ASSERT_LT(better, guided->objective()) << "else this tests nothing";
    Objectives objectives;
    search(prepared, starts_alone(), objectives);
    ASSERT_GE(objectives.all.size(), 2u);
    EXPECT_EQ(objectives.all[1], better) << effort;
  }
  EXPECT_EQ(of_held, of_in_time) << "else one of them could always count";
}

// The second run from behind lives beside the first.
TEST(SearchStarts, WithoutRoomOneRunIsMadeFromBehind) {
  const PreparedTask prepared = prepare(rolled(1e-5, 200));
  SearchOptions options = starts_alone();
  Objectives objectives;
  const int roomy = search(prepared, options, objectives).summary.forward_simulations;
  options.memory_bytes = std::ceil(plan_search_memory(prepared, options).needed);
  const SearchMemory least = plan_search_memory(prepared, options);
  ASSERT_LT(least.derivatives, least.states_of_run) << "else this tests nothing";
  EXPECT_EQ(search(prepared, options, objectives).summary.forward_simulations, roomy - 1);
}

class ConstantForce final : public ForceSchedule {
 public:
  ConstantForce(VecX u, int first_step) : u_(std::move(u)), first_step_(first_step) {}
  void force(int step, VecX& u) const override {
    u = u_;
    if (step < first_step_) u.setZero();
  }

 private:
  VecX u_;
  int first_step_;
};

// |z_k - c_k| over the radius, at most.
double largest_share(const BallBounds& bounds, const VecX& z) {
  double largest = 0.0;
  for (int k = 0; k < bounds.count(); ++k)
    largest = std::max(largest, (z.segment<3>(3 * k) - bounds.center_of(k)).norm() / bounds.radius(k));
  return largest;
}

constexpr double kBoundRounding = 1e-12;

// Of steered runs also where they do not push: a take's own forces may be too large there.
TEST(SearchStarts, KeepTheBoundOnTopOfATake) {
  Task task = rolled(1e-5);
  task.targets[0].keyframe.state = 12;  // half of it is behind the keyframe
  task.pushing.max_acceleration = 1.0;
  PreparedTask prepared = prepare(task);
  VecX u = VecX::Zero(task.start.x.size());
  for (Eigen::Index i = 0; i < u.size(); i += 3)
    u[i + 2] = 3.0 * kStandardGravity * prepared.model->mass()[i];
  start_from(prepared, {std::make_shared<const ConstantForce>(u, 12), {}});
  ASSERT_GT(largest_share(*prepared.bounds, VecX::Zero(prepared.layout->size())), 2.0);
  ShootingProblem problem(*prepared.simulator, prepared.start(), *prepared.layout, *prepared.objective, 1e9,
                          options_near(prepared, 1e-3));
  const auto guided = problem.evaluate_guided(prepared.objective->first_goal());
  EXPECT_LE(largest_share(*prepared.bounds, guided->z()), 1.0 + kBoundRounding);
  ASSERT_TRUE(guided->is_complete());
  const auto retrograde = problem.evaluate_retrograde(*guided);
  ASSERT_TRUE(retrograde);
  EXPECT_LE(largest_share(*prepared.bounds, retrograde->z()), 1.0 + kBoundRounding);
}

// Forces of a search without the bound that would meet the keyframe are no result of one with it.
TEST(SearchStarts, AFirstGuessIsBroughtWithinTheBound) {
  SearchOptions options;
  Objectives objectives, without, with;
  const PreparedTask free = prepare(rolled(1e-6));
  const SearchResult found = search(free, options, objectives);
  Task task = rolled(1e-6);
  task.pushing.max_acceleration = 0.3;
  const PreparedTask bounded = prepare(task);
  ASSERT_EQ(bounded.layout->size(), found.best->z.size());
  ASSERT_GT(largest_share(*bounded.bounds, found.best->z), 1.5);
  const SavedRun guess{found.best->z, found.best->trajectory};
  options.max_forward_runs = 4;
  search(bounded, options, without);
  options.first_guess = &guess;
  const SearchResult result = search(bounded, options, with);
  EXPECT_LE(largest_share(*bounded.bounds, result.best->z), 1.0 + kBoundRounding);
  ASSERT_GE(std::min(with.all.size(), without.all.size()), 2u);
  EXPECT_EQ(with.all[0], without.all[0]);  // the run without forces
  EXPECT_NE(with.all[1], without.all[1]) << "else the guess counts for nothing";
}

class ObjectivesAndFailures final : public SearchObserver {
 public:
  void on_iteration(const SearchIteration& iteration) override { objectives.push_back(iteration.objective); }
  void on_warning(SearchWarning warning, const std::string& text) override {
    if (warning == SearchWarning::kStartFailed) failed = text;
  }
  std::vector<double> objectives;
  std::string failed;
};

// The search has the start that it would have without it, not none.
TEST(SearchStarts, AFirstGuessThatFailsIsLeftOut) {
  Task task = rolled(1e-6);
  task.simulator.newton.max_iterations = 30;
  const PreparedTask prepared = prepare(task);
  SearchOptions options;
  options.max_forward_runs = 4;
  ObjectivesAndFailures without, with;
  search(prepared, options, without);
  const int steps = prepared.task.grid.step_count();
  const VecX wild = VecX::Constant(prepared.layout->size(), 1e8);
  SavedRun guess{wild, rollout(*prepared.simulator, prepared.from(),
                               ControlForces(*prepared.layout, wild, prepared.base()), steps)};
  ASSERT_LT(guess.trajectory.first_failure(), steps);
  StepReport solved;
  solved.end = NewtonEnd::kMinimum;
  while (guess.trajectory.step_count() < steps) {  // as one that succeeded elsewhere
    guess.trajectory.states.push_back(guess.trajectory.back());
    guess.trajectory.reports.push_back(solved);
    guess.trajectory.seconds.push_back(0.0);
  }
  options.first_guess = &guess;
  search(prepared, options, with);
  EXPECT_EQ(with.failed, "the first guess");
  ASSERT_GE(without.objectives.size(), 2u);
  ASSERT_GE(with.objectives.size(), 2u);
  EXPECT_EQ(with.objectives[1], without.objectives[1]);
}

// A keyframe of velocities alone may have a map of its own: what has no weight in that is not pushed.
TEST(SearchStarts, GuidedVelocitiesPushWhatTheyWeigh) {
  Task task = hung_task(4, 8);
  Keyframe& keyframe = task.targets[0].keyframe;
  const Eigen::Index n = task.start.x.size() / 3;
  keyframe.weight = 0.0;
  keyframe.velocity_weight = 1.0;
  keyframe.target_velocity = VecX::Constant(3 * n, 0.5);
  keyframe.velocity_vertex_weight = VecX::Zero(n);
  constexpr int kOne = 2;  // at the lower edge
  keyframe.velocity_vertex_weight(kOne) = 1.0;
  keyframe.vertex_weight = VecX::Ones(n) - keyframe.velocity_vertex_weight;
  const PreparedTask prepared = prepare(task);
  ShootingProblem problem(*prepared.simulator, prepared.start(), *prepared.layout, *prepared.objective, 1e9,
                          prepared.shooting_options());
  const auto guided = problem.evaluate_guided(prepared.objective->first_goal());
  ASSERT_TRUE(guided->is_complete());
  const std::vector<int>& active = prepared.layout->active();
  ASSERT_NE(std::find(active.begin(), active.end(), kOne), active.end());
  for (int k = 0; k < prepared.layout->active_count(); ++k)
    EXPECT_EQ(prepared.layout->acceleration(guided->z(), 0, k).isZero(0.0), active[k] != kOne) << active[k];
}

// A tube that hangs from its rim, of which a vertex is wanted where no tube that wide can be.
Task tube_pulled_out() {
  constexpr int kAround = 16, kRows = 6;
  constexpr double kRadius = 0.1, kHeight = 0.2;
  Task task = hung_task(1, 24);
  TriangleMesh mesh;
  std::vector<int> rim;
  for (int j = 0; j < kRows; ++j)
    for (int i = 0; i < kAround; ++i) {
      const double angle = 2.0 * M_PI * i / kAround;
      if (j == 0) rim.push_back(mesh.vertex_count());
      mesh.positions.emplace_back(kRadius * std::cos(angle), -kHeight * j / (kRows - 1),
                                  kRadius * std::sin(angle));
    }
  for (int j = 0; j + 1 < kRows; ++j)
    for (int i = 0; i < kAround; ++i) {
      const int a = kAround * j + i, b = kAround * j + (i + 1) % kAround, c = a + kAround, d = b + kAround;
      mesh.triangles.push_back({a, c, b});
      mesh.triangles.push_back({b, c, d});
    }
  task.cloth = cloth_of(std::move(mesh), *find_material_preset("cotton"), Vec3(0, -kStandardGravity, 0));
  task.start = {stacked(task.cloth.mesh.positions), VecX::Zero(3 * task.vertex_count())};
  task.cloth.pins = {held(task.start.x, rim)};
  task.pushing.vertices.resize(task.vertex_count());
  std::iota(task.pushing.vertices.begin(), task.pushing.vertices.end(), 0);
  constexpr int kPulled = 2 * kAround;
  Keyframe& keyframe = task.targets[0].keyframe;
  keyframe.target = task.start.x;
  keyframe.target[3 * kPulled] += 0.6 * kRadius;
  keyframe.vertex_weight = VecX::Zero(task.vertex_count());
  keyframe.vertex_weight[kPulled] = 1.0;
  task.targets[0].tolerance = 0.002;
  task.effort.automatic = true;
  return task;
}

// A start from behind that misses as well, if by less, at tens of g, is not the result in place of what the
// search makes of the other.
TEST(SearchStarts, WhatMissesAsWellDoesNotWinByForce) {
  const PreparedTask prepared = prepare(tube_pulled_out());
  Objectives objectives;
  const SearchResult found = search(prepared, {}, objectives);
  ASSERT_TRUE(found.best);
  EXPECT_FALSE(found.reached());
  double largest = 0.0;
  for (int f = 0; f < prepared.layout->block_count(); ++f)
    for (int k = 0; k < prepared.layout->active_count(); ++k)
      largest = std::max(largest, prepared.layout->acceleration(found.best->z, f, k).norm());
  EXPECT_LT(largest, 10.0);
}

}  // namespace
}  // namespace keydrape
