// Derivatives of contact with bodies and of friction, by their order, and the same bits for every
// number of threads.

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <random>

#include "core/contact/body/level_set/mesh_level_set.h"
#include "core/contact/body/shape/half_space.h"
#include "core/contact/body/shape/sphere.h"
#include "core/contact/points/collider_contact.h"
#include "core/contact/points/collider_friction.h"
#include "tests/support/bodies.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kBodyDt = 0.01, kTime = 0.3, kOrder = 1.8, kRadius = 0.2;
constexpr double kGap = 1e-3, kActivation = 4e-3;

// A ball about the origin that moves and turns through it at kTime - kBodyDt, or rests there.
RigidMotion motion(bool moves) {
  if (!moves) return RigidMotion();
  const Vec3 velocity(0.3, 0.1, -0.2);  // [m/s]
  std::vector<RigidKey> keys;
  for (int k = 0; k <= 6; ++k) {
    const double t = 0.1 * k;
    keys.push_back({t, (t - kTime + kBodyDt) * velocity,
                    Eigen::Quaterniond(Eigen::AngleAxisd(1.5 * t, Vec3(0.6, 0, 0.8)))});
  }
  return RigidMotion(keys);
}

struct Body {
  const char* name;
  std::shared_ptr<const Collider> collider;
  bool is_penalty = false;
};

std::vector<Body> bodies() {
  const TriangleMesh mesh = sphere_mesh(kRadius, 3);
  const auto level_set = [&] { return mesh_level_set(mesh.positions, mesh.triangles, {0.02, 0.03}).field; };
  const auto ball = [] { return std::make_unique<Sphere>(Vec3::Zero(), kRadius); };
  return {{"sphere", std::make_shared<RigidCollider>(ball())},
          {"moving sphere", std::make_shared<RigidCollider>(ball(), motion(true))},
          {"level set", std::make_shared<RigidCollider>(level_set())},
          {"moving level set", std::make_shared<RigidCollider>(level_set(), motion(true))},
          {"penalty of a sphere", std::make_shared<RigidCollider>(ball(), motion(true)), true},
          {"penalty of a level set", std::make_shared<RigidCollider>(level_set(), motion(true)), true}};
}

// Three vertices, an edge's point and a triangle's over the body, all well within the barrier's range.
struct Fixture {
  explicit Fixture(const Body& body) {
    const std::vector<SamplePoint> points{{{0, 0, 0}, Vec3(1, 0, 0), 1, 1e-3},
                                          {{1, 1, 1}, Vec3(1, 0, 0), 1, 2e-3},
                                          {{2, 2, 2}, Vec3(1, 0, 0), 1, 1e-3},
                                          {{2, 0, 0}, Vec3(0.3, 0.7, 0), 2, 3e-3},
                                          {{1, 2, 0}, Vec3(0.2, 0.3, 0.5), 3, 2e-3}};
    // A penalty acts within its gap, a barrier beyond.
    const ContactLaw law = body.is_penalty ? ContactLaw{{kGap + 2 * kActivation, kActivation}, 40.0, true}
                                           : ContactLaw{{kGap, kActivation}, 40.0};
    cloth = std::make_shared<const CollidingCloth>(CollidingCloth{body.collider, points, {}, law});
    const ColliderPose pose = body.collider->at(kTime - kBodyDt);
    x = VecX(9);
    const Vec3 directions[] = {Vec3(0.02, 1, 0.01), Vec3(-0.05, 1, 0.03), Vec3(0, 1, -0.04)};
    for (int i = 0; i < 3; ++i) {
      Vec3 p = 0.21 * directions[i].normalized();
      for (int k = 0; k < 20; ++k) {  // down to a gap of its own
        const DistanceSample s = pose.sample(p);
        p -= (s.distance - kGap - (0.5 + 0.1 * i) * kActivation) * s.gradient / s.gradient.squaredNorm();
      }
      x.segment<3>(3 * i) = p;
    }
    // The end of the step: carried along, slid by some 1e-4 m and a little nearer.
    y = x;
    for (int i = 0; i < 3; ++i)
      y.segment<3>(3 * i) = body.collider->carry(kTime - kBodyDt, kTime, x.segment<3>(3 * i)).position +
                            Vec3(1e-4, -2e-4, (i - 1.3) * 1e-4);
  }

  StepStart start(const VecX& from) const { return {kBodyDt, kTime, from, v}; }

  std::shared_ptr<const CollidingCloth> cloth;
  VecX x, y, v = VecX::Zero(9);
};

VecX direction(unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> component(-1, 1);
  return VecX::NullaryExpr(9, [&] { return component(random); });
}

template <class Error>
double mean_order(const Error& error) {
  constexpr double kReach = 2e-5;  // [m], small against sliding and activation
  return std::log2(error(kReach) / error(kReach / 32)) / 5;
}

VecX gradient(const EnergyStep& step, const VecX& y) {
  VecX g = VecX::Zero(y.size());
  step.add_gradient(y, g);
  return g;
}

// Gradient and Hessian in y of one energy, in the state of `f`.
void expect_exact_in_y(Energy& energy, const Fixture& f, const char* name) {
  std::vector<Edge> pairs;
  energy.append_couplings(pairs);
  const BlockPattern pattern(3, pairs);
  energy.bind(pattern);
  const auto step = energy.begin_step(f.start(f.x));
  const double W = step->value(f.y);
  ASSERT_GT(W, 0.0) << name;
  const VecX g = gradient(*step, f.y);
  BlockMatrix H(pattern);
  step->add_hessian(f.y, {}, H);
  H.mirror_upper();
  for (unsigned seed : {1u, 2u, 3u}) {
    const VecX d = direction(seed);
    VecX Hd;
    H.multiply(d, Hd);
    EXPECT_GT(Hd.norm(), 0.0);
    EXPECT_GT(mean_order([&](double e) { return std::abs(step->value(f.y + e * d) - W - e * g.dot(d)); }),
              kOrder)
        << name;
    EXPECT_GT(mean_order([&](double e) { return (gradient(*step, f.y + e * d) - g - e * Hd).norm(); }),
              kOrder)
        << name;
  }
}

TEST(ColliderContactEnergy, GradientAndHessianAreExact) {
  for (const Body& body : bodies()) {
    const Fixture f(body);
    ColliderContact contact(f.cloth);
    expect_exact_in_y(contact, f, body.name);
  }
}

TEST(ColliderContactEnergy, DoesNotKnowTheStart) {
  for (const Body& body : bodies()) {
    const Fixture f(body);
    const ColliderContact contact(f.cloth);
    EXPECT_EQ(contact.begin_step(f.start(f.x))->value(f.y), contact.begin_step(f.start(f.y))->value(f.y));
  }
}

// Sliding bounds of 3e-5 m and 0.01 m: both branches of the law.
TEST(ColliderFrictionEnergy, GradientAndHessianAreExact) {
  for (const Body& body : bodies())
    for (double speed : {3e-3, 1.0}) {
      const Fixture f(body);
      ColliderFriction friction(f.cloth, 0.4, speed);
      expect_exact_in_y(friction, f, body.name);
    }
}

TEST(ColliderFrictionEnergy, DerivativesByTheStartAreExact) {
  for (const Body& body : bodies())
    for (double speed : {3e-3, 1.0}) {
      const Fixture f(body);
      ColliderFriction friction(f.cloth, 0.4, speed);
      ASSERT_TRUE(friction.depends_on_start_x());
      std::vector<Edge> pairs;
      friction.append_couplings(pairs);
      const BlockPattern pattern(3, pairs);
      friction.bind(pattern);
      const auto step = friction.begin_step(f.start(f.x));
      const VecX g = gradient(*step, f.y);
      BlockMatrix C(pattern), D(pattern);
      step->add_start_derivatives(f.y, C, D);
      for (unsigned seed : {4u, 5u, 6u}) {
        const VecX d = direction(seed);
        VecX Cd;
        C.multiply(d, Cd);
        EXPECT_GT(Cd.norm(), 0.0);
        const auto error = [&](double e) {
          const VecX moved = f.x + e * d;
          return (gradient(*friction.begin_step(f.start(moved)), f.y) - g - e * Cd).norm();
        };
        EXPECT_GT(mean_order(error), kOrder) << body.name << ", " << speed << " m/s";
      }
    }
}

// The force is along the sliding against the body, at most mu times the load, and that once it is full.
TEST(ColliderFrictionEnergy, ForceIsCoulombs) {
  const Body plane{"plane",
                   std::make_shared<RigidCollider>(std::make_unique<HalfSpace>(Vec3::Zero(), Vec3::UnitY()))};
  const CollidingCloth cloth{
      plane.collider, {{{0, 0, 0}, Vec3(1, 0, 0), 1, 1e-3}}, {}, {{kGap, kActivation}, 40.0}};
  const auto shared = std::make_shared<const CollidingCloth>(cloth);
  const VecX x = Vec3(0.1, kGap + 0.5 * kActivation, 0.2), v = VecX::Zero(3);
  const double load = -gradient(*ColliderContact(shared).begin_step({kBodyDt, kTime, x, v}), x).y();
  const auto step = ColliderFriction(shared, 0.4, 1e-2).begin_step({kBodyDt, kTime, x, v});
  const Vec3 along = Vec3(0.6, 0, -0.8);
  const VecX slid = x + 3e-4 * along, crept = x + 2.5e-5 * along;  // eps = 1e-4 m
  EXPECT_LT((gradient(*step, slid) - 0.4 * load * along).norm(), 1e-12 * load);
  EXPECT_LT((gradient(*step, crept) - (2 * 0.25 - 0.0625) * 0.4 * load * along).norm(), 1e-12 * load);
  EXPECT_EQ(gradient(*step, x).norm(), 0.0);
}

TEST(ColliderContactEnergy, SameBitsForEveryThreadCount) {
  constexpr int kCells = 24, kSteps = 8;  // 625 vertices: several tasks
  ClothDescription cloth = cloth_of(square(kCells, 0.5), cotton(), Vec3(0, 0, -9.81));
  for (Vec3& p : cloth.mesh.positions) p += Vec3(-0.24, -0.26, kRadius + 4e-3);
  cloth.bodies = {{bodies()[0].collider, 0.3, 0.015}};
  const State start{stacked(cloth.mesh.positions), VecX::Zero(3 * cloth.mesh.vertex_count())};
  std::vector<Motion> motions;
  for (int threads : {1, 2, 4}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    motions.push_back(run(build_model(cloth), options_of(kBodyDt), start, kSteps));
    EXPECT_EQ(motions.back().unconverged(), 0);
  }
  for (size_t m : {1, 2})
    for (int n = 1; n <= kSteps; ++n) {
      ASSERT_EQ(motions[m].states[n].x, motions[0].states[n].x) << "step " << n;
      ASSERT_EQ(motions[m].reports[n - 1].iterations, motions[0].reports[n - 1].iterations);
    }
  const double fall = 0.5 * 9.81 * kBodyDt * kBodyDt * kSteps * (kSteps + 1);
  const int middle = (kCells + 1) * (kCells / 2) + kCells / 2;
  EXPECT_GT((motions[0].back().x - start.x)(3 * middle + 2), -0.5 * fall);  // the ball holds it
}

}  // namespace
}  // namespace keydrape
