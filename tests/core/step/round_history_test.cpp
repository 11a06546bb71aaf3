// Rounds that remember what the last ones have seen.

#include "core/step/round_history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

ClothDescription remembered_sheet() {
  Material soft = cotton(0.01);
  soft.k_warp = soft.k_weft = 60.0, soft.k_shear = 10.0;
  ClothDescription cloth = cloth_of(square(6, 0.6), soft, Vec3(0, -9.81, 0));
  cloth.pins = {held(stacked(cloth.mesh.positions), {0, 6})};
  return cloth;
}

State remembered_start() {
  State start = at_rest_in(remembered_sheet());
  for (Eigen::Index i = 0; i < start.v.size(); ++i) start.v(i) = std::sin(5.0 * static_cast<double>(i));
  return start;
}

// What is remembered makes B a better P: symmetric, positive, right about what the last round has seen, and
// nearer to the end after as many rounds.
TEST(RoundHistory, TellsHowTheClothAnswers) {
  const Model model = build_model(remembered_sheet());
  const State start = remembered_start();
  SimulatorOptions how = rounds_of(StepMethod::kPrefactored, 12);
  how.rounds_memory = 3;
  const Simulator simulator(model, how);
  StepWorkspace work;
  const VecX u = VecX::Zero(start.x.size());
  const StepProblem problem = simulator.problem(0, start, u, work);
  const MatrixOfStep matrix = simulator.round_matrix(problem, 0);
  RoundsRecord record;
  take_rounds(problem, matrix, simulator.rounds_options(), &record);
  ASSERT_EQ(record.y.size(), 12u);
  RoundHistory history(3);
  for (int k = 0; k + 1 < 12; ++k) {
    history.add(k, record.y[k + 1] - record.y[k], record.r[k + 1] - record.r[k]);
    ASSERT_EQ(history.pairs().size(), static_cast<size_t>(std::min(k + 1, 3)));
    const auto B = [&](const VecX& r) { return history.product(r, *matrix.P, problem.constraints()); };
    const RoundHistory::Pair& last = *history.pairs().back();
    EXPECT_EQ(last.round, k);
    EXPECT_LE((B(last.g) - last.s).norm(), 1e-12 * last.s.norm());
    VecX a = record.r[0], b = record.r[1] - 0.3 * last.g;
    EXPECT_NEAR(a.dot(B(b)), b.dot(B(a)), 1e-12 * a.norm() * B(b).norm());
    EXPECT_GT(a.dot(B(a)), 0.0);
    EXPECT_LT(problem.value(record.y[k + 1]), problem.value(record.y[k]));
  }
  const double least =
      problem.value(Simulator(model, options_of(kRoundStep, 1e-10)).step(0, start, u).next.x);
  const auto above = [&](int memory) {
    how.rounds_memory = memory, how.rounds = 40;
    return problem.value(Simulator(model, how).step(0, start, u).next.x) - least;
  };
  EXPECT_LT(above(3), 0.2 * above(0));
  EXPECT_GE(above(3), -1e-9 * std::abs(least));
}

// (R12): against differences of what is remembered and of what it acts on, and tangent against adjoint.
TEST(RoundHistory, IsDifferentiated) {
  const Model model = build_model(remembered_sheet());
  const State start = remembered_start();
  const Eigen::Index size = start.x.size();
  const Simulator simulator(model, rounds_of(StepMethod::kPrefactored));
  StepWorkspace work;
  const VecX u = VecX::Zero(start.x.size());
  const StepProblem problem = simulator.problem(0, start, u, work);
  const MatrixOfStep matrix = simulator.round_matrix(problem, 0);
  const StepConstraints& constraints = problem.constraints();
  const auto wave = [&](double phase) {
    VecX v(size);
    for (Eigen::Index i = 0; i < size; ++i) v(i) = std::sin(phase * static_cast<double>(i + 1));
    constraints.filter(v);
    return v;
  };
  const VecX r = wave(1.3), dr = wave(0.4);
  const auto history_at = [&](double share) {
    RoundHistory history(2);
    for (int j = 0; j < 3; ++j) {  // the first is forgotten
      const VecX s = wave(2.1 + j) + share * wave(3.3 + j);
      history.add(j, s, 2.0 * s + 0.7 * wave(2.3 + j) + share * wave(0.9 + j));
    }
    return history;
  };
  const RoundHistory history = history_at(0.0);
  ASSERT_EQ(history.pairs().size(), 2u);
  std::vector<RoundProduct::PairChange> change;
  change.reserve(3);
  for (int j = 0; j < 3; ++j) change.push_back({wave(3.3 + j), 2.0 * wave(3.3 + j) + wave(0.9 + j)});
  const RoundProduct product(history, r, *matrix.P, constraints);
  const VecX tangent = product.tangent(dr, change);
  constexpr double kSmall = 1e-5;
  const auto moved = [&](double share) {
    return history_at(share).product(r + share * dr, *matrix.P, constraints);
  };
  const VecX difference = (moved(kSmall) - moved(-kSmall)) / (2 * kSmall);
  EXPECT_LE((tangent - difference).norm(), 1e-7 * tangent.norm());

  const VecX bar = wave(5.2), none = VecX::Zero(start.x.size());
  std::vector<RoundProduct::PairChange> bars(3, {none, none});
  double sum = product.adjoint(bar, bars).dot(dr);
  for (int j = 0; j < 3; ++j) sum += bars[j].s.dot(change[j].s) + bars[j].g.dot(change[j].g);
  EXPECT_NEAR(sum, bar.dot(tangent), 1e-12 * bar.norm() * tangent.norm());
  EXPECT_TRUE(bars[0].s.isZero(0.0));
}

}  // namespace
}  // namespace keydrape
