// From the forces of a coarse run to those of a finer one.

#include "control/steering/prolongation.h"

#include <gtest/gtest.h>

#include <numeric>

#include "control/run/rollout.h"
#include "control/shooting/shooting_iterate.h"
#include "core/cloth/cloth.h"
#include "tests/support/wavy_sheet.h"

namespace keydrape {
namespace {

constexpr int kFrames = 18;

std::vector<int> blocks(int substeps) {
  std::vector<int> block_of_step;
  block_of_step.reserve(static_cast<std::size_t>(kFrames) * substeps);
  for (int n = 0; n < kFrames * substeps; ++n) block_of_step.push_back(n / substeps);
  return block_of_step;
}

std::vector<int> all_but_corners(int side) {
  std::vector<int> active(static_cast<std::size_t>(side) * side);
  std::iota(active.begin(), active.end(), 0);
  std::erase(active, 0);
  std::erase(active, side - 1);
  return active;
}

// A sheet of 81 vertices, and one of about 20 of them.
class ProlongationTest : public testing::Test {
 protected:
  static constexpr int kSide = 9;
  static constexpr double kFrame = 1.0 / 24;

  ProlongationTest()
      : fine_cloth_(test::hung_wavy_sheet(kSide)),
        coarse_mesh_(coarsen_mesh(fine_cloth_.mesh, 20, {fine_cloth_.pins[0].vertices})) {
    const std::vector<int>& kept = coarse_mesh_.embedding.kept;
    for (std::size_t c = 0; c < kept.size(); ++c) {
      if (kept[c] == 0 || kept[c] == kSide - 1)
        held_.push_back(static_cast<int>(c));
      else
        pushed_.push_back(static_cast<int>(c));
    }
  }

  VecX unit_mass(int count) const { return VecX::Ones(count); }

  ClothDescription fine_cloth_;
  CoarseMesh coarse_mesh_;
  std::vector<int> held_, pushed_;  // of the coarse vertices
};

TEST_F(ProlongationTest, EvenAccelerationsStayWhatTheyAre) {
  const int n = kSide * kSide, coarse_count = coarse_mesh_.embedding.coarse_count();
  std::vector<int> every(coarse_count), every_fine(n);
  std::iota(every.begin(), every.end(), 0);
  std::iota(every_fine.begin(), every_fine.end(), 0);
  // Painted shares, two steps a frame, splines: none of it matters to an acceleration that is
  // the same everywhere.
  std::vector<double> share(n), coarse_share;
  for (int i = 0; i < n; ++i) share[i] = 0.2 + 0.8 * i / n;
  for (const int v : coarse_mesh_.embedding.kept) coarse_share.push_back(share[v]);
  ControlBasis spline;
  spline.spline.emplace(kFrames, 3);
  const ControlLayout coarse(blocks(1), every, unit_mass(coarse_count), coarse_share);
  const Vec3 wanted(0.1, -0.2, 0.3);
  VecX z(coarse.size());
  for (int f = 0; f < kFrames; ++f)
    for (int k = 0; k < coarse_count; ++k)
      z.segment<3>(3 * (f * coarse_count + k)) =
          coarse_share[k] / coarse.acceleration_scale(0, k) * wanted;  // so that a = s wanted
  const Trajectory none;
  const CoarseRun run{coarse, z, none, kFrame, coarse_mesh_.embedding};
  for (const ControlBasis& basis : {ControlBasis{}, spline}) {
    const ControlLayout fine(blocks(2), every_fine, unit_mass(n), share, basis);
    const VecX prolonged = prolonged_unknowns(fine, kFrame / 2, run);
    for (int f = 0; f < kFrames; ++f)
      for (int k = 0; k < n; ++k)
        EXPECT_LE((fine.acceleration(prolonged, f, k) - share[k] * wanted).norm(), 1e-8) << f << " " << k;
  }
}

TEST_F(ProlongationTest, HeldForAStepEachForcesGoByTheMiddleOfTheStep) {
  const VertexEmbedding same = VertexEmbedding::identity(1);
  const ControlLayout coarse({0, 1, 2}, {0}, unit_mass(1)), fine({0, 1, 2, 3, 4, 5}, {0}, unit_mass(1));
  VecX z(9);
  z << 1, 0, 0, 2, 0, 0, 3, 0, 0;
  const Trajectory none;
  const VecX prolonged = prolonged_unknowns(fine, 0.5, {coarse, z, none, 1.0, same});
  for (int f = 0; f < 6; ++f)
    EXPECT_DOUBLE_EQ(fine.acceleration(prolonged, f, 0).x(), coarse.acceleration(z, f / 2, 0).x());
  EXPECT_NEAR(prolonged.squaredNorm(), z.squaredNorm(), 1e-12);  // as much effort
}

TEST_F(ProlongationTest, ARunAlongItselfIsItself) {
  const Model model = build_model(fine_cloth_);
  SimulatorOptions options;
  options.dt = kFrame / 2;
  const Simulator simulator(model, options);
  const State start{stacked(fine_cloth_.mesh.positions), VecX::Zero(3 * kSide * kSide)};
  const ControlLayout layout(blocks(2), all_but_corners(kSide), model.vertex_mass());
  const Objective objective({1.0}, {}, layout, kFrame, {});
  ShootingProblem problem(simulator, start, layout, objective, size_t{1} << 30);
  std::srand(1);
  const ShootingIterate run(problem, 0.2 * VecX::Random(layout.size()));
  const VertexEmbedding same = VertexEmbedding::identity(kSide * kSide);
  const auto again =
      problem.evaluate_along({layout, run.z(), run.trajectory(), options.dt, same}, objective.first_goal());
  EXPECT_LE((again->z() - run.z()).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LE((again->trajectory().back().x - run.trajectory().back().x).cwiseAbs().maxCoeff(), 1e-6);
}

TEST_F(ProlongationTest, TheFinerClothGoesWhereTheCoarseOneWent) {
  ClothDescription cloth = fine_cloth_;
  cloth.mesh = coarse_mesh_.mesh;
  cloth.pins[0].vertices = held_;
  const Model coarse_model = build_model(cloth), fine_model = build_model(fine_cloth_);
  SimulatorOptions long_steps, short_steps;
  long_steps.dt = kFrame;
  short_steps.dt = kFrame / 2;
  const Simulator coarse(coarse_model, long_steps), fine(fine_model, short_steps);
  const ControlLayout coarse_layout(blocks(1), pushed_, coarse_model.vertex_mass()),
      fine_layout(blocks(2), all_but_corners(kSide), fine_model.vertex_mass());
  VecX z(coarse_layout.size());
  for (Eigen::Index k = 0; k < z.size() / 3; ++k) z.segment<3>(3 * k) = Vec3(0.02, 0.0, 0.06);
  const State there{stacked(cloth.mesh.positions), VecX::Zero(3 * coarse_mesh_.embedding.coarse_count())},
      here{stacked(fine_cloth_.mesh.positions), VecX::Zero(3 * kSide * kSide)};
  const Trajectory reference = rollout(coarse, there, ControlForces(coarse_layout, z), kFrames);
  const CoarseRun run{coarse_layout, z, reference, kFrame, coarse_mesh_.embedding};

  const auto distance = [&](const Feedback& feedback) {
    Prolongation prolongation(fine_layout, short_steps.dt, feedback, run);
    const Trajectory trajectory = rollout(fine, here, prolongation, 2 * kFrames);
    // What was applied is what z says.
    const Trajectory repeated =
        rollout(fine, here, ControlForces(fine_layout, prolongation.z()), 2 * kFrames);
    EXPECT_LE((trajectory.back().x - repeated.back().x).cwiseAbs().maxCoeff(), 1e-6);
    return (coarse_mesh_.embedding.restricted(trajectory.back().x) - reference.back().x).norm();
  };
  const double alone = distance(Feedback::none()), held = distance(Feedback::for_blocks(kFrame));
  EXPECT_LE(held, 0.5 * alone);
}

}  // namespace
}  // namespace keydrape
