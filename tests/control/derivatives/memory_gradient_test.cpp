// Whatever is kept of the steps' derivatives, gradients and products are the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "control/derivatives/run_sweeps.h"
#include "control/run/force_schedule.h"
#include "control/run/rollout.h"
#include "control/shooting/search_memory.h"
#include "core/step/refined_solve.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

constexpr int kSheetSteps = 12;
constexpr double kSheetDt = 1.0 / 96;

struct SheetRun {
  explicit SheetRun(double damping, int cells = 8)
      : model(build_model(description(damping, cells))),
        simulator(model, options()),
        start{stacked(test::square(cells, 0.5).positions), VecX::Zero(3 * model.vertex_count())},
        trajectory(rollout(simulator, start, NoForces(), kSheetSteps)),
        costs(storage_costs(simulator, model.pattern(), simulator.cholesky())) {}

  static ClothDescription description(double damping, int cells) {
    const TriangleMesh mesh = test::square(cells, 0.5);
    const Material material{0.3, 4000, 3000, 300, 5e-5, damping, 4e-4};
    ClothDescription cloth = test::cloth_of(mesh, material, Vec3(0, 0, -kStandardGravity));
    cloth.pins = {test::held(stacked(mesh.positions), {0, cells})};
    return cloth;
  }

  static SimulatorOptions options() {
    SimulatorOptions options;
    options.dt = kSheetDt;
    return options;
  }

  double bytes(StepStorage storage) const { return costs[static_cast<size_t>(storage)].bytes; }
  LinearizedTrajectory within(double budget) const {
    return {simulator, trajectory, static_cast<size_t>(budget)};
  }

  Model model;
  Simulator simulator;
  State start;
  Trajectory trajectory;
  StorageCosts costs;
};

int count(const LinearizedTrajectory& run, StepStorage storage) {
  return run.counts()[static_cast<size_t>(storage)];
}

VecX noise(int size, int seed) {
  VecX v(size);
  for (int i = 0; i < size; ++i) v(i) = std::sin(12.9898 * (i + 1) + 78.233 * seed);
  return v;
}

// A scratch file that is held in memory, and counts what is asked of it.
class MemoryScratch final : public Scratch {
 public:
  explicit MemoryScratch(double capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  double capacity_bytes() const override { return capacity_bytes_; }
  std::unique_ptr<ScratchFile> open(double) override { return std::make_unique<File>(reads_, reads_ahead_); }
  int reads() const { return reads_; }
  int reads_ahead() const { return reads_ahead_; }  // of these, by a thread that solves nothing

 private:
  class File final : public ScratchFile {
   public:
    File(int& reads, int& reads_ahead) : reads_(reads), reads_ahead_(reads_ahead) {}
    std::uint64_t append(std::span<const std::byte> bytes) override {
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
      return bytes_.size() - bytes.size();
    }
    void read(std::uint64_t begin, std::span<std::byte> bytes) const override {
      ++reads_;
      if (std::this_thread::get_id() != solver_) ++reads_ahead_;
      ASSERT_LE(begin + bytes.size(), bytes_.size());
      std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(begin), bytes.size(), bytes.begin());
    }

   private:
    std::vector<std::byte> bytes_;
    std::thread::id solver_ = std::this_thread::get_id();
    int& reads_;
    int& reads_ahead_;
  };

  double capacity_bytes_;
  int reads_ = 0, reads_ahead_ = 0;
};

class Budgets : public testing::TestWithParam<double> {};  // damping: with C and without

TEST_P(Budgets, AllGiveTheSameSweeps) {
  const SheetRun run(GetParam());
  const int n = 3 * run.model.vertex_count();
  std::vector<StateVector> seeds(kSheetSteps + 1);
  seeds[kSheetSteps / 2].x = noise(n, 1);
  seeds[kSheetSteps] = {noise(n, 2), noise(n, 3)};
  std::vector<VecX> du;
  du.reserve(kSheetSteps);
  for (int k = 0; k < kSheetSteps; ++k) du.push_back(noise(n, 10 + k));
  const StateVector initial{VecX::Zero(n), VecX::Zero(n)};

  const double all = 1e9, passing = passing_bytes(run.costs);
  LinearizedTrajectory reference = run.within(all);
  // As good as double: ReachesDoublePrecision.
  ASSERT_EQ(count(reference, StepStorage::kSingle), kSheetSteps);
  const RunInputs expected = adjoint(reference, seeds).value();
  const std::vector<StateVector> expected_change = tangent(reference, {du, {}, initial}).value();
  StorageCounts met{};
  const double single = run.bytes(StepStorage::kSingle), matrices = run.bytes(StepStorage::kMatrices);
  for (const double budget :
       {0.0, passing + 4 * matrices, passing + kSheetSteps * matrices, passing + 5 * single,
        passing + kSheetSteps * matrices + 4 * (single - matrices), kSheetSteps * single}) {
    LinearizedTrajectory limited = run.within(budget);
    EXPECT_LE(static_cast<double>(limited.memory_bytes()), std::max(0.0, budget));
    for (size_t s = 0; s < met.size(); ++s) met[s] += limited.counts()[s];
    const RunInputs gradient = adjoint(limited, seeds).value();
    const std::vector<StateVector> change = tangent(limited, {du, {}, initial}).value();
    double ahead = 0.0, behind = 0.0, scale = 0.0;
    for (int k = 0; k < kSheetSteps; ++k) {
      EXPECT_LE((gradient.forces[k] - expected.forces[k]).norm(), 1e-12 * expected.forces[k].norm())
          << budget << ' ' << k;
      EXPECT_LE((change[k + 1].x - expected_change[k + 1].x).norm(), 1e-12 * expected_change[k + 1].x.norm());
      behind += gradient.forces[k].dot(du[k]);
    }
    for (int k = 1; k <= kSheetSteps; ++k) {
      if (seeds[k].x.size())
        ahead += seeds[k].x.dot(change[k].x), scale += seeds[k].x.norm() * change[k].x.norm();
      if (seeds[k].v.size())
        ahead += seeds[k].v.dot(change[k].v), scale += seeds[k].v.norm() * change[k].v.norm();
    }
    EXPECT_LE(std::abs(ahead - behind), 1e-11 * scale) << budget;
  }
  for (const StepStorage storage : {StepStorage::kNone, StepStorage::kMatrices, StepStorage::kSingle})
    EXPECT_GT(met[static_cast<size_t>(storage)], 0) << static_cast<int>(storage);
}

INSTANTIATE_TEST_SUITE_P(Damping, Budgets, testing::Values(0.0, 0.01));

// What comes from a scratch file is what was made: the same bits as with all factors in memory. It is
// read a step ahead, in both directions.
TEST_P(Budgets, ScratchFileGivesTheSameBits) {
  const SheetRun run(GetParam());
  const int n = 3 * run.model.vertex_count();
  std::vector<StateVector> seeds(kSheetSteps + 1);
  seeds[kSheetSteps] = {noise(n, 2), noise(n, 3)};
  std::vector<VecX> du;
  du.reserve(kSheetSteps);
  for (int k = 0; k < kSheetSteps; ++k) du.push_back(noise(n, 10 + k));
  const StateVector initial{VecX::Zero(n), VecX::Zero(n)};
  const double single = run.bytes(StepStorage::kSingle);
  LinearizedTrajectory held = run.within(kSheetSteps * single);
  ASSERT_EQ(count(held, StepStorage::kSingle), kSheetSteps);
  MemoryScratch scratch(1e9);
  auto filed = std::make_unique<LinearizedTrajectory>(
      run.simulator, run.trajectory, static_cast<size_t>(passing_bytes(run.costs, 1.0) + 3 * single),
      &scratch);
  EXPECT_EQ(count(*filed, StepStorage::kFile), kSheetSteps - 3);
  EXPECT_EQ(count(*filed, StepStorage::kSingle), 3);
  EXPECT_EQ(filed->kept_count(), kSheetSteps);
  EXPECT_LE(filed->memory_bytes(), 3 * single);
  const std::vector<StateVector> expected_change = tangent(held, {du, {}, initial}).value(),
                                 change = tangent(*filed, {du, {}, initial}).value();
  const RunInputs expected = adjoint(held, seeds).value(), gradient = adjoint(*filed, seeds).value();
  for (int k = 0; k < kSheetSteps; ++k) {
    EXPECT_EQ(change[k + 1].x, expected_change[k + 1].x) << k;
    EXPECT_EQ(gradient.forces[k], expected.forces[k]) << k;
  }
  EXPECT_EQ(filed->factorizations(), kSheetSteps);
  // Of each step that is read H and the factor, with damping C too. All are read ahead. The step at which the
  // sweeps turn is at hand, and at its end the second sweep has begun to read for a third.
  filed.reset();
  const int parts = GetParam() > 0 ? 3 : 2;
  EXPECT_EQ(scratch.reads(), parts * 2 * (kSheetSteps - 3));
  EXPECT_EQ(scratch.reads_ahead(), scratch.reads());
}

// A sweep that is abandoned at any step leaves the derivatives as good as before.
TEST_P(Budgets, AbandonedSweepsCanBeRepeated) {
  struct Abandoned {};
  const SheetRun run(GetParam());
  const int n = 3 * run.model.vertex_count();
  std::vector<StateVector> seeds(kSheetSteps + 1);
  seeds[kSheetSteps] = {noise(n, 2), noise(n, 3)};
  MemoryScratch scratch(1e9);
  int calls = 0, last = -1;  // -1: all
  const LinearizedTrajectory::Observer observer = [&] {
    if (calls++ == last) throw Abandoned{};
  };
  const auto budget =
      static_cast<size_t>(passing_bytes(run.costs, 1.0) + 3 * run.bytes(StepStorage::kSingle));
  const auto linearize = [&] {
    return LinearizedTrajectory(run.simulator, run.trajectory, budget, &scratch, observer);
  };
  last = kSheetSteps - 1;
  EXPECT_THROW(linearize(), Abandoned);
  last = -1;
  LinearizedTrajectory linearized = linearize();
  const RunInputs expected = adjoint(linearized, seeds).value();
  for (last = 0; last < kSheetSteps; ++last) {
    calls = 0;
    EXPECT_THROW(adjoint(linearized, seeds), Abandoned) << last;
    calls = -kSheetSteps;
    const RunInputs again = adjoint(linearized, seeds).value();
    for (int k = 0; k < kSheetSteps; ++k) EXPECT_EQ(again.forces[k], expected.forces[k]) << last << ' ' << k;
  }
}

// A file that is too small is used as far as it goes.
TEST_P(Budgets, SmallScratchFileTakesWhatItHolds) {
  const SheetRun run(GetParam());
  MemoryScratch scratch(4.5 * run.bytes(StepStorage::kSingle));
  LinearizedTrajectory filed(run.simulator, run.trajectory, 0, &scratch);
  EXPECT_EQ(count(filed, StepStorage::kFile), 4);
  EXPECT_EQ(count(filed, StepStorage::kNone), kSheetSteps - 4);
  const int n = 3 * run.model.vertex_count();
  std::vector<StateVector> seeds(kSheetSteps + 1);
  seeds[kSheetSteps] = {noise(n, 2), noise(n, 3)};
  LinearizedTrajectory held = run.within(1e9);
  const RunInputs expected = adjoint(held, seeds).value();
  for (int sweep = 0; sweep < 2; ++sweep) {
    const RunInputs gradient = adjoint(filed, seeds).value();
    for (int k = 0; k < kSheetSteps; ++k)
      EXPECT_LE((gradient.forces[k] - expected.forces[k]).norm(), 1e-12 * expected.forces[k].norm()) << k;
  }
}

// What is counted beforehand is what is held.
TEST(Storage, CostsAreThoseOfTheSteps) {
  StepWorkspace work;
  const SheetRun run(0.01);
  StepLinearization step(run.simulator, 3, run.trajectory.states[3], run.trajectory.states[4], work);
  EXPECT_EQ(static_cast<double>(step.memory_bytes()), run.bytes(StepStorage::kMatrices));
  ASSERT_TRUE(step.factorize(StepLinearization::Precision::kSingle));
  EXPECT_TRUE(step.is_single());
  EXPECT_EQ(static_cast<double>(step.memory_bytes()), run.bytes(StepStorage::kSingle));
  MemoryScratch scratch(1e9);
  StepLinearization filed(run.simulator, 3, run.trajectory.states[3], run.trajectory.states[4], work);
  ASSERT_TRUE(filed.factorize(StepLinearization::Precision::kSingle));
  filed.move_to(*scratch.open(0));
  EXPECT_EQ(filed.memory_bytes(), 0u);
  EXPECT_EQ(static_cast<double>(filed.filed_bytes()),
            run.costs[static_cast<size_t>(StepStorage::kFile)].file_bytes);
  step.release_factor();
  ASSERT_TRUE(step.factorize(StepLinearization::Precision::kDouble));
  step.release_matrix();
  EXPECT_NEAR(static_cast<double>(step.memory_bytes()), run.bytes(StepStorage::kDouble),
              0.05 * run.bytes(StepStorage::kDouble));
}

// Refined solves leave the residual of a factor in double precision, those for a model a larger one.
TEST(RefinedSolve, ReachesDoublePrecision) {
  StepWorkspace work;
  const SheetRun run(0.0, 20);
  StepLinearization single(run.simulator, 5, run.trajectory.states[5], run.trajectory.states[6], work),
      exact = [&] {
        StepLinearization step(run.simulator, 5, run.trajectory.states[5], run.trajectory.states[6], work);
        EXPECT_TRUE(step.factorize(StepLinearization::Precision::kDouble));
        return step;
      }();
  ASSERT_TRUE(single.factorize(StepLinearization::Precision::kSingle));
  const VecX b = noise(3 * run.model.vertex_count(), 4);
  VecX x, y;
  ASSERT_TRUE(single.solve(b, x));
  ASSERT_TRUE(exact.solve(b, y));
  EXPECT_GT((x - y).norm(), 0.0);  // it is another way
  EXPECT_LE((x - y).norm(), 1e-12 * y.norm());
  ASSERT_TRUE(single.solve(b, x, SolveAccuracy::kModel));
  EXPECT_GT((x - y).norm(), 1e-14 * y.norm());  // it has ended earlier
  EXPECT_LE((x - y).norm(), 1e-6 * y.norm());
}

// Numbers that single precision does not reach: the same digits.
TEST(RefinedSolve, TakesTinyAndHugeRightHandSides) {
  StepWorkspace work;
  const SheetRun run(0.0);
  StepLinearization step(run.simulator, 5, run.trajectory.states[5], run.trajectory.states[6], work);
  ASSERT_TRUE(step.factorize(StepLinearization::Precision::kSingle));
  ASSERT_TRUE(step.is_single());
  const VecX b = noise(3 * run.model.vertex_count(), 4);
  VecX expected, x;
  ASSERT_TRUE(step.solve(b, expected));
  for (const int exponent : {-900, -300, 300, 900}) {
    const double scale = std::ldexp(1.0, exponent);
    ASSERT_TRUE(step.solve(scale * b, x));
    EXPECT_EQ(x / scale, expected) << exponent;
  }
}

// Of mixtures the best: no budget is worse used than by keeping everything in one way.
TEST(StoragePlan, MixesNeighboursOfTheHull) {
  const StorageCosts costs{{{0, 140}, {10, 92}, {0, 30, 33}, {33, 12}, {53, 8.6}}};
  const auto work = [&](const StoragePlan& plan) {
    double sum = 0;
    for (size_t s = 0; s < costs.size(); ++s) sum += plan.counts[s] * costs[s].work;
    return sum;
  };
  double previous = 1e300;
  for (double budget = 0; budget < 6000; budget += 50) {
    const StoragePlan plan = plan_storage(costs, 100, {budget, 0});
    EXPECT_LE(plan.bytes, std::max(budget, passing_bytes(costs))) << budget;
    EXPECT_LE(work(plan), previous) << budget;
    previous = work(plan);
    const double room = budget - passing_bytes(costs);
    for (size_t s = 1; s < costs.size() && room > 0; ++s) {
      if (costs[s].file_bytes > 0) continue;
      const double fitting = std::min(100.0, std::floor(room / costs[s].bytes));
      EXPECT_LE(work(plan), fitting * costs[s].work + (100 - fitting) * costs[0].work + 1e-9)
          << budget << ' ' << s;
    }
  }
  EXPECT_EQ(plan_storage(costs, 100, {5300, 0}).counts, (StorageCounts{0, 0, 0, 0, 100}));
}

// The file takes what memory has no factors for, and no more than it holds; the rest shares all
// of the memory.
TEST(StoragePlan, FilesWhatMemoryHasNoRoomFor) {
  const StorageCosts costs{{{0, 140}, {10, 92}, {0, 30, 33}, {33, 12}, {53, 8.6}}};
  const double passing = passing_bytes(costs, 1e6);
  EXPECT_EQ(plan_storage(costs, 100, {passing + 20 * 33, 1e6}).counts, (StorageCounts{0, 0, 80, 20, 0}));
  EXPECT_DOUBLE_EQ(plan_storage(costs, 100, {passing + 20 * 33, 1e6}).file_bytes, 80 * 33);
  EXPECT_EQ(plan_storage(costs, 100, {0, 1e6}).counts, (StorageCounts{0, 0, 100, 0, 0}));
  EXPECT_EQ(plan_storage(costs, 100, {1e6, 1e6}).counts, (StorageCounts{0, 0, 0, 0, 100}));
  EXPECT_EQ(plan_storage(costs, 100, {passing + 330, 50 * 33}).counts, (StorageCounts{17, 33, 50, 0, 0}));
  StorageCosts slow = costs;
  slow[static_cast<size_t>(StepStorage::kFile)].work = 140;  // a step that is made as fast as it is read
  EXPECT_EQ(plan_storage(slow, 100, {0, 1e6}).counts, (StorageCounts{100, 0, 0, 0, 0}));
}

// Evenly among those in memory; what could not be filed is made up for by the next.
TEST(StoragePlan, FilesStepsAmongTheOthers) {
  const StorageCosts costs{{{0, 140}, {10, 92}, {0, 30, 33}, {33, 12}, {53, 8.6}}};
  const auto filed = [&](int not_filed) {
    StorageChoice choice(costs, 12, {passing_bytes(costs, 1e6) + 8 * 33, 1e6});
    std::vector<int> steps;
    for (int n = 0; n < 12; ++n) {
      const StepStorage storage = choice.choose(costs);
      const bool is_filed = storage == StepStorage::kFile && n != not_filed;
      if (is_filed) steps.push_back(n);
      choice.take(is_filed ? StorageBytes{0, 33} : StorageBytes{33});
    }
    return steps;
  };
  EXPECT_EQ(filed(-1), (std::vector<int>{2, 5, 8, 11}));
  EXPECT_EQ(filed(5), (std::vector<int>{2, 6, 8, 11}));
}

// A way that costs more memory and more work than a mixture of others is never chosen.
TEST(StoragePlan, LeavesOutWhatIsAboveTheHull) {
  const StorageCosts costs{{{0, 100}, {20, 95}, {0, 30, 30}, {30, 10}, {60, 9}}};
  for (double budget = 0; budget < 7000; budget += 35)
    EXPECT_EQ(plan_storage(costs, 100, {budget, 0}).counts[static_cast<size_t>(StepStorage::kMatrices)], 0)
        << budget;
}

TEST(SearchMemory, CountsVectorsAndTakesFewerPairs) {
  const SheetRun run(0.01);
  std::vector<int> blocks(kSheetSteps), active;
  for (int n = 0; n < kSheetSteps; ++n) blocks[n] = n;
  for (int i = 0; i < run.model.vertex_count(); ++i) active.push_back(i);
  const ControlLayout layout(blocks, active, run.model.vertex_mass());
  const auto plan = [&](StoredMethod method, double budget) {
    return plan_search_memory(run.simulator, layout, method, 2, 10, {budget});
  };
  const double z = 8.0 * layout.size();
  const SearchMemory large = plan(StoredMethod::kLbfgs, 1e9);
  EXPECT_TRUE(large.fits());
  EXPECT_EQ(large.memory_pairs, 10);
  const SearchMemory small = plan(StoredMethod::kLbfgs, large.needed + 4.5 * z);
  EXPECT_TRUE(small.fits());
  EXPECT_EQ(small.memory_pairs, 5);
  EXPECT_DOUBLE_EQ(large.vectors - small.vectors, 10 * z);
  EXPECT_FALSE(plan(StoredMethod::kLbfgs, large.needed - 1).fits());
  EXPECT_EQ(plan(StoredMethod::kLbfgs, large.needed).memory_pairs, 3);
  EXPECT_EQ(plan(StoredMethod::kGaussNewton, 1e9).memory_pairs, 0);
  const double least = plan(StoredMethod::kGaussNewton, 1e9).needed;
  for (const double budget : {least, 2 * least, 1e9}) {
    const SearchMemory memory = plan(StoredMethod::kGaussNewton, budget);
    EXPECT_LE(memory.trajectories + memory.vectors + memory.work_space + memory.plan.bytes, budget);
  }
}

}  // namespace
}  // namespace keydrape
