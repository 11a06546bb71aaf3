// One simulator, two threads: each takes its steps in a workspace of its own, and gets the bits that it would
// have got alone. tests/thread/run looks at it with ThreadSanitizer.

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "core/cloth/cloth.h"
#include "core/contact/body/shape/sphere.h"
#include "core/step/simulator.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kParallelDt = 1.0 / 96;
constexpr int kParallelSteps = 16;

// Two layers over a ball, with friction everywhere: all that a step can keep for the next is used.
ClothDescription layers_on_ball() {
  TriangleMesh mesh = square(6, 0.3);
  const int n = mesh.vertex_count();
  for (int i = 0; i < n; ++i) mesh.positions.push_back(mesh.positions[i] + Vec3(0.013, 0.007, 4e-3));
  for (Triangle t : std::vector<Triangle>(mesh.triangles)) {
    for (int& v : t) v += n;
    mesh.triangles.push_back(t);
  }
  ClothDescription cloth = cloth_of(mesh, cotton(0.002), Vec3(0, 0, -kStandardGravity));
  cloth.contact.self = true;
  cloth.contact.friction = 0.3;
  cloth.bodies = {
      {std::make_shared<RigidCollider>(std::make_unique<Sphere>(Vec3(0.15, 0.15, -0.105), 0.1)), 0.4}};
  return cloth;
}

std::vector<VecX> positions_of_run(const Simulator& simulator, State state) {
  std::vector<VecX> positions;
  const VecX u = VecX::Zero(state.x.size());
  StepWorkspace work;
  std::unique_ptr<SingleFactor> factor;
  for (int k = 0; k < kParallelSteps; ++k) {
    StepResult result = simulator.step(k, state, u, {factor.get()}, work);
    state = std::move(result.next);
    if (result.factor) factor = std::move(result.factor);
    positions.push_back(state.x);
  }
  return positions;
}

TEST(ParallelSteps, AreThoseOfOneThread) {
  const ClothDescription cloth = layers_on_ball();
  const Model model = build_model(cloth);
  const Simulator simulator(model, options_of(kParallelDt));
  State still{stacked(cloth.mesh.positions), VecX::Zero(3 * model.vertex_count())};
  State moving = still;
  for (Eigen::Index i = 0; i < moving.v.size(); i += 3) moving.v(i) = 0.3;
  const auto first = positions_of_run(simulator, still), second = positions_of_run(simulator, moving);
  PairSearch search;
  const VecX all = model.touchable().surfaces->with_bodies(first.back(), kParallelSteps * kParallelDt);
  ASSERT_FALSE(model.touchable().surfaces->touching(all, {}, search).vertex_faces.empty());
  ASSERT_NE(first.back(), second.back());

  std::vector<VecX> of_first, of_second;
  std::thread other([&] { of_second = positions_of_run(simulator, moving); });
  of_first = positions_of_run(simulator, still);
  other.join();
  EXPECT_EQ(of_first, first);
  EXPECT_EQ(of_second, second);
}

}  // namespace
}  // namespace keydrape
