// Contact of the older kinds with bodies: projection, filter of velocities, penalty, constraint.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/contact/body/level_set/mesh_level_set.h"
#include "core/contact/body/shape/half_space.h"
#include "core/contact/body/shape/sphere.h"
#include "core/contact/simple/projection.h"
#include "core/contact/simple/velocity_filter.h"
#include "tests/support/bodies.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kSimpleGap = 5e-4, kStep = 1.0 / 96;

// A flat sheet that lies or falls over a body.
ClothDescription sheet_over(ContactMethod method, double height, std::unique_ptr<const DistanceField> field,
                            RigidMotion motion = {}) {
  TriangleMesh mesh = square(6, 0.3);
  for (Vec3& p : mesh.positions) p = Vec3(p.x() - 0.15, height, 0.15 - p.y());
  ClothDescription cloth = cloth_of(std::move(mesh), cotton(0.01), Vec3(0, -9.81, 0));
  cloth.contact.method = method;
  cloth.contact.body_gap = kSimpleGap;
  VolumeBody body;
  body.collider = std::make_shared<RigidCollider>(std::move(field), std::move(motion));
  cloth.bodies.push_back(std::move(body));
  return cloth;
}
std::unique_ptr<const DistanceField> ground() {
  return std::make_unique<HalfSpace>(Vec3::Zero(), Vec3(0, 1, 0));
}
std::unique_ptr<const DistanceField> ball(double radius) {
  return std::make_unique<Sphere>(Vec3(0, -radius, 0), radius);
}

double lowest(const VecX& x) {
  double y = x[1];
  for (Eigen::Index i = 1; i < x.size(); i += 3) y = std::min(y, x[i]);
  return y;
}

TEST(Projection, EndsAtTheGap) {
  const ClothDescription cloth = sheet_over(ContactMethod::kProjection, 0.02, ball(0.2));
  const ColliderPose pose = cloth.bodies[0].collider->at(0.0);
  const Motion motion = run(build_model(cloth), linearized(kStep), at_rest_in(cloth), 30);
  int touching = 0;
  for (const State& state : motion.states)
    for (int i = 0; i < cloth.mesh.vertex_count(); ++i) {
      const double phi = pose.distance(at(state.x, i));
      EXPECT_GE(phi, kSimpleGap - 1e-12);
      touching += phi < kSimpleGap + 1e-12;
    }
  EXPECT_GT(touching, 100);
}

TEST(Projection, FrictionHoldsWhatSlidesSlowly) {
  // One vertex on the ground, pressed in by a step and sliding.
  const TouchedBody body{std::make_shared<RigidCollider>(ground()), 0.0, {0.5}};
  const VecX x = VecX::Zero(3), mass = VecX::Ones(1);
  const StepConstraints free;
  const auto end_of = [&](double slip) {
    VecX y(3);
    y << slip, -0.01, 0.0;
    Projection({body}).apply({kStep, kStep, x, x, mass, free}, y);
    EXPECT_NEAR(y[1], 0.0, 1e-15);
    return y[0];
  };
  EXPECT_NEAR(end_of(0.004), 0.0, 1e-15);
  EXPECT_NEAR(end_of(0.02), 0.02 - 0.5 * 0.01, 1e-15);
}

// A plate of 4 cm, in the middle of which no gradient tells the way out, and near which it is none.
std::shared_ptr<const Collider> plate() {
  const TriangleMesh box = box_mesh(Vec3(0.2, 0.02, 0.2));
  return std::make_shared<RigidCollider>(mesh_level_set(box.positions, box.triangles, {0.01, 0.03}).field);
}

TEST(Projection, OutOfTheMiddleOfABodyGoesTheWayItCame) {
  const Projection projection({{plate(), kSimpleGap}});
  const VecX mass = VecX::Ones(1);
  const StepConstraints free;
  for (const double side : {1.0, -1.0})
    for (const double depth : {0.0, 1e-9, 1e-6, 1e-4, 2e-3, 1e-2, 0.019}) {
      const VecX x = Vec3(0.013, side * 0.03, -0.02);
      VecX y = Vec3(0.014, side * depth, -0.021);
      ASSERT_EQ(projection.apply({kStep, kStep, x, x, mass, free}, y), 0) << depth;
      EXPECT_NEAR(y[1], side * (0.02 + kSimpleGap), 3e-4) << depth;
      EXPECT_LT(Vec2(y[0] - 0.0135, y[2] + 0.0205).norm(), 2e-3) << depth;
    }
}

TEST(Projection, CountsWhatFindsNoWayOut) {
  const VecX x = VecX::Zero(3), mass = VecX::Ones(1);
  VecX y = x;
  const StepConstraints free;
  EXPECT_EQ(Projection({{plate(), kSimpleGap}}).apply({kStep, kStep, x, x, mass, free}, y), 1);
}

TEST(Projection, FrictionDoesNotDrawBackWhatLeaves) {
  // It slides off a ball, whose surface falls away: what friction takes of its slip leaves it outside.
  const TouchedBody body{std::make_shared<RigidCollider>(ball(0.2)), 0.0, {0.5}};
  const VecX x = VecX::Zero(3), mass = VecX::Ones(1);
  const StepConstraints free;
  VecX y(3);
  y << 0.02, -0.01, 0.0;
  ASSERT_LT(body.collider->at(kStep).distance(y), 0.0);
  Projection({body}).apply({kStep, kStep, x, x, mass, free}, y);
  EXPECT_GT(body.collider->at(kStep).distance(y), 1e-6);
}

TEST(VelocityFilter, LeavesNoSpeedIntoTheBody) {
  const ClothDescription cloth = sheet_over(ContactMethod::kFilter, 0.01, ball(0.2));
  const ColliderPose pose = cloth.bodies[0].collider->at(0.0);
  const Motion motion = run(build_model(cloth), linearized(kStep), at_rest_in(cloth), 40);
  int filtered = 0;
  double deepest = 0.0;
  for (size_t n = 1; n < motion.states.size(); ++n)
    for (int i = 0; i < cloth.mesh.vertex_count(); ++i) {
      const DistanceSample s = pose.sample(at(motion.states[n - 1].x, i));
      deepest = std::min(deepest, s.distance);
      if (s.distance >= kSimpleGap) continue;
      const double speed = s.gradient.normalized().dot(at(motion.states[n].v, i));
      EXPECT_GE(speed, -1e-12);
      filtered += std::abs(speed) < 1e-12;
    }
  EXPECT_GT(filtered, 50);
  EXPECT_LT(deepest, -1e-4);  // it sinks in by the way of one step, which no filter of velocities prevents
  EXPECT_GT(deepest, -0.02);
}

// A plate at rest: each point sinks by rho g d_hat^2 / kappa below the gap.
TEST(Penalty, APlateSinksByItsWeightOverTheStiffness) {
  ClothDescription cloth = sheet_over(ContactMethod::kPenalty, kSimpleGap, ground());
  cloth.contact.activation = 2e-3;
  cloth.contact.stiffness = 0.05;
  const double sunk = cloth.material.density * 9.81 * 2e-3 * 2e-3 / 0.05;
  const DrapeResult rest = settle(build_model(cloth), stacked(cloth.mesh.positions), 1e-9);
  ASSERT_TRUE(rest.is_settled);
  for (int i = 0; i < cloth.mesh.vertex_count(); ++i)
    EXPECT_NEAR(at(rest.x, i).y(), kSimpleGap - sunk, 1e-6 * sunk);
  EXPECT_GT(sunk, 1e-4);
}

TEST(Penalty, ByDefaultSinksByATenthOfTheActivation) {
  const ClothDescription cloth = sheet_over(ContactMethod::kPenalty, kSimpleGap, ground());
  const double d_hat = body_contact_law(cloth).barrier.activation;
  const DrapeResult rest = settle(build_model(cloth), stacked(cloth.mesh.positions), 1e-9);
  EXPECT_NEAR(at(rest.x, 0).y(), kSimpleGap - 0.1 * d_hat * 9.81 / kStandardGravity, 1e-3 * d_hat);
}

TEST(Penalty, TakesStepsOfEveryKindAndHasDerivatives) {
  const ClothDescription cloth = sheet_over(ContactMethod::kPenalty, 0.01, ball(0.2));
  const Model model = build_model(cloth);
  for (const StepMethod method :
       {StepMethod::kConverged, StepMethod::kBdf2, StepMethod::kPrefactored, StepMethod::kDescent}) {
    SimulatorOptions options = options_of(kStep);
    options.method = method;
    const Motion motion = run(model, options, at_rest_in(cloth), 30);
    EXPECT_EQ(motion.unconverged(), 0);
    EXPECT_GT(at(motion.back().x, 24).y(), -0.05);  // over the top of the ball
    EXPECT_TRUE(Simulator(model, options).has_derivatives());
  }
}

// Without a search for what falls, or without any matrix, nobody bears the spring that comes with touch.
TEST(Penalty, IsRefusedByStepsThatDoNotLook) {
  const Model model = build_model(sheet_over(ContactMethod::kPenalty, 0.01, ball(0.2)));
  for (const StepMethod method : {StepMethod::kPredictor, StepMethod::kExplicit}) {
    SimulatorOptions options = options_of(kStep);
    options.method = method;
    EXPECT_THROW(Simulator(model, options), InputError);
  }
}

// Rounds take out what the potential of the step holds, this spring too: many of them end where Newton does.
TEST(Penalty, RoundsEndWhereNewtonDoes) {
  ClothDescription cloth = sheet_over(ContactMethod::kPenalty, kSimpleGap, ball(0.2));
  const Model model = build_model(cloth);
  State state = run(model, options_of(kStep, 1e-10), at_rest_in(cloth), 4).back();
  const VecX u = VecX::Zero(state.x.size());
  const StepResult solved = Simulator(model, options_of(kStep, 1e-12)).step(4, state, u);
  double before = 1.0;
  for (const int rounds : {10, 100, 1000}) {
    SimulatorOptions options = rounds_of(StepMethod::kPrefactored, rounds, kStep);
    options.rounds_memory = 5;
    const StepResult step = Simulator(model, options).step(4, state, u);
    const double off = (step.next.x - solved.next.x).norm() / (solved.next.x - state.x).norm();
    EXPECT_LT(off, before);
    before = off;
  }
  EXPECT_LT(before, 1e-3);
}

TEST(Constraint, WhatLandsStaysOnThePlaneAndDoesNotBounce) {
  const ClothDescription cloth = sheet_over(ContactMethod::kConstraint, 0.03, ground());
  const Motion motion = run(build_model(cloth), linearized(kStep), at_rest_in(cloth), 48);
  bool has_landed = false;
  for (const State& state : motion.states) {
    EXPECT_GT(lowest(state.x), kSimpleGap - 1e-9);
    has_landed = has_landed || lowest(state.x) < kSimpleGap + 1e-9;
    if (!has_landed) continue;
    for (int i = 0; i < cloth.mesh.vertex_count(); ++i) EXPECT_NEAR(at(state.x, i).y(), kSimpleGap, 1e-9);
  }
  EXPECT_TRUE(has_landed);
  EXPECT_LT(motion.back().v.lpNorm<Eigen::Infinity>(), 1e-6);
}

// Under cloth that hangs from its edge a ball is drawn away: it is let go in that very step.
TEST(Constraint, LetsGoInTheStepInWhichTheBodyIsDrawnAway) {
  const double leaves = 0.5;
  const RigidMotion motion({{leaves, Vec3::Zero(), Eigen::Quaterniond::Identity()},
                            {leaves + 0.1, Vec3(0, -1.0, 0), Eigen::Quaterniond::Identity()}});
  const ClothDescription cloth = sheet_over(ContactMethod::kConstraint, kSimpleGap, ball(0.2), motion);
  const int steps = static_cast<int>(leaves / kStep);
  const Motion run_of = run(build_model(cloth), linearized(kStep), at_rest_in(cloth), steps + 2);
  const auto touching = [&](int n) {
    const ColliderPose pose = cloth.bodies[0].collider->at(n * kStep);
    int count = 0;
    for (int i = 0; i < cloth.mesh.vertex_count(); ++i)
      count += pose.distance(at(run_of.states[n].x, i)) < kSimpleGap + 1e-7;
    return count;
  };
  EXPECT_GT(touching(steps), 0);
  EXPECT_EQ(touching(steps + 1), 0);
}

// Within one step the sheet falls to the middle of a plate.
TEST(Constraint, OutOfTheMiddleOfABodyGoesTheWayItCame) {
  ClothDescription cloth = sheet_over(ContactMethod::kConstraint, 0.03, ground());
  cloth.bodies[0].collider = plate();
  cloth.gravity = Vec3(0, -0.03 / (kStep * kStep), 0);
  const Motion motion = run(build_model(cloth), linearized(kStep), at_rest_in(cloth), 1);
  ASSERT_EQ(motion.unconverged(), 0);
  for (int i = 0; i < cloth.mesh.vertex_count(); ++i)
    EXPECT_NEAR(at(motion.back().x, i).y(), 0.02 + kSimpleGap, 3e-4) << i;
}

// A vertex that its neighbours hold up is let go within the step that had caught it: no body pulls.
TEST(Constraint, NoBodyPulls) {
  const ClothDescription cloth = sheet_over(ContactMethod::kConstraint, 0.01, ball(0.08));
  const Model model = build_model(cloth);
  const Motion motion = run(model, linearized(kStep), at_rest_in(cloth), 60);
  const ColliderPose pose = cloth.bodies[0].collider->at(0.0);
  int touching = 0;
  for (size_t n = 1; n < motion.states.size(); ++n) {
    StepWorkspace work;
    const VecX u = VecX::Zero(motion.back().x.size());
    const Simulator simulator(model, linearized(kStep));
    const StepProblem problem = simulator.problem(static_cast<int>(n) - 1, motion.states[n - 1], u, work);
    BlockMatrix P(model.pattern());
    problem.linearized_matrix(motion.states[n - 1].x, P);
    VecX r, pushed;
    problem.residual(motion.states[n - 1].x, r);
    P.multiply(motion.states[n].x - motion.states[n - 1].x, pushed);
    for (int i = 0; i < cloth.mesh.vertex_count(); ++i) {
      const Vec3 f = at(r + pushed, i);
      if (f.norm() < 1e-9) continue;
      ++touching;
      EXPECT_GT(f.dot(pose.sample(at(motion.states[n].x, i)).gradient), 0.0);
    }
  }
  EXPECT_GT(touching, 50);
}

// Cloth that lands fast, and is stretched by that, in steps that are linearised until they solve their
// equation: what is left of it is what the body does.
TEST(Constraint, NoBodyPullsHoweverManyTheRounds) {
  const ClothDescription cloth = sheet_over(ContactMethod::kConstraint, 0.01, ball(0.3));
  const Model model = build_model(cloth);
  SimulatorOptions options = linearized(kStep);
  options.linearized.max_rounds = 300;
  options.linearized.enough = 1e-9;
  State start = at_rest_in(cloth);
  for (Eigen::Index i = 1; i < start.v.size(); i += 3) start.v[i] = -8.0;
  const Motion motion = run(model, options, start, 6);
  const Simulator simulator(model, options);
  const ColliderPose pose = cloth.bodies[0].collider->at(0.0);
  const VecX u = VecX::Zero(motion.back().x.size());
  int touching = 0;
  for (size_t n = 1; n < motion.states.size(); ++n) {
    StepWorkspace work;
    const StepProblem problem = simulator.problem(static_cast<int>(n) - 1, motion.states[n - 1], u, work);
    ASSERT_LE(motion.reports[n - 1].residual, 1e-6) << "else this tests nothing";
    VecX r;
    problem.residual(motion.states[n].x, r);
    for (int i = 0; i < cloth.mesh.vertex_count(); ++i) {
      const Vec3 f = at(r, i), normal = pose.sample(at(motion.states[n].x, i)).gradient;
      if (f.norm() < 1e-6) continue;
      ++touching;
      EXPECT_GT(f.dot(normal), 0.0) << "vertex " << i << " in step " << n;
    }
  }
  EXPECT_GT(touching, 20);
}

// A floor that slides takes cloth along: by mu g until that goes as fast.
TEST(SimpleFriction, AFloorThatSlidesTakesClothAlong) {
  constexpr double kSpeed = 0.4, kFriction = 0.3;
  const RigidMotion sliding({{0.0, Vec3::Zero(), Eigen::Quaterniond::Identity()},
                             {2.0, Vec3(2.0 * kSpeed, 0, 0), Eigen::Quaterniond::Identity()}});
  for (const ContactMethod method :
       {ContactMethod::kFilter, ContactMethod::kProjection, ContactMethod::kConstraint}) {
    // A filter sees what is in the body already.
    const double height = method == ContactMethod::kFilter ? 0.999 * kSimpleGap : kSimpleGap;
    ClothDescription cloth = sheet_over(method, height, ground(), sliding);
    cloth.bodies[0].friction = kFriction;
    const Motion motion = run(build_model(cloth), linearized(kStep), at_rest_in(cloth), 40);
    double mean = 0.0;
    for (int n = 3; n <= 40; ++n) {
      mean = 0.0;
      for (int i = 0; i < cloth.mesh.vertex_count(); ++i)
        mean += at(motion.states[n].v, i).x() / cloth.mesh.vertex_count();
      EXPECT_NEAR(mean, std::min(kSpeed, kFriction * 9.81 * n * kStep), 0.04)
          << static_cast<int>(method) << " in step " << n;
    }
    EXPECT_NEAR(mean, kSpeed, 1e-3) << static_cast<int>(method);
  }
}

}  // namespace
}  // namespace keydrape
