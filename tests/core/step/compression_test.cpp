// Cloth that cannot fold between its vertices, pushed together (core/EQUATIONS.md (W8), (W9)).

#include <gtest/gtest.h>

#include <cmath>

#include "core/energy/buckling_curve.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

// A strip of one row of quads, as long as the fold: its reaction is that of the buckled column.
TEST(Buckling, ReactionIsTheColumns) {
  const double length = 0.05, width = 0.1;
  ClothDescription cloth = cloth_of(sheet(1, 2, Vec2(length, width)), cotton(), Vec3::Zero());
  cloth.material.compression = {Compression::Law::kBuckling, 1.0, length};
  const Model model = build_model(cloth);
  VecX x = stacked(cloth.mesh.positions);
  for (Eigen::Index i = 0; i < x.size(); i += 3) x(i) *= 0.9;
  const VecX f = elastic_force(model, x);
  double reaction = 0.0;
  for (Eigen::Index i = 0; i < x.size(); i += 3)
    if (x(i) > 0.5 * length) reaction += f(i);
  const double column = cloth.material.bend / (length * length) * width;
  EXPECT_GE(reaction, 12.0 * column);
  EXPECT_LE(reaction, 12.8 * column);
  EXPECT_NEAR(reaction / column, -buckled_column(0.9).phi, 0.01);
}

// A sheet lets itself be shortened by that load, and an undamped run of it stays bounded.
TEST(Buckling, UndampedRunStaysBounded) {
  ClothDescription cloth = cloth_of(square(10, 0.5), cotton(), Vec3(0, -9.81, 0));
  cloth.material.compression.law = Compression::Law::kBuckling;
  const VecX x0 = stacked(cloth.mesh.positions);
  cloth.pins = {held(x0, vertices_where(cloth.mesh, [](const Vec3& p) { return p.y() > 0.5 - 1e-9; }))};
  const Model model = build_model(cloth);
  VecX pushed = x0;
  for (Eigen::Index i = 0; i < pushed.size(); i += 3) {
    pushed(i + 1) = 0.5 - 0.7 * (0.5 - pushed(i + 1));  // shortened, and a little out of its plane
    pushed(i + 2) += 0.01 * std::sin(20 * pushed(i));
  }
  const Motion motion = run(model, options_of(1.0 / 200), {pushed, VecX::Zero(pushed.size())}, 500);
  EXPECT_EQ(motion.unconverged(), 0);
  double farthest = 0.0;
  for (const State& state : motion.states)
    farthest = std::max(farthest, (state.x - x0).lpNorm<Eigen::Infinity>());
  EXPECT_LT(farthest, 0.6);
  EXPECT_GT(farthest, 0.1);
}

}  // namespace
}  // namespace keydrape
