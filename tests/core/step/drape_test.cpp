#include "core/step/drape.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/contact/body/collider.h"
#include "core/contact/body/shape/half_space.h"
#include "core/step/simulator.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

// Where the minimum is unique the way to it does not matter: from the rest shape, and from far above.
TEST(Drape, DoesNotDependOnItsWay) {
  ClothDescription cloth = cloth_of(square(8, 0.6), cotton(0.02), Vec3(0, -9.81, 0));
  cloth.material.bend = 2e-3;
  const VecX x0 = stacked(cloth.mesh.positions);
  cloth.pins = {held(x0, vertices_where(cloth.mesh, [](const Vec3& p) { return p.y() > 0.6 - 1e-9; }))};
  const Model model = build_model(cloth);
  VecX pushed = x0;
  for (Eigen::Index i = 0; i < pushed.size(); i += 3) pushed[i + 2] += 0.3 * (0.6 - x0[i + 1]);
  DrapeOptions exact;
  exact.tolerance = 1e-9;
  const DrapeResult a = drape(model, x0, exact), b = drape(model, pushed, exact);
  ASSERT_TRUE(a.is_settled && b.is_settled);
  EXPECT_LE((a.x - b.x).lpNorm<Eigen::Infinity>(), 1e-6);
  EXPECT_LE(std::max(a.residual, b.residual), exact.tolerance);
  const VecX none = VecX::Zero(x0.size());
  EXPECT_LE(forces_at_rest(model, {a.x, none}, exact), 1e-6);
  EXPECT_GT(forces_at_rest(model, {pushed, none}, exact), 1.0);
  const Vec3 moved = at(b.x - pushed, b.farthest_vertex);
  EXPECT_EQ(b.farthest, moved.norm());
  EXPECT_GT(b.farthest, 0.05);
}

// What has gone a thousand times its size is not waited for.
TEST(Drape, WhatFallsForEverIsGivenUp) {
  const ClothDescription cloth = cloth_of(square(3, 0.3), cotton(0.01), Vec3(0, -9.81, 0));
  const DrapeResult fallen = drape(build_model(cloth), stacked(cloth.mesh.positions), {});
  EXPECT_FALSE(fallen.is_settled);
  EXPECT_LT(fallen.rounds, 50);
  EXPECT_GT(fallen.farthest, 100.0);
}

TEST(Drape, SaysWhatItsLastRoundFailedBy) {
  const ClothDescription cloth = cloth_of(square(3, 0.3), cotton(0.01), Vec3(0, -9.81, 0));
  DrapeOptions impatient;
  impatient.newton.max_iterations = 0;
  const DrapeResult none = drape(build_model(cloth), stacked(cloth.mesh.positions), impatient);
  EXPECT_TRUE(none.has_failed());
  EXPECT_EQ(none.end, NewtonEnd::kMaxIterations);
  EXPECT_EQ(none.farthest_vertex, -1);
}

// Short rounds end with few iterations, and those that are to be longer never do.
TEST(Drape, SaysOfRoundsThatCannotBeLongerThatTheyFail) {
  ClothDescription cloth = cloth_of(square(4, 0.3), cotton(0.01), Vec3(0, 0, -9.81));
  const VecX x0 = stacked(cloth.mesh.positions);
  cloth.pins = {held(x0, vertices_where(cloth.mesh, [](const Vec3& p) { return p.y() > 0.3 - 1e-9; }))};
  const Model model = build_model(cloth);
  ASSERT_TRUE(drape(model, x0, {}).is_settled);
  for (int rounds = 30; rounds < 36; ++rounds) {
    DrapeOptions impatient;
    impatient.newton.max_iterations = 1;
    impatient.max_rounds = rounds;
    const DrapeResult result = drape(model, x0, impatient);
    EXPECT_TRUE(result.has_failed()) << rounds;
    EXPECT_EQ(result.end, NewtonEnd::kMaxIterations) << rounds;
  }
}

// On a slope friction holds what it can hold: without it there is no rest.
TEST(Drape, FrictionHoldsOnASlope) {
  const auto on_slope = [](double friction) {
    ClothDescription cloth;
    cloth.mesh = square(6, 0.3);
    for (Vec3& p : cloth.mesh.positions) p = Vec3(p.x(), 6e-4, p.y());
    cloth.material = cotton(0.01);
    const double angle = std::atan(0.3);
    cloth.gravity = Vec3(9.81 * std::sin(angle), -9.81 * std::cos(angle), 0);
    cloth.bodies = {
        {std::make_shared<RigidCollider>(std::make_unique<HalfSpace>(Vec3::Zero(), Vec3::UnitY())), friction,
         std::numeric_limits<double>::infinity()}};
    DrapeOptions options;
    options.max_rounds = 24;
    return drape(build_model(cloth), stacked(cloth.mesh.positions), options);
  };
  const DrapeResult held = on_slope(0.6), sliding = on_slope(0.1);
  EXPECT_TRUE(held.is_settled) << held.residual;
  EXPECT_LE(held.farthest, 5e-3);
  EXPECT_FALSE(sliding.is_settled);
  EXPECT_GT(sliding.farthest, 1.0);
}

// A drape takes no time: bodies stand where they are then, however they have come there.
TEST(Drape, NoBodyMovesInIt) {
  constexpr double kTime = 1.0;
  const auto ending_there = [](bool moves) {
    ClothDescription cloth;
    cloth.mesh = square(6, 0.3);
    for (Vec3& p : cloth.mesh.positions) p = Vec3(p.x(), 6e-4, p.y());
    cloth.material = cotton(0.01);
    cloth.gravity = Vec3(0, -9.81, 0);
    const auto at_rest = Eigen::Quaterniond::Identity();
    const RigidMotion rises({{0.0, Vec3(-2, -1, 0), at_rest}, {kTime, Vec3::Zero(), at_rest}});
    cloth.bodies = {{std::make_shared<RigidCollider>(std::make_unique<HalfSpace>(Vec3::Zero(), Vec3::UnitY()),
                                                     moves ? rises : RigidMotion()),
                     0.6, std::numeric_limits<double>::infinity()}};
    DrapeOptions options;
    options.time = kTime;
    return drape(build_model(cloth), stacked(cloth.mesh.positions), options);
  };
  const DrapeResult moved = ending_there(true), stood = ending_there(false);
  ASSERT_TRUE(stood.is_settled && moved.is_settled);
  EXPECT_LT(stood.farthest, 5e-3);
  EXPECT_LT((moved.x - stood.x).lpNorm<Eigen::Infinity>(), 1e-12);
}

// Wind in a round is that of where it begins: the longest lead the cloth in circles, shorter ones do not.
TEST(Drape, ShorterRoundsComeToRestInWind) {
  for (const int cells : {3, 4}) {
    ClothDescription cloth = cloth_of(square(cells, 0.6), *find_material_preset("cotton"), Vec3(0, -9.81, 0));
    const VecX x0 = stacked(cloth.mesh.positions);
    cloth.pins = {held(x0, vertices_where(cloth.mesh, [](const Vec3& p) { return p.y() > 0.6 - 1e-9; }))};
    cloth.wind.emplace().velocity = Vec3(0, 0, 1.5);
    const DrapeOptions options;
    const DrapeResult result = drape(build_model(cloth), x0, options);
    EXPECT_TRUE(result.is_settled) << result.residual;
    EXPECT_LT(result.rounds, 150);
    EXPECT_LE(result.longest_round, 0.25 * options.longest_round);
    EXPECT_GT(at(result.x, 0).z(), 0.05) << "it blows";
  }
}

}  // namespace
}  // namespace keydrape
