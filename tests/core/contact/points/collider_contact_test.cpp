// Cloth on bodies against closed forms: rest, Coulomb's incline, impact at any speed, bodies that push and
// turn. Where a body is, is told here by formulas of its own, not by the distance fields.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/contact/body/shape/capsule.h"
#include "core/contact/body/shape/half_space.h"
#include "core/contact/body/shape/rounded_box.h"
#include "core/contact/body/shape/sphere.h"
#include "tests/support/bodies.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kSubstep = 0.01;
constexpr double kEarthGravity = 9.81;
constexpr double kEdgeRadius = 5e-4;  // of the boxes: their corners lose 0.73 of it
const Vec3 kDown(0, -kEarthGravity, 0);

template <class Field, class... Arguments>
std::shared_ptr<const Collider> body(RigidMotion motion, Arguments&&... arguments) {
  return std::make_shared<RigidCollider>(std::make_unique<Field>(std::forward<Arguments>(arguments)...),
                                         std::move(motion));
}

// A square round the y axis in the plane y = height, front upwards.
TriangleMesh level_square(int cells, double side, double height) {
  TriangleMesh mesh = square(cells, side);
  for (Vec3& p : mesh.positions) p = Vec3(p.x() - 0.5 * side, height, 0.5 * side - p.y());
  return mesh;
}

State resting(const VecX& x) { return {x, VecX::Zero(x.size())}; }

VecX uniform(int vertex_count, const Vec3& value) { return value.replicate(vertex_count, 1); }

Vec3 mean(const VecX& x) { return x.reshaped(3, x.size() / 3).rowwise().mean(); }

double range_of(const ClothDescription& cloth) { return body_contact_law(cloth).barrier.range(); }

// Kinetic, stored and potential energy after `step` steps [J].
double energy(const Model& model, const State& state, int step) {
  const Vec3 g = model.gravity().at(0.0);
  double height = 0.0;
  for (int i = 0; i < model.vertex_count(); ++i) height -= model.vertex_mass()(i) * g.dot(at(state.x, i));
  return kinetic_energy(model, state) + elastic_energy(model, state, kSubstep, step * kSubstep) + height;
}

VecX contact_force(const Model& model, const VecX& x) {
  const VecX v = VecX::Zero(x.size());
  VecX gradient = VecX::Zero(x.size());
  for (const auto& e : model.energies())
    if (e->name() == "collider contact") e->begin_step({kSubstep, kSubstep, x, v})->add_gradient(x, gradient);
  return -gradient;
}

// ---- A patch on a plane through the origin, which is tilted about the z axis. ----

struct Ramp {
  double angle;  // [rad]

  Vec3 normal() const { return {std::sin(angle), std::cos(angle), 0}; }
  Vec3 downhill() const { return {std::cos(angle), -std::sin(angle), 0}; }

  ClothDescription patch(const Animated<double>& friction) const {
    const Mat3 turn = Eigen::AngleAxisd(-angle, Vec3::UnitZ()).toRotationMatrix();
    ClothDescription cloth = cloth_of(turned(level_square(3, 0.1, 0.0), turn), cotton(), kDown);
    cloth.bodies = {{body<HalfSpace>({}, Vec3::Zero(), normal()), friction}};
    for (Vec3& p : cloth.mesh.positions) p += 0.9 * range_of(cloth) * normal();
    return cloth;
  }

  // Where the patch comes to rest under what presses it on the plane, without what pulls it along.
  VecX settled(ClothDescription cloth) const {
    cloth.gravity = Vec3(-kEarthGravity * std::cos(angle) * normal());
    const DrapeResult rest = settle(build_model(cloth), stacked(cloth.mesh.positions), 1e-9);
    EXPECT_TRUE(rest.is_settled);
    return rest.x;
  }

  // How far the patch has slid after 2 s [m].
  double slide(const Animated<double>& friction) const {
    const ClothDescription cloth = patch(friction);
    const VecX x = settled(cloth);
    const Motion motion = run(build_model(cloth), options_of(kSubstep), resting(x), 200);
    EXPECT_EQ(motion.unconverged(), 0);
    return (mean(motion.back().x) - mean(x)).dot(downhill());
  }
};

TEST(ColliderFriction, PatchOnAnInclineObeysCoulomb) {
  const Ramp incline{std::atan(0.5)};
  const double slides = incline.slide(0.45), switches = incline.slide(0.495);
  const double holds = incline.slide(0.505), sticks = incline.slide(0.51);
  EXPECT_NEAR(slides, 0.877, 0.03 * 0.877);
  const double lets_go = incline.slide(Animated<double>({{1.0, 0.6}, {1.0 + kSubstep, 0.3}}));
  EXPECT_NEAR(lets_go, 0.877, 0.04 * 0.877);  // 1/2 g cos (tan - mu) (1 s)^2
  EXPECT_GT(switches, 0.05);                  // 1/2 g cos (tan - mu) t^2 = 0.088 m
  EXPECT_LT(std::abs(holds), 1e-3);
  EXPECT_LT(std::abs(sticks), 1e-3);
}

TEST(ColliderFriction, WithoutFrictionNothingHolds) {
  const Ramp incline{std::atan(0.5)};
  const double free_slide = 0.5 * kEarthGravity * std::sin(incline.angle) * 2.0 * 2.01;  // n (n + 1)/2 dt^2
  EXPECT_NEAR(incline.slide(0.0), free_slide, 1e-6);
}

TEST(ColliderContact, PlaneBearsTheWeight) {
  const Ramp level{0.0};
  const ClothDescription cloth = level.patch(0.3);
  const Model model = build_model(cloth);
  const VecX force = contact_force(model, level.settled(cloth));
  double worst = 0.0;
  for (int i = 0; i < model.vertex_count(); ++i) {
    const Vec3 weight = -model.vertex_mass()(i) * kDown;
    worst = std::max(worst, (at(force, i) - weight).norm() / weight.norm());
  }
  const double weight = kEarthGravity * model.vertex_mass().sum();
  std::printf("contact force over weight - 1: %.1e, worst vertex %.1e\n",
              (mean(force) * model.vertex_count()).y() / weight - 1, worst);
  EXPECT_LE(worst, 1e-3);
}

TEST(ColliderContact, ClothAtRestStays) {
  const Ramp level{0.0};
  const ClothDescription cloth = level.patch(0.3);
  const Model model = build_model(cloth);
  const VecX x = level.settled(cloth);
  const Motion motion = run(model, options_of(kSubstep), resting(x), 2000);
  EXPECT_EQ(motion.unconverged(), 0);
  const double drift = (motion.back().x - x).lpNorm<Eigen::Infinity>() / 0.1;
  const double start = energy(model, motion.states[0], 0);
  double rise = 0.0;
  for (int n = 1; n <= 2000; ++n) rise = std::max(rise, energy(model, motion.states[n], n) - start);
  std::printf("drift %.1e of the size, energy rises by %.1e of itself\n", drift, rise / std::abs(start));
  EXPECT_LT(drift, 1e-6);
  EXPECT_LE(rise, 1e-12 * std::abs(start));
}

// The barrier is convex above a plane, and implicit Euler then never gains energy in a step.
TEST(ColliderContact, EnergyNeverRisesAsAPatchBounces) {
  const Ramp level{0.0};
  ClothDescription cloth = level.patch(0.0);
  for (Vec3& p : cloth.mesh.positions) p.y() += 0.02;
  const Model model = build_model(cloth);
  const Motion motion = run(model, options_of(kSubstep), resting(stacked(cloth.mesh.positions)), 300);
  EXPECT_EQ(motion.unconverged(), 0);
  double rise = 0.0;
  for (int n = 1; n <= 300; ++n)
    rise = std::max(rise, energy(model, motion.states[n], n) - energy(model, motion.states[n - 1], n - 1));
  EXPECT_LE(rise, 1e-12);
  EXPECT_LT(mean(motion.back().x).y(), range_of(cloth));  // it did come down
}

// ---- Cloth dropped on bodies. ----

struct Shape {
  const char* name;
  std::shared_ptr<const Collider> collider;
  std::function<double(const Vec3&)> distance;  // from the sharp shape, by a formula of its own
  double top;                                   // highest point [m]
};

std::vector<Shape> shapes() {
  const Vec3 half(0.12, 0.1, 0.08);
  const Vec3 end(0.12, 0, 0.05);
  return {
      {"sphere", body<Sphere>({}, Vec3::Zero(), 0.15), [](const Vec3& p) { return p.norm() - 0.15; }, 0.15},
      {"box", body<RoundedBox>({}, BoundingBox{-half, half}, kEdgeRadius),
       [half](const Vec3& p) { return box_distance(half, p); }, 0.1},
      {"capsule", body<Capsule>({}, Capsule::Axis{-end, end}, 0.06),
       [end](const Vec3& p) {
         const double t = std::clamp(p.dot(end) / end.squaredNorm(), -1.0, 1.0);
         return (p - t * end).norm() - 0.06;
       },
       0.06}};
}

TEST(ColliderContact, DroppedClothIsNeverInside) {
  for (const Shape& shape : shapes()) {
    ClothDescription cloth = cloth_of(level_square(10, 0.5, shape.top + 0.02), cotton(), kDown);
    cloth.contact.body_gap = 1e-3;
    cloth.bodies = {{shape.collider}};
    const Model model = build_model(cloth);
    const Motion motion = run(model, options_of(kSubstep), resting(stacked(cloth.mesh.positions)), 60);
    EXPECT_EQ(motion.unconverged(), 0) << shape.name;
    double nearest = 1e300, most = -1e300;
    for (size_t n = 0; n < motion.states.size(); ++n) {
      for (int i = 0; i < model.vertex_count(); ++i)
        nearest = std::min(nearest, shape.distance(at(motion.states[n].x, i)));
      most = std::max(most, energy(model, motion.states[n], static_cast<int>(n)));
    }
    const double start = energy(model, motion.states[0], 0);
    std::printf("%s: nearest %.2e m, energy at most %.3g J above the start's %.3g J\n", shape.name, nearest,
                most - start, start);
    EXPECT_GT(nearest, 1e-3 - 0.73 * kEdgeRadius) << shape.name;
    EXPECT_LT(nearest, range_of(cloth)) << shape.name;  // it did land
    EXPECT_LE(most, start + 1e-10) << shape.name;       // a body at rest without friction adds none
  }
}

// Distance from a point to the cloth, vertices and triangles, on a lattice of some 800 points each [m].
double nearest_triangle_point(const VecX& x, const TriangleMesh& mesh, const Vec3& from) {
  constexpr int kLattice = 40;
  double nearest = 1e300;
  for (const auto& [i, j, k] : mesh.triangles)
    for (int a = 0; a <= kLattice; ++a)
      for (int b = 0; a + b <= kLattice; ++b) {
        const double s = double(a) / kLattice, t = double(b) / kLattice;
        nearest = std::min(nearest, (at(x, i) * (1 - s - t) + at(x, j) * s + at(x, k) * t - from).norm());
      }
  return nearest;
}

// With points between the vertices, triangles as large as the ball do not sink in either (S12).
TEST(ColliderContact, LargeTrianglesDoNotSinkIn) {
  constexpr double kRadius = 0.05, kSpacing = 0.01;
  ClothDescription cloth = cloth_of(level_square(4, 0.4, kRadius + 0.01), cotton(), kDown);
  // The ball's top is in no vertex's way.
  for (Vec3& p : cloth.mesh.positions) p.x() += 0.033, p.z() += 0.021;
  cloth.contact.activation = 2e-3;
  cloth.bodies = {{body<Sphere>({}, Vec3::Zero(), kRadius), 0.5, kSpacing}};
  const Model model = build_model(cloth);
  const Motion motion = run(model, options_of(kSubstep), resting(stacked(cloth.mesh.positions)), 40);
  EXPECT_EQ(motion.unconverged(), 0);
  double nearest = 1e300;
  for (const State& state : motion.states)
    nearest = std::min(nearest, nearest_triangle_point(state.x, cloth.mesh, Vec3::Zero()));
  std::printf("triangles over a ball: nearest %.2e m\n", nearest - kRadius);
  EXPECT_GT(nearest, kRadius - kSpacing * kSpacing / (6 * kRadius));
  EXPECT_LT(nearest, kRadius + range_of(cloth));
}

// ---- Fast. ----

TEST(ColliderContact, NothingTunnelsThroughAThinBox) {
  const Vec3 half(0.5, 0.0025, 0.5);
  for (const Vec3& axis : {Vec3(0, 0, 0), Vec3(1.2, 0, 0.4), Vec3(kPi / 2, 0, 0)}) {
    const Mat3 turn = Eigen::AngleAxisd(axis.norm(), axis.normalized()).toRotationMatrix();
    ClothDescription cloth = cloth_of(turned(level_square(4, 0.1, 0.0), turn), cotton(), Vec3::Zero());
    cloth.contact.body_gap = 1e-3;
    for (Vec3& p : cloth.mesh.positions) p.y() += 3.0;
    cloth.bodies = {{body<RoundedBox>({}, BoundingBox{-half, half}, kEdgeRadius)}};
    const Model model = build_model(cloth);
    const State start{stacked(cloth.mesh.positions), uniform(model.vertex_count(), Vec3(0, -1000, 0))};
    const Motion motion = run(model, options_of(kSubstep), start, 20);
    int crossings = 0;
    double lowest = 1e300;
    for (const State& state : motion.states)
      for (int i = 0; i < model.vertex_count(); ++i) {
        crossings += at(state.x, i).y() < half.y() && at(state.x, i).cwiseAbs().maxCoeff() < 0.5;
        lowest = std::min(lowest, at(state.x, i).y());
      }
    std::printf("1,000 m/s, turned by %.2f: %d unconverged, lowest %.2e m\n", axis.norm(),
                motion.unconverged(), lowest);
    EXPECT_EQ(crossings, 0);
    EXPECT_EQ(motion.unconverged(), 0);
    EXPECT_LT(lowest, 0.1);  // it did get there
  }
}

TEST(ColliderContact, FastSpherePushesStretchedCloth) {
  constexpr double kRadius = 0.1, kSpeed = 10.0;
  constexpr int kSteps = 4;
  ClothDescription cloth = cloth_of(square(10, 0.5), cotton(0.002), kDown);
  const VecX x = stacked(cloth.mesh.positions);
  cloth.pins = {held(x, {0, 10, 110, 120})};
  const Vec3 from(0.25, 0.25, -0.15);
  const auto center = [&](size_t n) { return Vec3(from + Vec3(0, 0, kSpeed * kSubstep * n)); };
  const RigidMotion flight({{0.0, Vec3::Zero(), Eigen::Quaterniond::Identity()},
                            {1.0, Vec3(0, 0, kSpeed), Eigen::Quaterniond::Identity()}});
  cloth.bodies = {{body<Sphere>(flight, from, kRadius), 0.3, 0.01}};
  const Motion motion = run(build_model(cloth), options_of(kSubstep), resting(x), kSteps);
  EXPECT_EQ(motion.unconverged(), 0);
  double nearest = 1e300;
  for (size_t n = 0; n < motion.states.size(); ++n)
    nearest = std::min(nearest, nearest_triangle_point(motion.states[n].x, cloth.mesh, center(n)) - kRadius);
  const double front = center(kSteps).z() + kRadius, middle = at(motion.back().x, 60).z();
  std::printf("sphere at 10 m/s: triangles no nearer than %.2e m, middle at %.4f m, front at %.4f m\n",
              nearest, middle, front);
  EXPECT_GT(nearest, 0.0);
  EXPECT_GT(middle, front);
}

// Triangles beyond their strain limit stop the first guess short of where the box takes it: cloth must not be
// left behind the box.
TEST(ColliderContact, FastThinBoxTakesClothOfLimitedStrainAlong) {
  constexpr double kSpeed = 5.0, kStep = 1.0 / 96;
  constexpr int kSteps = 8;
  ClothDescription cloth = cloth_of(level_square(20, 1.0, 0.0), cotton(0.002), Vec3::Zero());
  cloth.material.strain_limit = 0.1;
  const BoundingBox plate{Vec3(-0.06, -0.012, -0.06), Vec3(0.06, -0.002, 0.06)};
  const RigidMotion flight({{0.0, Vec3::Zero(), Eigen::Quaterniond::Identity()},
                            {1.0, Vec3(0, kSpeed, 0), Eigen::Quaterniond::Identity()}});
  cloth.bodies = {{body<RoundedBox>(flight, plate, kEdgeRadius)}};
  const Motion motion =
      run(build_model(cloth), options_of(kStep), resting(stacked(cloth.mesh.positions)), kSteps);
  EXPECT_EQ(motion.unconverged(), 0);
  const double middle = at(motion.back().x, 220).y(), top = plate.high.y() + kSpeed * kStep * kSteps;
  EXPECT_GT(middle, top);
}

// ---- Turning. ----

// How far a patch has turned on a box that turns by 90 degrees in a second [rad].
double carried_round(double friction) {
  const Vec3 half(0.2, 0.05, 0.2);
  std::vector<RigidKey> keys;
  for (int k = 0; k <= 4; ++k)
    keys.push_back(
        {0.25 * k, Vec3::Zero(), Eigen::Quaterniond(Eigen::AngleAxisd(kPi / 8 * k, Vec3::UnitY()))});
  ClothDescription cloth = cloth_of(level_square(4, 0.1, half.y()), cotton(), kDown);
  for (Vec3& p : cloth.mesh.positions) p.y() += 0.9 * range_of(cloth);
  cloth.bodies = {{body<RoundedBox>(RigidMotion(keys), BoundingBox{-half, half}, kEdgeRadius), friction}};
  const VecX x = stacked(cloth.mesh.positions);
  const Motion motion = run(build_model(cloth), options_of(kSubstep), resting(x), 100);
  EXPECT_EQ(motion.unconverged(), 0);
  double across = 0.0, along = 0.0;  // sums of sines and cosines
  for (Eigen::Index i = 0; i < x.size() / 3; ++i) {
    const Vec3 before = x.segment<3>(3 * i), after = motion.back().x.segment<3>(3 * i);
    across += after.x() * before.z() - after.z() * before.x();
    along += after.x() * before.x() + after.z() * before.z();
  }
  return std::atan2(across, along);
}

TEST(ColliderFriction, TurningBodyDragsClothAlong) {
  const double with = carried_round(0.5), without = carried_round(0.0);
  std::printf("turned by %.4f of the body's turn, %.1e without friction\n", with / (kPi / 2),
              without / (kPi / 2));
  EXPECT_NEAR(with, kPi / 2, 0.02 * kPi / 2);
  EXPECT_NEAR(without, 0.0, 1e-6);
}

// ---- Bending. ----

// A coarse body in a coarse grid: neither its turning facets nor its level set keep the distance of a point
// that goes with its nearest triangle.
TEST(ColliderContact, DeformingBodyLiftsTheClothItCatches) {
  const TriangleMesh ball = sphere_mesh(0.15, 2);
  MotionTrack track{{}, 5.0 / 60};
  for (int s = 0; s <= 4; ++s) {
    const Mat3 turn = Eigen::AngleAxisd(0.1 * s, Vec3(0.6, 0.8, 0)).toRotationMatrix();
    const Vec3 shape(1 + 0.03 * s, 1 - 0.02 * s, 1 + 0.02 * s);
    VecX x(3 * ball.vertex_count());
    for (int i = 0; i < ball.vertex_count(); ++i)
      x.segment<3>(3 * i) =
          turn * shape.cwiseProduct(ball.positions[i]) + Vec3(0, -0.16 + 0.015 * s, 0.005 * s);
    track.samples.push_back(x);
  }
  ClothDescription cloth = cloth_of(level_square(6, 0.5, 0.01), cotton(0.01), kDown);
  cloth.bodies = {
      {std::make_shared<DeformingCollider>(track, ball.triangles, DeformingColliderOptions{{0.025, 0.03}}),
       0.3, 0.04}};
  const Motion motion = run(build_model(cloth), options_of(1.0 / 60), at_rest_in(cloth), 20);
  EXPECT_EQ(motion.unconverged(), 0);
  EXPECT_GT(at(motion.back().x, 24).y(), 0.0);  // the middle, which falls by 0.5 m where nothing catches it
}

// Its level set knows nothing of the surface beyond the band: the plate comes from further off within a step.
TEST(ColliderContact, FastDeformingPlateTakesClothAlong) {
  constexpr double kSpeed = 5.0, kFrame = 1.0 / 24, kStep = kFrame / 4, kHalf = 0.01, kBegin = -0.038;
  constexpr int kSteps = 3;
  const TriangleMesh plate = box_mesh(Vec3(0.1, kHalf, 0.1));
  MotionTrack track{{}, kFrame};
  for (int s = 0; s <= 1; ++s) {
    VecX x = stacked(plate.positions);
    for (int i = 0; i < plate.vertex_count(); ++i) x(3 * i + 1) += kSpeed * kFrame * s + kBegin;
    track.samples.push_back(x);
  }
  ClothDescription cloth = cloth_of(level_square(20, 1.0, 0.0), cotton(0.002), Vec3::Zero());
  cloth.bodies = {{std::make_shared<DeformingCollider>(track, plate.triangles,
                                                       DeformingColliderOptions{{0.008, 0.016}})}};
  const Motion motion =
      run(build_model(cloth), options_of(kStep), resting(stacked(cloth.mesh.positions)), kSteps);
  EXPECT_EQ(motion.unconverged(), 0);
  EXPECT_GT(at(motion.back().x, 220).y(), kBegin + kSpeed * kStep * kSteps + kHalf);
}

// ---- No way out. ----

TEST(ColliderContact, ClothInsideABodyBlocksTheStep) {
  ClothDescription cloth = cloth_of(level_square(4, 0.1, 0.0), cotton(), kDown);
  cloth.bodies = {{body<Sphere>({}, Vec3::Zero(), 0.03)}};
  const Model model = build_model(cloth);
  const Motion motion = run(model, options_of(kSubstep), resting(stacked(cloth.mesh.positions)), 1);
  EXPECT_EQ(motion.reports[0].end, NewtonEnd::kBlocked);
  EXPECT_EQ(motion.reports[0].violations, 5);  // the middle and its four neighbours, 0.025 m off
}

}  // namespace
}  // namespace keydrape
