// Edges that are too long are drawn together, and momentum is kept.

#include "core/pass/edge_limit.h"

#include <gtest/gtest.h>

#include "core/mesh/topology.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kLimit = 0.1;

std::vector<LimitedEdge> edges_at_rest(const TriangleMesh& mesh) {
  return limited_edges(mesh, build_rest_shape(mesh, build_topology(mesh.triangles, mesh.vertex_count()), {}));
}

double largest_stretch(const std::vector<LimitedEdge>& edges, const VecX& x) {
  double largest = 0.0;
  for (const LimitedEdge& edge : edges)
    largest = std::max(largest,
                       (at(x, edge.vertices[1]) - at(x, edge.vertices[0])).norm() / edge.length(Vec2(1, 1)));
  return largest;
}

// Free cloth that was pulled to one and a half times its length in one place.
TEST(EdgeLimit, DrawsOverlongEdgesTogetherAndKeepsMomentum) {
  const TriangleMesh mesh = square(6, 0.4);
  const std::vector<LimitedEdge> edges = edges_at_rest(mesh);
  const VecX x = stacked(mesh.positions), v = VecX::Constant(x.size(), 0.3);
  VecX mass = VecX::LinSpaced(mesh.vertex_count(), 1.0, 3.0), y = x;
  y.segment<3>(3 * 10) += Vec3(0.03, -0.02, 0.03);
  y.segment<3>(3 * 24) += Vec3(0.0, 0.05, 0.0);
  ASSERT_GT(largest_stretch(edges, y), 1.3);
  EXPECT_NEAR(longest_edge(edges, Vec2(1, 1), y).stretch, largest_stretch(edges, y) - 1.0, 1e-15);
  const auto momentum = [&](const VecX& end) {
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < mesh.vertex_count(); ++i) sum += mass(i) * (at(end, i) - at(x, i));
    return sum;
  };
  const Vec3 before = momentum(y);
  const StepConstraints free;
  EXPECT_EQ(EdgeLimit(edges, kLimit, {Vec2(1, 1)}).apply({0.01, 0.01, x, v, mass, free}, y), 0);
  EXPECT_LE(largest_stretch(edges, y), 1 + kLimit + 2 * EdgeLimit::kTooLong);
  EXPECT_LT((momentum(y) - before).norm(), 1e-14);
}

TEST(EdgeLimit, LeavesWhatIsNotTooLongAlone) {
  const TriangleMesh mesh = square(4, 0.4);
  const VecX x = stacked(mesh.positions), mass = VecX::Ones(mesh.vertex_count());
  VecX y = 1.09 * x;
  const VecX proposed = y;
  const StepConstraints free;
  const EdgeLimit limit(edges_at_rest(mesh), kLimit, {Vec2(1, 1)});
  limit.apply({0.01, 0.01, x, x, mass, free}, y);
  EXPECT_EQ(y, proposed);
  // Cloth that grows by a tenth in both directions may be 1.1 times as long again.
  y = 1.2 * x;
  const VecX grown = y;
  EdgeLimit(edges_at_rest(mesh), kLimit, {Vec2(1.1, 1.1)}).apply({0.01, 0.01, x, x, mass, free}, y);
  EXPECT_EQ(y, grown);
  limit.apply({0.01, 0.01, x, x, mass, free}, y);
  EXPECT_NE(y, grown);
}

TEST(EdgeLimit, MovesNoVertexThatIsHeld) {
  const TriangleMesh mesh = square(2, 0.2);
  const VecX x = stacked(mesh.positions), mass = VecX::Ones(mesh.vertex_count());
  VecX y = x;
  y.segment<3>(0) += Vec3(-0.2, 0, 0);
  const Vec3 there = at(y, 0);
  const std::vector<HardPin> pins = {held(y, {0})};
  EdgeLimit(edges_at_rest(mesh), kLimit, {Vec2(1, 1)})
      .apply({0.01, 0.01, x, x, mass, StepConstraints(pins, 0.01, mesh.vertex_count())}, y);
  EXPECT_EQ(at(y, 0), there);
  EXPECT_LT(at(y, 1).x(), x(3) - 0.01);  // its neighbour comes
}

// Soft heavy cloth hung by two corners. Thirty sweeps leave a hundredth too much where a few edges bear all,
// and a few hundredths while it falls.
TEST(EdgeLimit, HoldsAHungSheetOfSoftCloth) {
  ClothDescription cloth = cloth_of(square(10, 0.5), {0.3, 20, 20, 5, 1e-6, 0.01, 4e-4}, Vec3(0, -9.81, 0));
  const VecX x = stacked(cloth.mesh.positions);
  cloth.pins = {held(x, {110}), held(x, {120})};
  SimulatorOptions options = options_of(1.0 / 96);
  options.method = StepMethod::kLinearized;
  const std::vector<LimitedEdge> edges = edges_at_rest(cloth.mesh);
  const State start{x, VecX::Zero(x.size())};
  const double without = largest_stretch(edges, run(build_model(cloth), options, start, 96).back().x);
  cloth.edge_limit = kLimit;
  const Motion motion = run(build_model(cloth), options, start, 96);
  EXPECT_GT(without, 1.3);
  for (size_t n = 1; n < motion.states.size(); ++n)
    EXPECT_LT(largest_stretch(edges, motion.states[n].x), 1 + kLimit + (n < 48 ? 0.05 : 0.02))
        << "step " << n;
  for (const int corner : {110, 120}) EXPECT_LT((at(motion.back().x, corner) - at(x, corner)).norm(), 1e-15);
}

}  // namespace
}  // namespace keydrape
