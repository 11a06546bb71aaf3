// Derivatives with contact frozen are those of the same step without anything to touch; the step itself
// is with contact.

#include <gtest/gtest.h>

#include "control/derivatives/step_linearization.h"
#include "core/contact/body/collider.h"
#include "core/contact/body/shape/sphere.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

constexpr int kLayerCells = 5, kFrozenSteps = 8;
constexpr double kFrozenDt = 1.0 / 60, kRadius = 0.2;

// Two layers in the air, the lower one just above a ball.
ClothDescription two_layers() {
  TriangleMesh mesh = test::square(kLayerCells, 0.3);
  const int n = mesh.vertex_count();
  const std::vector<Triangle> lower = mesh.triangles;
  for (int i = 0; i < n; ++i) mesh.positions.push_back(mesh.positions[i] + Vec3(0.01, 0.02, 1.5e-3));
  for (const Triangle& t : lower) mesh.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
  return test::cloth_of(mesh, test::cotton(0.01), Vec3(0, 0, -kStandardGravity));
}

ClothDescription on_a_ball() {
  ClothDescription cloth = two_layers();
  cloth.contact.self = true;
  cloth.contact.friction = 0.3;
  auto ball = std::make_unique<Sphere>(Vec3(0.14, 0.16, -kRadius - 2e-3), kRadius);
  cloth.bodies = {{std::make_shared<RigidCollider>(std::move(ball), RigidMotion()), 0.4}};
  return cloth;
}

SimulatorOptions options(ContactDerivatives derivatives) {
  SimulatorOptions options = test::options_of(kFrozenDt, 1e-10);
  options.contact_derivatives = derivatives;
  return options;
}

// What a step's derivatives make of one vector in all the ways that sweeps use them.
VecX images(const Simulator& simulator, int n, const State& start, const State& end) {
  StepWorkspace work;
  StepLinearization step(simulator, n, start, end, work);
  EXPECT_TRUE(step.factorize(StepLinearization::Precision::kDouble));
  const VecX b = VecX::LinSpaced(start.x.size(), -1.0, 2.0).array().sin();
  VecX solved, x, v;
  EXPECT_TRUE(step.solve(b, solved));
  step.apply_x(StepLevel::kStart, b, x);
  step.apply_v_transposed(StepLevel::kStart, b, v);
  VecX all(3 * b.size());
  all << solved / solved.norm(), x / x.norm(), v / v.norm();
  return all;
}

TEST(FrozenContact, DerivativesAreThoseOfTheStepWithoutContact) {
  const Model touching = build_model(on_a_ball()), free = build_model(two_layers());
  const Simulator exact(touching, options(ContactDerivatives::kExact));
  const Simulator frozen(touching, options(ContactDerivatives::kFrozen));
  const Simulator without(free, options(ContactDerivatives::kExact));
  State start{stacked(on_a_ball().mesh.positions), VecX::Zero(3 * touching.vertex_count())};
  const VecX u = VecX::Zero(start.x.size());
  for (int n = 0; n + 1 < kFrozenSteps; ++n) start = exact.step(n, start, u, {}).next;
  const State end = exact.step(kFrozenSteps - 1, start, u, {}).next;

  EXPECT_EQ(frozen.step(kFrozenSteps - 1, start, u, {}).next.x, end.x);
  const VecX of_frozen = images(frozen, kFrozenSteps - 1, start, end);
  EXPECT_LT((of_frozen - images(without, kFrozenSteps - 1, start, end)).norm(), 1e-9);
  EXPECT_GT((of_frozen - images(exact, kFrozenSteps - 1, start, end)).norm(), 0.1);
}

}  // namespace
}  // namespace keydrape
