#include "core/linear/single_factor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/linear/cholesky.h"
#include "core/step/conjugate_gradient.h"
#include "core/step/step_problem.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr int kCells = 24;
constexpr double kDt = 1.0 / 24;

VecX random_vector(Eigen::Index size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  return VecX::NullaryExpr(size, [&] { return number(random); });
}

// One step of a square of cotton that hangs from two corners, in tension everywhere: every vertex stands 1 %
// further from the origin than at rest.
class SingleFactorTest : public testing::Test {
 protected:
  SingleFactorTest()
      : cloth_(hung()),
        model_(build_model(cloth_)),
        start_{stacked(cloth_.mesh.positions), VecX::Zero(3 * model_.vertex_count())},
        no_force_(VecX::Zero(start_.x.size())),
        problem_(model_, start_, kDt, kDt, no_force_, work_),
        solver_(model_.pattern()),
        H_(matrix_at(1.01 * start_.x)) {}

  static ClothDescription hung() {
    ClothDescription cloth = cloth_of(square(kCells, 1.0), cotton(), Vec3(0, 0, -9.81));
    cloth.pins = {held(stacked(cloth.mesh.positions), {0, kCells})};
    return cloth;
  }

  BlockMatrix matrix_at(const VecX& y) const {
    BlockMatrix H(model_.pattern());
    problem_.hessian(y, VecX(), H);
    problem_.constrain(H);
    return H;
  }

  // H of a flat sheet squeezed to nine tenths: it buckles.
  BlockMatrix indefinite() const { return matrix_at(0.9 * start_.x); }

  // |x - H^-1 b| / |H^-1 b|, x the factor's answer.
  double relative_difference(const SingleFactor& factor, const VecX& b) const {
    VecX exact, rounded;
    CholeskyWorkspace work;
    solver_.factorize(H_, work)->solve(b, exact, work);
    factor.solve(b, rounded);
    return (rounded - exact).norm() / exact.norm();
  }

  ClothDescription cloth_;
  Model model_;
  State start_;
  VecX no_force_;
  StepWorkspace work_;
  StepProblem problem_;
  CholeskySolver solver_;
  BlockMatrix H_;
};

TEST_F(SingleFactorTest, AgreesWithTheFactorInDoublePrecision) {
  const auto factor = solver_.factorize_single(H_, work_.cholesky);
  ASSERT_TRUE(factor);
  double worst = 0.0;
  for (unsigned seed = 1; seed <= 5; ++seed)
    worst = std::max(worst, relative_difference(*factor, random_vector(start_.x.size(), seed)));
  std::printf("single precision: largest relative difference %.1e\n", worst);
  EXPECT_LT(worst, 1e-4);
  EXPECT_GT(worst, 1e-12);  // it is single precision
}

// Every supernode shape: meshes so small that their factors are a few columns, and columns that come in other
// numbers than fours.
TEST(SingleFactor, AgreesOnMeshesOfEverySize) {
  for (int nx = 1; nx <= 6; ++nx)
    for (int ny = 1; ny <= nx; ++ny) {
      const ClothDescription cloth =
          cloth_of(sheet(nx, ny, Vec2(0.1 * nx, 0.1 * ny)), cotton(), Vec3::Zero());
      const Model model = build_model(cloth);
      const VecX x0 = stacked(cloth.mesh.positions), none = VecX::Zero(x0.size());
      const State start{x0, none};
      StepWorkspace of_step;
      const StepProblem problem(model, start, kDt, kDt, none, of_step);
      BlockMatrix H(model.pattern());
      problem.hessian(1.01 * x0, VecX(), H);
      const CholeskySolver solver(model.pattern());
      CholeskyWorkspace work;
      const auto exact = solver.factorize(H, work);
      const auto rounded = solver.factorize_rounded(H, work), made_single = solver.factorize_single(H, work);
      ASSERT_TRUE(exact && rounded && made_single) << nx << " x " << ny;
      VecX x, expected;
      const VecX b = random_vector(x0.size(), 3);
      exact->solve(b, expected, work);
      rounded->solve(b, x);
      EXPECT_LT((x - expected).norm(), 1e-4 * expected.norm()) << nx << " x " << ny;
      // The rounding of a factorisation instead of that of its result: the condition number is 1e4. What H
      // makes of x is b to single precision all the same.
      made_single->solve(b, x);
      EXPECT_LT((x - expected).norm(), 2e-3 * expected.norm()) << nx << " x " << ny;
      VecX Hx, absolute;
      H.multiply(x, Hx);
      H.multiply_absolute(x, absolute);
      EXPECT_LT((Hx - b).norm(), 2e-7 * absolute.norm()) << nx << " x " << ny;
    }
}

TEST_F(SingleFactorTest, ConjugateGradientsMakeUpForTheRounding) {
  const auto factor = solver_.factorize_single(H_, work_.cholesky);
  ASSERT_TRUE(factor);
  VecX b = random_vector(start_.x.size(), 7), x, Hx;
  problem_.constraints().filter(b);
  const CgReport report = solve_by_cg(H_, b, *factor, problem_.constraints(), {1e-12, 20}, x);
  EXPECT_EQ(report.end, CgEnd::kConverged);
  H_.multiply(x, Hx);
  const double residual = (Hx - b).norm() / b.norm();
  std::printf("CG: %d iterations, true residual %.1e\n", report.iterations, residual);
  EXPECT_LT(residual, 2e-12);  // CG updates its residual, rather than computing it
  EXPECT_GT(report.iterations, 1);
}

TEST_F(SingleFactorTest, GivesTheSameBitsOnEveryRun) {
  const VecX b = random_vector(start_.x.size(), 11);
  VecX first, again, anew;
  const auto factor = solver_.factorize_single(H_, work_.cholesky);
  factor->solve(b, first);
  factor->solve(b, again);
  CholeskySolver(model_.pattern()).factorize_single(H_, work_.cholesky)->solve(b, anew);
  EXPECT_EQ(first, again);
  EXPECT_EQ(first, anew);
}

TEST_F(SingleFactorTest, AnIndefiniteMatrixHasNone) {
  const BlockMatrix bad = indefinite();
  EXPECT_FALSE(solver_.factorize(bad, work_.cholesky));
  EXPECT_FALSE(solver_.factorize_single(bad, work_.cholesky));
  EXPECT_FALSE(solver_.factorize_rounded(bad, work_.cholesky));
}

TEST_F(SingleFactorTest, AMatrixThatIsNotFiniteHasNone) {
  BlockMatrix bad = matrix_at(1.01 * start_.x);
  bad.block(bad.pattern().diagonal_slot(kCells / 2))(0, 0) = std::nan("");
  EXPECT_FALSE(solver_.factorize_single(bad, work_.cholesky));
  EXPECT_FALSE(solver_.factorize_rounded(bad, work_.cholesky));
}

// Work space is reused: neither what failed nor what came before shows in the next.
TEST_F(SingleFactorTest, IsRightAfterOneThatFailed) {
  const VecX b = random_vector(start_.x.size(), 13);
  BlockMatrix not_finite = matrix_at(1.01 * start_.x);
  not_finite.block(not_finite.pattern().diagonal_slot(kCells / 2))(0, 0) = std::nan("");
  for (const auto make : {&CholeskySolver::factorize_single, &CholeskySolver::factorize_rounded}) {
    const auto factor = [&](const BlockMatrix& H) { return (solver_.*make)(H, work_.cholesky); };
    const auto fresh = factor(H_);
    ASSERT_FALSE(factor(indefinite()));
    const auto after_indefinite = factor(H_);
    ASSERT_TRUE(factor(matrix_at(1.05 * start_.x)));
    ASSERT_FALSE(factor(not_finite));
    const auto after_not_finite = factor(H_);
    ASSERT_TRUE(fresh && after_indefinite && after_not_finite);
    EXPECT_EQ(after_indefinite->values(), fresh->values());
    EXPECT_EQ(after_not_finite->values(), fresh->values());
    EXPECT_LT(relative_difference(*after_not_finite, b), 1e-4);
  }
}

TEST_F(SingleFactorTest, KeepsItsValuesWhenTheNextIsMade) {
  const VecX b = random_vector(start_.x.size(), 17);
  VecX before, after;
  const auto factor = solver_.factorize_single(H_, work_.cholesky);
  factor->solve(b, before);
  ASSERT_TRUE(solver_.factorize_single(matrix_at(1.05 * start_.x), work_.cholesky));
  factor->solve(b, after);
  EXPECT_EQ(before, after);
}

// What comes back, of this solver in either layout or of another, shows in no factor that is made later.
TEST_F(SingleFactorTest, MemoryThatComesBackChangesNothing) {
  const VecX b = random_vector(start_.x.size(), 23);
  VecX fresh, again;
  const auto expected = solver_.factorize_single(H_, work_.cholesky);
  expected->solve(b, fresh);
  const BlockMatrix other = matrix_at(1.05 * start_.x);
  const auto expect_same_factor = [&](std::unique_ptr<SingleFactor> recycled) {
    work_.cholesky.recycle(std::move(recycled));
    const auto factor = solver_.factorize_single(H_, work_.cholesky);
    EXPECT_EQ(factor->values(), expected->values());
    factor->solve(b, again);
    EXPECT_EQ(again, fresh);
  };
  expect_same_factor(solver_.factorize_single(other, work_.cholesky));
  expect_same_factor(solver_.factorize_rounded(other, work_.cholesky));
  expect_same_factor(CholeskySolver(model_.pattern()).factorize_single(other, work_.cholesky));
  expect_same_factor(nullptr);
}

TEST_F(SingleFactorTest, OutlivesItsSolver) {
  const VecX b = random_vector(start_.x.size(), 19);
  VecX x;
  const auto factor = CholeskySolver(model_.pattern()).factorize_single(H_, work_.cholesky);
  factor->solve(b, x);
  EXPECT_LT(relative_difference(*factor, b), 1e-4);
}

}  // namespace
}  // namespace keydrape
