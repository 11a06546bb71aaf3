// Conjugate gradients filtered by the constraints, on the matrix of a linearised step.

#include "core/step/filtered_cg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "core/step/simulator.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

// A hung sheet, out of shape, with vertices that are held, that slide along a line and in a plane, both
// oblique and a little away from where they are.
struct HungSystem {
  explicit HungSystem(int cells) : model(build_model(cloth(cells))), simulator(model, options_of(1.0 / 60)) {
    State start{stacked(square(cells, 1.0).positions), VecX::Zero(3 * model.vertex_count())};
    for (Eigen::Index i = 0; i < start.x.size(); ++i) start.x(i) += 0.01 * std::sin(3.0 * i);
    const StepProblem problem = simulator.problem(0, start, u, work);
    constraints = problem.constraints();
    A.emplace(model.pattern());
    problem.linearized_matrix(start.x, *A);
    problem.residual(start.x, b);
    b = -b;
    z = start.x;
    constraints.impose(z);
    z -= start.x;
    constrained.emplace(*A);
    problem.constrain(*constrained);
  }

  static ClothDescription cloth(int cells) {
    ClothDescription cloth = cloth_of(square(cells, 1.0), cotton(0.01), Vec3(0, -9.81, 0));
    const VecX x = stacked(cloth.mesh.positions);
    const Vec3 t = Vec3(1, 0.3, -0.4).normalized(), n = Vec3(0.2, -1, 0.5).normalized();
    const int side = cells + 1;
    cloth.pins = {held(x, {0, 1}), held(x, {side / 2}), held(x, {side - 1})};
    cloth.pins[1].free = t * t.transpose();
    cloth.pins[2].free = Mat3::Identity() - n * n.transpose();
    return cloth;
  }

  // How far x is from the held directions of z.
  double held_error(const VecX& x) const {
    VecX difference = x - z;
    constraints.filter_out(difference);
    return difference.lpNorm<Eigen::Infinity>();
  }
  double free_residual(const VecX& x) const {
    VecX r;
    A->multiply(x, r);
    r -= b;
    constraints.filter(r);
    return r.norm();
  }

  Model model;
  Simulator simulator;
  VecX u = VecX::Zero(3 * model.vertex_count());
  StepWorkspace work;
  StepConstraints constraints;
  std::optional<BlockMatrix> A, constrained;
  VecX b, z;
};

TEST(FilteredCg, IsExactOnHeldDirectionsAfterAnyNumberOfIterations) {
  const HungSystem system(12);
  ASSERT_EQ(system.constraints.rows().size(), 4u);
  ASSERT_GT(system.z.norm(), 1e-3);
  VecX x;
  for (const int iterations : {0, 1, 2, 7, 40, 1000}) {
    const FilteredCgReport report =
        solve_filtered(*system.A, system.b, system.constraints, {1e-13, iterations}, system.z, x);
    EXPECT_LE(report.iterations, iterations);
    EXPECT_EQ(report.converged, iterations == 1000);
    EXPECT_LE(system.held_error(x), 1e-16);
  }
  EXPECT_LE(system.free_residual(x), 1e-11 * system.b.norm());
}

TEST(FilteredCg, AgreesWithCholesky) {
  HungSystem system(12);
  VecX x;
  ASSERT_TRUE(solve_filtered(*system.A, system.b, system.constraints, {1e-14, 2000}, system.z, x).converged);
  VecX b, expected;
  system.A->multiply(system.z, b);
  b = system.b - b;
  system.constraints.filter(b);
  const auto factor = system.simulator.cholesky().factorize(*system.constrained, system.work.cholesky);
  ASSERT_TRUE(factor);
  factor->solve(b, expected, system.work.cholesky);
  expected += system.z;
  EXPECT_LE((x - expected).norm(), 1e-11 * expected.norm());
}

// Where nothing pushes and held vertices move, the free ones follow: there is no b to measure by.
TEST(FilteredCg, EndsWithoutForces) {
  const HungSystem system(8);
  VecX x;
  const VecX no_force = VecX::Zero(system.b.size());
  EXPECT_TRUE(solve_filtered(*system.A, no_force, system.constraints, {1e-6, 2000}, system.z, x).converged);
  EXPECT_GT(x.norm(), system.z.norm());
}

// A block matrix in compressed rows as a textbook writes it down (Stuyck 2018, (5.19)): what differs here is
// that every diagonal block has a place, be it zero.
TEST(FilteredCg, ProductIsThatOfCompressedRows) {
  constexpr int kBlocks[] = {0, 1, 2, 1, 3, 3, 4, 5, 4, 6, 2, 5, 6};
  constexpr int kColumns[] = {0, 1, 4, 0, 2, 1, 3, 4, 2, 4, 0, 2, 3};
  constexpr int kRows[] = {0, 3, 5, 8, 10, 13};
  const auto value = [](int block) {
    Mat3 m = Mat3::Constant(0.1 * (block + 1));
    m.diagonal() << block, 1 + block, 2 - block;
    return m;  // symmetric, as in the text both triangles name the same block
  };
  std::vector<Edge> pairs;
  for (int i = 0; i < 5; ++i)
    for (int s = kRows[i]; s < kRows[i + 1]; ++s)
      if (kColumns[s] != i) pairs.push_back({i, kColumns[s]});
  const BlockPattern pattern(5, pairs);
  EXPECT_EQ(pattern.block_count(), 13 + 4);
  BlockMatrix A(pattern);
  VecX x = VecX::LinSpaced(15, -1.0, 2.0), expected = VecX::Zero(15), product;
  for (int i = 0; i < 5; ++i)
    for (int s = kRows[i]; s < kRows[i + 1]; ++s) {
      A.block(pattern.slot(i, kColumns[s])) = value(kBlocks[s]);
      expected.segment<3>(3 * i) += value(kBlocks[s]) * x.segment<3>(3 * kColumns[s]);
    }
  A.multiply(x, product);
  EXPECT_LE((product - expected).norm(), 1e-15 * expected.norm());
}

}  // namespace
}  // namespace keydrape
