#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "core/mesh/hinge_angle.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kPi = std::numbers::pi;
constexpr int kSide = 7;  // vertices

// A square sheet with a crease along the middle.
ClothDescription creased(const Animated<double>& angle, double stiffness = 1.0) {
  ClothDescription cloth = cloth_of(square(kSide - 1, 0.3), cotton(0.02), Vec3::Zero());
  Crease crease{{}, angle, stiffness};
  for (int j = 0; j + 1 < kSide; ++j) crease.edges.push_back({3 + kSide * j, 3 + kSide * (j + 1)});
  cloth.creases = {crease};
  return cloth;
}

// Angles of the hinges along the crease, and the largest of the others.
struct Angles {
  double least, most, elsewhere = 0.0;
};
Angles angles(const ClothDescription& cloth, const VecX& x) {
  Angles found{kPi, -kPi};
  for (const Hinge& hinge : build_topology(cloth.mesh.triangles, cloth.mesh.vertex_count()).hinges) {
    Stencil<4> at_hinge;
    for (int a = 0; a < 4; ++a) at_hinge.col(a) = at(x, hinge.vertices[a]);
    const double theta = HingeAngle(at_hinge).theta();
    const auto is_along = [&](int v) { return v % kSide == 3; };
    if (is_along(hinge.vertices[0]) && is_along(hinge.vertices[1])) {
      found.least = std::min(found.least, theta);
      found.most = std::max(found.most, theta);
    } else {
      found.elsewhere = std::max(found.elsewhere, std::abs(theta));
    }
  }
  return found;
}

TEST(Crease, IsWhereAndHowTheClothIsFoldedAtRest) {
  for (const double angle : {1.0, -2.0, 3.0}) {
    const ClothDescription cloth = creased(angle);
    const VecX flat = stacked(cloth.mesh.positions);
    DrapeOptions options;
    options.sliding_time = 0.01;
    options.tolerance = 1e-9;
    const DrapeResult rest = drape(build_model(cloth), flat, options);
    ASSERT_TRUE(rest.is_settled);
    const Angles found = angles(cloth, rest.x);
    EXPECT_NEAR(found.least, angle, 1e-4);
    EXPECT_NEAR(found.most, angle, 1e-4);
    EXPECT_LT(found.elsewhere, 1e-4);
  }
}

TEST(Crease, IsPressedInAsItsKeysSay) {
  ClothDescription cloth = creased(Animated<double>({{0.5, 0.0}, {1.0, 1.5}}));
  cloth.material.bend = 1e-3;
  const VecX flat = stacked(cloth.mesh.positions);
  const Motion motion = run(build_model(cloth), options_of(0.01), {flat, VecX::Zero(flat.size())}, 200);
  EXPECT_LT(angles(cloth, motion.states[50].x).most, 1e-9);
  EXPECT_NEAR(angles(cloth, motion.states[200].x).least, 1.5, 0.05);
}

// Opened by the same weight, one that is ten times as stiff opens less.
TEST(Crease, IsAsMuchStifferAsItSays) {
  const auto opened = [](double stiffness) {
    ClothDescription cloth = creased(2.0, stiffness);
    const VecX flat = stacked(cloth.mesh.positions);
    cloth.gravity = Vec3(0, 0, -9.81);
    cloth.material.bend = 2e-4;
    std::vector<int> middle;
    middle.reserve(kSide);
    for (int j = 0; j < kSide; ++j) middle.push_back(3 + kSide * j);
    cloth.pins = {held(flat, middle)};
    DrapeOptions options;
    options.sliding_time = 0.01;
    return std::abs(2.0 - angles(cloth, drape(build_model(cloth), flat, options).x).least);
  };
  EXPECT_LT(opened(10.0), 0.3 * opened(1.0));
}

TEST(Crease, IsAnInnerEdge) {
  ClothDescription cloth = creased(1.0);
  cloth.creases[0].edges.push_back({0, 1});
  EXPECT_THROW(build_model(cloth), InputError);
}

TEST(Crease, WantsHinges) {
  ClothDescription cloth = creased(1.0);
  cloth.bending = BendingModel::kQuadratic;
  EXPECT_THROW(build_model(cloth), InputError);
}

}  // namespace
}  // namespace keydrape
