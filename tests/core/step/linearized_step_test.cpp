// One linear system a step.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "core/contact/body/shape/sphere.h"
#include "core/step/newton.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

// Hung by two corners, of which one is drawn away.
ClothDescription drawn_sheet(int cells) {
  ClothDescription cloth = cloth_of(square(cells, 0.8), cotton(0.01), Vec3(0, -9.81, 0));
  const VecX x = stacked(cloth.mesh.positions);
  cloth.pins = {held(x, {0}), held(x, {cells})};
  MotionTrack& motion = cloth.pins[1].motion;
  motion.sample_interval = 1.0;
  motion.samples.push_back(motion.samples[0] + Vec3(-0.4, 0.1, 0.5));
  return cloth;
}

// With and without a factor it is the same step.
TEST(LinearizedStep, FilteredConjugateGradientsTakeTheSameStep) {
  const Model model = build_model(drawn_sheet(14));
  SimulatorOptions direct = linearized(1.0 / 96), filtered = direct;
  filtered.newton.linear = LinearMethod::kConjugateGradient;
  const State start = at_rest_in(drawn_sheet(14));
  const Motion a = run(model, direct, start, 20), b = run(model, filtered, start, 20);
  double largest = 0.0;
  for (int n = 0; n < 20; ++n) {
    EXPECT_EQ(b.reports[n].factorizations, 0);
    EXPECT_EQ(a.reports[n].factorizations, 1);
    EXPECT_EQ(a.reports[n].iterations, 1);
    largest = std::max(largest, a.reports[n].residual);
  }
  // Later cloth has amplified what rounding leaves.
  EXPECT_LE((a.states[3].x - b.states[3].x).lpNorm<Eigen::Infinity>(), 1e-10);
  EXPECT_GT(largest, 1e-6);  // it says that nothing has converged
  for (const int pinned : {0, 14}) {
    const Vec3 there = drawn_sheet(14).pins[pinned == 14].motion.position(0, 20.0 / 96);
    EXPECT_LE((at(a.back().x, pinned) - there).norm(), 1e-15);
  }
}

// Nor is a factor made where limits let held vertices go first.
TEST(LinearizedStep, FilteredConjugateGradientsLeadOthersAfterHeldVertices) {
  ClothDescription cloth = drawn_sheet(14);
  cloth.material.strain_limit = 0.3;
  const Model model = build_model(cloth);
  SimulatorOptions direct = linearized(1.0 / 96), filtered = direct;
  filtered.newton.linear = LinearMethod::kConjugateGradient;
  const State start = at_rest_in(cloth);
  const Motion a = run(model, direct, start, 3), b = run(model, filtered, start, 3);
  for (int n = 0; n < 3; ++n) {
    EXPECT_EQ(b.reports[n].factorizations, 0);
    EXPECT_GE(a.reports[n].factorizations, 2);
  }
  EXPECT_LE((a.back().x - b.back().x).lpNorm<Eigen::Infinity>(), 1e-9);
}

// Another linearisation where much is left brings a step near the one that is solved for.
TEST(LinearizedStep, GoesOnWhereMuchIsLeft) {
  const Model model = build_model(drawn_sheet(14));
  SimulatorOptions once = linearized(1.0 / 96), more = once, solved = options_of(1.0 / 96);
  more.linearized = {.tolerance = 1e-3, .max_rounds = 8, .enough = 0.1};
  const State start = at_rest_in(drawn_sheet(14));
  const Motion a = run(model, once, start, 40), b = run(model, more, start, 40),
               c = run(model, solved, start, 40);
  int rounds = 0;
  for (const StepReport& report : b.reports) {
    rounds += report.iterations;
    EXPECT_TRUE(report.residual <= 0.1 || report.iterations == 8) << report.residual;
  }
  EXPECT_GT(rounds, 40);
  EXPECT_LT(rounds, 8 * 40);
  // Later the sheet has crumpled in either.
  const VecX& there = c.states[10].x;
  EXPECT_LT((b.states[10].x - there).norm(), 0.2 * (a.states[10].x - there).norm());
}

// The position alteration of Baraff & Witkin moves vertices without giving them velocity.
TEST(LinearizedStep, PositionAlterationKeepsVelocities) {
  const double h = 1.0 / 60;
  const Vec3 g(0.2, -9.81, 0.5), v0(1.0, -2.0, 0.3), moved(0.03, 0.02, -0.05);
  const ClothDescription cloth = cloth_of(square(6, 1.0), cotton(0.01), g);
  const Model model = build_model(cloth);
  const Simulator simulator(model, linearized(h));
  const VecX x = stacked(cloth.mesh.positions), all = VecX(moved.replicate(model.vertex_count(), 1));
  const State altered{x + all, v0.replicate(model.vertex_count(), 1)};
  const State end = simulator.step(0, altered, VecX::Zero(x.size()), {.begin = &x}).next;
  for (int i = 0; i < model.vertex_count(); ++i) {
    EXPECT_LE((at(end.v, i) - (v0 + h * g)).norm(), 1e-12);
    EXPECT_LE((at(end.x, i) - (at(x, i) + moved + h * (v0 + h * g))).norm(), 1e-14);
  }
}

// A spring along an axis, one end held: Baraff & Witkin's equation (16) with a position alteration, by hand,
//   (m - h f_v - h^2 f_x) dv = h (f + h f_x v + f_x y_a) ,   x+ = x + h (v + dv) + y_a
TEST(LinearizedStep, IsTheEquationOfBaraffAndWitkin) {
  const double h = 0.02, k = 30.0, rest = 1.0, x = 1.2, v = -0.7, y_a = 0.01;
  ClothDescription cloth;
  cloth.mesh.positions = {Vec3(0, 0, 0), Vec3(x, 0, 0), Vec3(5, 5, 0)};
  cloth.mesh.triangles = {{0, 1, 2}};
  cloth.gravity = Vec3(0, 0, 0);
  cloth.material = {0.3, 1e-9, 1e-9, 1e-9, 1e-9, 0.0, 4e-4};  // as good as none beside the spring
  cloth.springs = {{{0, 1}, k, rest, 0.0}};
  const VecX start = stacked(cloth.mesh.positions);
  cloth.pins = {held(start, {0, 2})};
  const Model model = build_model(cloth);
  const Simulator simulator(model, linearized(h));
  State from{start, VecX::Zero(9)};
  from.v(3) = v;
  from.x(3) += y_a;
  const State end = simulator.step(0, from, VecX::Zero(9), {.begin = &start}).next;
  const double m = model.vertex_mass()(1), f = -k * (x - rest), f_x = -k;
  const double dv = h * (f + h * f_x * v + f_x * y_a) / (m - h * h * f_x);
  EXPECT_NEAR(end.x(3), x + h * (v + dv) + y_a, 1e-9);
  EXPECT_NEAR(end.v(3), v + dv, 1e-7);
}

// Where limits let held vertices go first, what the others do meanwhile is part of the step: no factor that
// happens to be there may change it.
TEST(LinearizedStep, OlderFactorsChangeNothing) {
  ClothDescription cloth = drawn_sheet(14);
  cloth.material.strain_limit = 0.3;
  const Model model = build_model(cloth);
  const Simulator simulator(model, linearized(1.0 / 96));
  const VecX none = VecX::Zero(3 * model.vertex_count());
  State state = at_rest_in(cloth);
  const StepResult first = simulator.step(0, state, none);
  state = first.next;
  for (int n = 1; n < 6; ++n) {
    const StepResult alone = simulator.step(n, state, none);
    const StepResult hinted = simulator.step(n, state, none, {.preconditioner = first.factor.get()});
    EXPECT_LE((alone.next.x - hinted.next.x).lpNorm<Eigen::Infinity>(), 1e-12) << n;
    state = alone.next;
  }
}

// A sheet thrown at a ball, at which its straight way is cut: no state is inside of it, or in itself.
TEST(LinearizedStep, NothingPassesThroughWhereItsWayIsCut) {
  ClothDescription cloth = cloth_of(square(10, 0.6), cotton(0.002), Vec3(0, -9.81, 0));
  for (Vec3& p : cloth.mesh.positions) p = Vec3(p.x() - 0.3, 0.05, p.y() - 0.3);
  const Vec3 centre(0, -0.25, 0);
  cloth.bodies = {
      {std::make_shared<RigidCollider>(std::make_unique<Sphere>(centre, 0.2), RigidMotion{}), 0.3}};
  cloth.contact.self = true;
  const Model model = build_model(cloth);
  ASSERT_FALSE(model.has_linearized_derivatives());
  const VecX u = VecX::Zero(3 * model.vertex_count());
  State start = at_rest_in(cloth);
  for (int i = 0; i < model.vertex_count(); ++i) start.v.segment<3>(3 * i) = Vec3(0, -3, 0);
  for (const int rounds : {1, 4}) {
    SimulatorOptions options = linearized(1.0 / 96);
    options.linearized = {.tolerance = 1e-3, .max_rounds = rounds};
    const Simulator simulator(model, options);
    const Motion motion = run(model, options, start, 60);
    ASSERT_EQ(motion.unconverged(), 0);
    int cut_steps = 0;
    for (int n = 0; n < 60; ++n) {
      cut_steps += motion.reports[n].cuts > 0;
      EXPECT_LE(motion.reports[n].iterations, rounds);
      const VecX& x = motion.states[n + 1].x;
      StepWorkspace work;
      const StepProblem problem = simulator.problem(n, motion.states[n], u, work);
      EXPECT_EQ(problem.count_violations(x), 0) << "step " << n;
      EXPECT_EQ(problem.count_met(x), 0) << "step " << n;
      for (int i = 0; i < model.vertex_count(); ++i)
        EXPECT_GT((at(x, i) - centre).norm(), 0.2) << "step " << n;
    }
    EXPECT_GT(cut_steps, 0) << rounds;
  }
}

}  // namespace
}  // namespace keydrape
