// Contact by impulses behind linearised steps: whatever they propose, nothing goes through anything.

#include "core/contact/impulse/impulse_contact.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <limits>

#include "core/contact/body/collider.h"
#include "core/contact/body/shape/half_space.h"
#include "core/contact/body/shape/sphere.h"
#include "core/contact/pairs/intersection.h"
#include "core/inspect/overlap.h"
#include "tests/support/bodies.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

ClothDescription with_impulses(TriangleMesh mesh, const Vec3& gravity) {
  ClothDescription cloth = cloth_of(std::move(mesh), cotton(0.01), gravity);
  cloth.contact.method = ContactMethod::kImpulses;
  cloth.contact.self = true;
  cloth.contact.body_gap = 5e-4;
  return cloth;
}

VolumeBody volume(std::unique_ptr<const DistanceField> field, RigidMotion motion = {}) {
  VolumeBody body;
  body.collider = std::make_shared<RigidCollider>(std::move(field), std::move(motion));
  body.point_spacing = 0.02;
  return body;
}

// Of the cloth with itself, with bodies that are triangles, and of points in bodies that are distances.
int places_of_passage(const ClothDescription& cloth, const VecX& x, double time) {
  const std::vector<char> held = held_vertices(cloth, time);
  int count = find_intersections(cloth.mesh.triangles, x).count;
  for (const SurfaceOverlap& overlap : overlaps_with_surfaces(cloth, x, time, held))
    count += overlap.cut_count;
  ClothDescription bare = cloth;
  bare.contact.body_gap = 0.0;
  for (const BodyOverlap& overlap : overlaps_with_bodies(bare, x, time, held))
    count += overlap.vertex_count + overlap.between_count;
  return count;
}

void expect_no_passage(const ClothDescription& cloth, const Motion& motion, double dt) {
  EXPECT_EQ(motion.unconverged(), 0);
  for (size_t n = 0; n < motion.states.size(); ++n)
    ASSERT_EQ(places_of_passage(cloth, motion.states[n].x, n * dt), 0) << "step " << n;
}

// That a scene is one in which something would pass without contact.
int passages_without_contact(ClothDescription cloth, const State& start, double dt, int steps) {
  const ClothDescription checked = cloth;
  cloth.contact.self = false;
  cloth.bodies.clear();
  cloth.surfaces.clear();
  const Motion motion = run(build_model(cloth), linearized(dt), start, steps);
  int most = 0;
  for (size_t n = 0; n < motion.states.size(); ++n)
    most = std::max(most, places_of_passage(checked, motion.states[n].x, n * dt));
  return most;
}

// Two free sheets, a little askew, that meet at 10 m/s.
struct TwoLayers {
  explicit TwoLayers(double restitution, int cells = 10) {
    TriangleMesh mesh = square(cells, 0.4);
    const int n = mesh.vertex_count();
    const Mat3 turn = Eigen::AngleAxisd(0.2, Vec3(0.1, 0.2, 1.0).normalized()).toRotationMatrix();
    for (int i = 0; i < n; ++i)
      mesh.positions.push_back(turn * (mesh.positions[i] + Vec3(0.013, 0.007, 0)) + Vec3(0, 0, 0.05));
    for (const Triangle& t : std::vector<Triangle>(mesh.triangles))
      mesh.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
    cloth = with_impulses(mesh, Vec3::Zero());
    cloth.contact.restitution = restitution;
    start = at_rest_in(cloth);
    for (int i = 0; i < 2 * n; ++i) start.v.segment<3>(3 * i) = Vec3(0.3, 0, i < n ? 5.0 : -5.0);
  }

  // Above the lower one [m].
  double height_of_upper(const VecX& x) const {
    double sum = 0.0;
    const int n = cloth.mesh.vertex_count() / 2;
    for (int i = 0; i < n; ++i) sum += (at(x, n + i).z() - at(x, i).z()) / n;
    return sum;
  }

  ClothDescription cloth;
  State start;
};

Vec3 momentum_of(const Model& model, const State& state) {
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < model.vertex_count(); ++i) sum += model.vertex_mass()(i) * at(state.v, i);
  return sum;
}

// Left alone they would have changed places within the first step, without being seen in each other.
TEST(ImpulseContact, TwoLayersAtTenMetresASecondDoNotPass) {
  constexpr double kStep = 1.0 / 96;
  for (const double e : {0.0, 0.5, 1.0}) {
    const TwoLayers scene(e);
    const Model model = build_model(scene.cloth);
    const Motion motion = run(model, linearized(kStep), scene.start, 48);
    expect_no_passage(scene.cloth, motion, kStep);
    EXPECT_GT(scene.height_of_upper(motion.back().x), 0.0);
    const double of_layer = kinetic_energy(model, scene.start) / 5.0;  // |momentum| of one, about
    for (const State& state : motion.states)
      EXPECT_LT((momentum_of(model, state) - momentum_of(model, scene.start)).norm(), 1e-11 * of_layer);
  }
}

// Without what pushes apart: impulses and zones alone. The energy of motion is theirs; what they stretch, the
// next step has to bring back.
TEST(ImpulseContact, ImpulsesAndZonesNeverAddEnergyOfMotion) {
  constexpr double kStep = 1.0 / 96;
  struct Case {
    double e;
    int max_sweeps;  // 0: zones alone
  };
  for (const auto& [e, max_sweeps] : {Case{0.0, 10}, Case{0.5, 10}, Case{1.0, 10}, Case{0.0, 0}}) {
    const TwoLayers scene(e);
    ClothDescription alone = scene.cloth;
    alone.contact.self = false;
    const Model model = build_model(alone);
    const Simulator simulator(model, linearized(kStep));
    const ImpulseContact contact(make_surface_pairs(scene.cloth, scene.start.x), {}, {e, 0.0, max_sweeps});
    const StepConstraints free;
    State state = scene.start;
    int sweeps = 0, most_zoned = 0;
    const std::vector<char> nothing(scene.cloth.mesh.vertex_count(), 0);
    for (int n = 0; n < 24; ++n) {
      VecX y = simulator.step(n, state, VecX::Zero(state.x.size())).next.x;
      const auto energy = [&](const VecX& end) {
        return kinetic_energy(model, {end, (end - state.x) / kStep});
      };
      const double proposed = energy(y);
      ImpulseContact::Work work;
      const FilteredStep step{kStep, (n + 1) * kStep, state.x, state.v, model.vertex_mass(), free};
      ASSERT_EQ(contact.apply(step, y, work), 0);
      EXPECT_LE(energy(y), proposed * (1 + 1e-12)) << "step " << n;
      ASSERT_EQ(overlap_with_itself(scene.cloth, y, nothing).through.count, 0) << "step " << n;
      EXPECT_TRUE(n >= 3 || scene.height_of_upper(y) > 0.0);  // later a zone of both may have turned over
      sweeps += work.sweeps;
      most_zoned = std::max(most_zoned, work.zoned);
      state = {y, (y - state.x) / kStep};
    }
    EXPECT_EQ(sweeps > 0, max_sweeps > 0);
    EXPECT_TRUE(max_sweeps > 0 || most_zoned > 0) << "no zone was tested";
  }
}

// Steps that are short against the way of a wave through a triangle.
TEST(ImpulseContact, WithShortStepsTheWholeEnergyNeverRises) {
  constexpr double kStep = 1.0 / 9600;
  const TwoLayers scene(0.5, 6);
  const Model model = build_model(scene.cloth);
  const Motion motion = run(model, linearized(kStep), scene.start, 160);
  double last = kinetic_energy(model, scene.start);
  const double begun = last;
  for (const State& state : motion.states) {
    const double now = kinetic_energy(model, state) + elastic_energy(model, state, kStep, 0.0);
    EXPECT_LE(now, begun * (1 + 1e-9));
    last = now;
  }
  EXPECT_LT(last, 0.9 * begun);
}

TEST(ImpulseContact, WhatTouchesNothingGoesAsItWould) {
  TwoLayers scene(0.0);
  for (Eigen::Index i = 0; i < scene.start.v.size(); i += 3) scene.start.v.segment<3>(i).z() *= -1;
  ClothDescription alone = scene.cloth;
  alone.contact.self = false;
  const Motion a = run(build_model(scene.cloth), linearized(1.0 / 96), scene.start, 8);
  const Motion b = run(build_model(alone), linearized(1.0 / 96), scene.start, 8);
  for (size_t n = 0; n < a.states.size(); ++n) EXPECT_EQ(a.states[n].x, b.states[n].x);
}

// A ball of 15 cm that goes 5 m/s through where a curtain hangs, as a distance and as triangles.
ClothDescription curtain() {
  TriangleMesh mesh = sheet(14, 14, Vec2(0.8, 0.8));
  ClothDescription cloth = with_impulses(mesh, Vec3(0, -9.81, 0));
  const VecX x = stacked(mesh.positions);
  cloth.pins = {held(x, vertices_where(mesh, [](const Vec3& p) { return p.y() > 0.79; }))};
  return cloth;
}
RigidMotion through_the_curtain() {
  return RigidMotion(
      {{0.0, Vec3(0.4, 0.3, -0.4), Eigen::Quaterniond::Identity()},
       {0.2, Vec3(0.43, 0.35, 0.6), Eigen::Quaterniond(Eigen::AngleAxisd(1.0, Vec3::UnitX()))}});
}

TEST(ImpulseContact, ABallDoesNotPassACurtain) {
  constexpr double kStep = 1.0 / 96;
  for (const bool as_triangles : {false, true}) {
    ClothDescription cloth = curtain();
    if (as_triangles) {
      const TriangleMesh ball = sphere_mesh(0.15, 2);
      cloth.surfaces.push_back(
          {std::make_shared<MovingMesh>(ball.positions, ball.triangles, through_the_curtain()), {0.3}});
    } else {
      cloth.bodies.push_back(volume(std::make_unique<Sphere>(Vec3::Zero(), 0.15), through_the_curtain()));
      cloth.bodies.back().friction = {0.3};
    }
    ASSERT_GT(passages_without_contact(cloth, at_rest_in(cloth), kStep, 24), 0);
    const Motion motion = run(build_model(cloth), linearized(kStep), at_rest_in(cloth), 36);
    expect_no_passage(cloth, motion, kStep);
    EXPECT_GT(motion.back().x.maxCoeff(), 0.5);  // the curtain went along
  }
}

ClothDescription tablecloth(int cells) {
  TriangleMesh mesh = square(cells, 0.9);
  for (Vec3& p : mesh.positions) p = Vec3(p.x() - 0.45, 0.262 + 0.01 * p.x(), p.y() - 0.45);
  ClothDescription cloth = with_impulses(mesh, Vec3(0, -9.81, 0));
  cloth.bodies.push_back(volume(std::make_unique<Sphere>(Vec3::Zero(), 0.25)));
  cloth.bodies.back().friction = {0.5};
  return cloth;
}

TEST(ImpulseContact, ATableclothFallsOverABallAndDoesNotPass) {
  constexpr double kStep = 1.0 / 96;
  const ClothDescription cloth = tablecloth(16);
  const Motion motion = run(build_model(cloth), linearized(kStep), at_rest_in(cloth), 96);
  expect_no_passage(cloth, motion, kStep);
  double lowest = 0.0;
  for (int i = 0; i < cloth.mesh.vertex_count(); ++i) lowest = std::min(lowest, at(motion.back().x, i).y());
  EXPECT_LT(lowest, -0.1);  // it hangs down
}

// A flat sheet that falls flat: dropped from a height it comes back to e^2 of it.
TEST(ImpulseContact, BouncesToTheSquareOfRestitution) {
  constexpr double kStep = 1.0 / 4800, kHeight = 0.1;
  for (const double e : {0.3, 0.6, 0.9}) {
    TriangleMesh mesh = square(2, 0.1);
    for (Vec3& p : mesh.positions) p = Vec3(p.x(), kHeight + 5e-4, -p.y());
    ClothDescription cloth = with_impulses(mesh, Vec3(0, -9.81, 0));
    cloth.contact.restitution = e;
    cloth.bodies.push_back(volume(std::make_unique<HalfSpace>(Vec3::Zero(), Vec3(0, 1, 0))));
    const double fall = std::sqrt(2 * kHeight / 9.81);
    const int steps = static_cast<int>((1 + e) * fall / kStep);  // to the top of the bounce
    const Motion motion = run(build_model(cloth), linearized(kStep), at_rest_in(cloth), steps);
    EXPECT_NEAR(at(motion.back().x, 4).y() - 5e-4, e * e * kHeight, 0.02 * e * e * kHeight) << e;
  }
}

TEST(ImpulseContact, WhatLiesOnABodyStaysThere) {
  TriangleMesh mesh = square(4, 0.2);
  for (Vec3& p : mesh.positions) p = Vec3(p.x(), 5e-4, -p.y());
  ClothDescription cloth = with_impulses(mesh, Vec3(0, -9.81, 0));
  cloth.contact.restitution = 1.0;
  cloth.bodies.push_back(volume(std::make_unique<HalfSpace>(Vec3::Zero(), Vec3(0, 1, 0))));
  const Motion motion = run(build_model(cloth), linearized(1.0 / 96), at_rest_in(cloth), 96);
  for (const State& state : motion.states)
    for (int i = 0; i < cloth.mesh.vertex_count(); ++i) {
      EXPECT_GT(at(state.x, i).y(), 0.0);
      EXPECT_LT(at(state.x, i).y(), 6e-4);
    }
}

TEST(ImpulseContact, IsTheSameForAnyNumberOfThreads) {
  const ClothDescription cloth = tablecloth(10);
  const auto end = [&](int threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return run(build_model(cloth), linearized(1.0 / 96), at_rest_in(cloth), 40).back();
  };
  const State one = end(1), two = end(2);
  EXPECT_EQ(one.x, two.x);
  EXPECT_EQ(one.v, two.v);
}

// Level sets of the moments between are made by whichever thread needs one first, while others wait for it.
TEST(ImpulseContact, ABodyThatDeformsQuicklyIsForAnyNumberOfThreadsToo) {
  const TriangleMesh ball = sphere_mesh(0.1, 1);
  MotionTrack motion{{}, 1.0 / 48};
  for (int k = 0; k < 12; ++k) {
    VecX x(3 * ball.vertex_count());
    for (int i = 0; i < ball.vertex_count(); ++i)
      x.segment<3>(3 * i) = (1.0 + 0.02 * k) * ball.positions[i] + Vec3(0.2, 0.1 * k - 0.3, 0.2);
    motion.samples.push_back(x);
  }
  TriangleMesh mesh = square(4, 0.4);
  for (Vec3& p : mesh.positions) p = Vec3(p.x(), 0.0, p.y());
  ClothDescription cloth = with_impulses(mesh, Vec3(0, -9.81, 0));
  VolumeBody body;
  body.collider = std::make_shared<DeformingCollider>(motion, ball.triangles,
                                                      DeformingColliderOptions{.level_set = {0.02, 0.04}});
  body.point_spacing = 0.05;
  cloth.bodies.push_back(body);
  const auto end = [&](int threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return run(build_model(cloth), linearized(1.0 / 96), at_rest_in(cloth), 8).back();
  };
  const State one = end(1), many = end(8);
  EXPECT_GT(at(one.x, 12).y(), 0.1) << "it was not met";
  EXPECT_EQ(one.x, many.x);
}

// What pins drive through what pins hold has no way out, and is said to have none.
TEST(ImpulseContact, AStepThatPinsForceThroughClothIsBlocked) {
  TwoLayers scene(0.0, 2);
  const int n = scene.cloth.mesh.vertex_count() / 2;
  std::vector<int> lower, upper;
  for (int i = 0; i < n; ++i) lower.push_back(i), upper.push_back(n + i);
  scene.cloth.pins = {held(scene.start.x, lower), held(scene.start.x, upper)};
  MotionTrack& motion = scene.cloth.pins[1].motion;
  motion.sample_interval = 0.1;
  VecX below = motion.samples[0];
  for (Eigen::Index i = 2; i < below.size(); i += 3) below[i] -= 0.3;
  motion.samples.push_back(below);
  scene.start.v.setZero();
  const Motion run_of = run(build_model(scene.cloth), linearized(1.0 / 96), scene.start, 9);
  ASSERT_GT(run_of.unconverged(), 0);
  for (size_t k = 0; k < run_of.reports.size(); ++k) {
    if (run_of.reports[k].converged()) continue;
    EXPECT_EQ(run_of.reports[k].end, NewtonEnd::kBlocked);
    EXPECT_GT(run_of.reports[k].violations, 0);
    EXPECT_EQ(run_of.reports[k].residual, std::numeric_limits<double>::infinity());
    EXPECT_EQ(run_of.states[k + 1].x, run_of.states[k].x);
    break;
  }
}

// A curtain is drawn along its rail until its folds lie on each other: what slides leads nothing along it.
TEST(ImpulseContact, VerticesThatSlideLetTheirZonesGoAlong) {
  constexpr int kRings = 24, kRows = 6, kSteps = 60;
  constexpr double kStep = 1.0 / 96;
  TriangleMesh mesh = sheet(kRings, kRows, Vec2(0.96, 0.24));
  for (int i = 0; i < mesh.vertex_count(); ++i)
    mesh.positions[i].z() = 0.002 * std::sin(1.7 * (i % (kRings + 1)) - 0.9 * (i / (kRings + 1)));
  ClothDescription cloth = with_impulses(mesh, Vec3(8, -9.81, 0));
  cloth.material.thickness = 4e-3;
  const State start = at_rest_in(cloth);
  std::vector<int> rings;
  for (int j = 0; j < kRings; j += 2) rings.push_back(kRows * (kRings + 1) + j);
  HardPin rail = held(start.x, rings);
  rail.free = Vec3::UnitX() * Vec3::UnitX().transpose();
  cloth.pins = {held(start.x, {kRows * (kRings + 1) + kRings}), rail};
  const Motion motion = run(build_model(cloth), linearized(kStep), start, kSteps);
  expect_no_passage(cloth, motion, kStep);
  for (const State& state : motion.states)
    for (const int i : rings)
      EXPECT_LE((at(state.x, i) - at(start.x, i)).tail<2>().norm(), 1e-12) << "off its rail";
  EXPECT_GT(at(motion.back().x, rings.front()).x() - at(start.x, rings.front()).x(), 0.2);
}

// So that runs go on, and takes are read, from positions alone.
TEST(ImpulseContact, AStateFollowsFromPositions) {
  const TwoLayers scene(0.5, 4);
  const Model model = build_model(scene.cloth);
  const Simulator simulator(model, linearized(1.0 / 96));
  const StepResult result = simulator.step(0, scene.start, VecX::Zero(scene.start.x.size()));
  EXPECT_NE(result.next.v, scene.start.v);
  EXPECT_EQ(simulator.end_state(scene.start, result.next.x).v, result.next.v);
}

TEST(ImpulseContact, ASimulatorOfPassesHasNoDerivatives) {
  const TwoLayers scene(0.0, 2);
  const Model model = build_model(scene.cloth);
  SimulatorOptions options = linearized(0.01);
  EXPECT_FALSE(Simulator(model, options).has_derivatives());
  options.linearized_derivatives = LinearizedDerivatives::kSwapped;
  EXPECT_FALSE(Simulator(model, options).has_derivatives());
}

}  // namespace
}  // namespace keydrape
