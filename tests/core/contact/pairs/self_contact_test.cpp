#include <gtest/gtest.h>

#include <cmath>

#include "core/contact/body/shape/half_space.h"
#include "core/contact/body/shape/sphere.h"
#include "core/contact/pairs/intersection.h"
#include "core/contact/pairs/surface_contact.h"
#include "core/step/simulator.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr ContactLaw kLaw{{0.004, 0.02}, 0.05};

// A square of 0.4 m whose far half lies 1.2 cm above the near one, slightly askew so that no
// edges are parallel.
struct FoldedSheet {
  TriangleMesh mesh = square(8, 0.4);
  VecX x = stacked(mesh.positions), at_rest = VecX::Zero(x.size());

  StepStart start() const { return {0.01, 0.01, x, at_rest}; }
  std::shared_ptr<const SurfacePairs> pairs() const {
    return std::make_shared<const SurfacePairs>(mesh, SurfaceOptions{{kLaw}}, stacked(mesh.positions));
  }

  FoldedSheet() {
    for (int i = 0; i < mesh.vertex_count(); ++i) {
      auto p = x.segment<3>(3 * i);
      const double wobble = 5e-4 * std::sin(7.0 * i);
      if (p.y() > 0.2) p = Vec3(p.x() + 0.013, 0.4 - p.y() + 0.007, 0.012);
      p += Vec3(wobble, -0.5 * wobble, wobble);
    }
  }
};

TEST(SelfContactTest, GradientAndHessianAreThoseOfTheValue) {
  FoldedSheet sheet;
  const SurfaceContact contact(sheet.pairs());
  const auto begun = contact.begin_step(sheet.start());
  const EnergyStep& step = *begun;
  ASSERT_GT(step.value(sheet.x), 0.0);
  std::vector<Edge> couplings;
  step.limit()->append_couplings(sheet.x, couplings);
  contact.append_couplings(couplings);
  const BlockPattern pattern(sheet.mesh.vertex_count(), couplings);
  BlockMatrix H(pattern);
  step.add_hessian(sheet.x, {}, H);
  H.mirror_upper();
  const VecX d = VecX::LinSpaced(sheet.x.size(), 0.0, 60.0).array().sin();
  const double e = 1e-6;
  VecX ahead = VecX::Zero(d.size()), behind = ahead, here = ahead, Hd;
  step.add_gradient(sheet.x + e * d, ahead);
  step.add_gradient(sheet.x - e * d, behind);
  step.add_gradient(sheet.x, here);
  const double slope = (step.value(sheet.x + e * d) - step.value(sheet.x - e * d)) / (2 * e);
  EXPECT_NEAR(slope, here.dot(d), 1e-7 * here.norm() * d.norm());
  H.multiply(d, Hd);
  EXPECT_LT(((ahead - behind) / (2 * e) - Hd).norm(), 1e-6 * Hd.norm());
}

// A ball carries the one vertex near it at the beginning of a step, by more than the gap to the next layer.
TEST(SelfContactTest, AStepBeginsWithoutPassingALayer) {
  ClothDescription cloth;
  cloth.mesh = square(2, 0.8);
  const int vertex_count = cloth.mesh.vertex_count();
  for (int i = 0; i < vertex_count; ++i)
    cloth.mesh.positions.push_back(cloth.mesh.positions[i] + Vec3(0.21, 0.17, 5e-3));
  for (Triangle t : std::vector<Triangle>(cloth.mesh.triangles)) {
    for (int& v : t) v += vertex_count;
    cloth.mesh.triangles.push_back(t);
  }
  cloth.material = {0.3, 800, 600, 60, 3e-4, 0.01, 4e-4};
  cloth.contact.self = true;
  cloth.contact.activation = 2e-3;
  constexpr double kRadius = 0.05, kTravel = 0.02, kStep = 0.01;
  const RigidMotion rises({{0.0, Vec3::Zero(), Eigen::Quaterniond::Identity()},
                           {kStep, Vec3(0, 0, kTravel), Eigen::Quaterniond::Identity()}});
  cloth.bodies = {{std::make_shared<RigidCollider>(
      std::make_unique<Sphere>(Vec3(0.4, 0.4, -kRadius - 2e-3), kRadius), rises)}};
  const Model model = build_model(cloth);
  const VecX zero = VecX::Zero(3 * model.vertex_count());
  const State start{stacked(cloth.mesh.positions), zero};
  StepWorkspace work;
  const StepProblem problem(model, start, kStep, kStep, zero, work);
  VecX carried = start.x;
  for (const auto& energy : model.energies())
    if (const auto step = energy->begin_step({kStep, kStep, start.x, start.v}); step->limit())
      step->limit()->leave(carried, 1);
  ASSERT_GT(find_intersections(cloth.mesh.triangles, carried).count, 0) << "what the body alone would do";
  EXPECT_EQ(find_intersections(cloth.mesh.triangles, problem.first_guess(0).y).count, 0);
}

TEST(SelfContactTest, AStepIsCutBeforeLayersMeet) {
  FoldedSheet sheet;
  const SurfaceContact contact(sheet.pairs());
  const auto step = contact.begin_step(sheet.start());
  VecX down = VecX::Zero(sheet.x.size());
  for (int i = 0; i < sheet.mesh.vertex_count(); ++i)
    if (sheet.x(3 * i + 2) > 0.006) down(3 * i + 2) = -1.0;
  const double bound = step->limit()->step_bound(sheet.x, down, 1.0);
  EXPECT_GT(bound, 0.0);
  EXPECT_LT(bound, 0.012);
  EXPECT_EQ(step->limit()->count_violations(sheet.x + bound * down), 0);
  EXPECT_TRUE(std::isfinite(step->value(sheet.x + bound * down)));
  EXPECT_EQ(find_intersections(sheet.mesh.triangles, sheet.x + bound * down).count, 0);
}

// A way of a thousand sheets, as from a saddle of a step without inertia, has every pair as a candidate.
// Looked at in parts it is cut before all are made, and none of them stay for a short way after it.
TEST(SelfContactTest, LongWaysLeaveNoCandidatesBehind) {
  FoldedSheet sheet;
  const auto pairs = sheet.pairs();
  const auto count = [](const PairSearch& search) {
    return search.vertex_faces.size() + search.edge_edges.size();
  };
  const VecX dx = (VecX::LinSpaced(sheet.x.size(), 0.0, 50.0).array()).sin();
  PairSearch all, used, fresh;
  pairs->colliding(sheet.x, 1e3 * dx, {}, all);
  const double bound = pairs->step_bound(sheet.x, 1e3 * dx, {}, used);
  EXPECT_LT(bound, 1e-3);
  EXPECT_LE(used.way, 4.0 * pairs->mean_edge());
  EXPECT_LT(count(used), count(all));
  EXPECT_EQ(find_intersections(sheet.mesh.triangles, sheet.x + 1e3 * bound * dx).count, 0);
  pairs->step_bound(sheet.x, 1e-4 * dx, {}, all);
  pairs->step_bound(sheet.x, 1e-4 * dx, {}, fresh);
  EXPECT_EQ(count(all), count(fresh));
}

// Candidates are kept from one question to the next: which were asked before must not matter, to the bit.
TEST(SelfContactTest, AnswersDoNotDependOnWhatWasAskedBefore) {
  FoldedSheet sheet;
  const auto pairs = sheet.pairs();
  PairSearch used;
  int cut = 0;
  for (int k = 0; k < 40; ++k) {
    // Moves of 0.1 mm to 0.1 m.
    const double phase = 1.7 * k, size = std::pow(10.0, -4.0 + 3.0 * ((7 * k) % 40) / 39.0);
    const VecX dx = size * (VecX::LinSpaced(sheet.x.size(), 0.0, 50.0).array() + phase).sin();
    PairSearch fresh;
    const double bound = pairs->step_bound(sheet.x, dx, {}, used);
    cut += bound < 1.0;
    EXPECT_EQ(bound, pairs->step_bound(sheet.x, dx, {}, fresh));
    EXPECT_EQ(pairs->colliding(sheet.x, dx, {}, used), pairs->colliding(sheet.x, dx, {}, fresh));
    const VecX x = sheet.x + 0.5 * bound * dx;
    const TouchingFeatures a = pairs->touching(x, {}, used), b = pairs->touching(x, {}, fresh);
    EXPECT_EQ(a.vertex_faces.size(), b.vertex_faces.size());
    EXPECT_EQ(a.edge_edges.size(), b.edge_edges.size());
  }
  EXPECT_GT(cut, 5);
  EXPECT_LT(cut, 35);
}

TEST(SelfContactTest, IntersectionsAreFound) {
  FoldedSheet sheet;
  EXPECT_EQ(find_intersections(sheet.mesh.triangles, sheet.x).count, 0);
  for (int i = 0; i < sheet.mesh.vertex_count(); ++i)
    if (sheet.x(3 * i + 2) > 0.006 && sheet.x(3 * i) > 0.3) sheet.x(3 * i + 2) = -0.012;
  const Intersections through = find_intersections(sheet.mesh.triangles, sheet.x);
  EXPECT_GT(through.count, 0);
  ASSERT_TRUE(through.first.has_value());
}

// A sheet that stands on its edge falls over on the floor and folds up on itself.
TEST(SelfContactTest, FallingClothFoldsWithoutPassingThroughItself) {
  const TriangleMesh mesh = square(9, 0.5);
  TriangleMesh standing = mesh;
  for (Vec3& p : standing.positions) p = Vec3(p.x(), 0.02 * p.y() * p.y(), p.y() + 0.01);
  ClothDescription cloth =
      cloth_of(standing, {0.2, 200, 200, 50, 1e-5, 0.005, 2e-3}, Vec3(0, 0, -kStandardGravity));
  cloth.contact.self = true;
  cloth.bodies.push_back(
      {std::make_shared<RigidCollider>(std::make_unique<HalfSpace>(Vec3(0, 0, 0), Vec3(0, 0, 1))), 0.3});
  const Model model = build_model(cloth);
  SimulatorOptions options;
  options.dt = 1.0 / 96;
  const Simulator simulator(model, options);
  State state{stacked(standing.positions), VecX::Zero(3 * mesh.vertex_count())};
  const VecX u = VecX::Zero(state.x.size());
  StepWorkspace work;
  PairSearch search;
  std::unique_ptr<SingleFactor> factor;
  bool touched = false;
  for (int n = 0; n < 60; ++n) {
    StepResult result = simulator.step(n, state, u, {factor.get()}, work);
    ASSERT_TRUE(result.report.converged()) << "step " << n;
    state = std::move(result.next);
    if (result.factor) factor = std::move(result.factor);
    ASSERT_EQ(find_intersections(mesh.triangles, state.x).count, 0) << "step " << n;
    for (int i = 0; i < mesh.vertex_count(); ++i) ASSERT_GT(state.x(3 * i + 2), 0.0) << "step " << n;
    const TouchingFeatures pairs = model.touchable().surfaces->touching(state.x, {}, search);
    touched = touched || !pairs.vertex_faces.empty() || !pairs.edge_edges.empty();
  }
  EXPECT_TRUE(touched);
}

}  // namespace
}  // namespace keydrape
