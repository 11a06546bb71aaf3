// Continuous collision detection in closed form: exact times, minimum distances, degenerate and hostile
// input. The hard cases are judged by exact arithmetic in tests/oracles/ccd.

#include "core/contact/ccd/time_of_impact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/contact/distance/edge_edge_distance.h"
#include "core/contact/distance/vertex_face_distance.h"
#include "tests/support/contact_stencils.h"

namespace keydrape::test {
namespace {

const Stencil<4> kFaceBelow{{0.2, 0, 1, 0}, {0.3, 0, 0, 1}, {1, 0, 0, 0}};   // the vertex 1 above
const Stencil<4> kCrossedEdges{{-1, 1, 0, 0}, {0, 0, -1, 1}, {1, 1, 0, 0}};  // the first edge 1 above

// The first feature falls by `fall`.
StencilMotion falling(const Stencil<4>& start, int first_feature_vertices, double fall) {
  Stencil<4> end = start;
  end.row(2).head(first_feature_vertices).array() -= fall;
  return {start, end};
}

StencilMotion falling_vertex(double fall) { return falling(kFaceBelow, 1, fall); }
StencilMotion falling_edge(double fall) { return falling(kCrossedEdges, 2, fall); }

TEST(TimeOfImpact, IsWithinAMarginOfTheTrueOne) {
  for (double fall : {1.0, 1.5, 2.0, 1e3}) {
    for (double found :
         {vertex_face_time_of_impact(falling_vertex(fall)), edge_edge_time_of_impact(falling_edge(fall))}) {
      EXPECT_LT(found, 1 / fall);
      EXPECT_GT(found, (1 - 1e-10) / fall);
    }
  }
  for (double fall : {0.0, 0.5, 1 - 1e-12, -1.0}) {
    EXPECT_EQ(vertex_face_time_of_impact(falling_vertex(fall)), kNoImpact);
    EXPECT_EQ(edge_edge_time_of_impact(falling_edge(fall)), kNoImpact);
  }
}

TEST(TimeOfImpact, KeepsTheMinimumDistance) {
  for (double gap : {1e-6, 0.1, 0.9}) {
    EXPECT_NEAR(vertex_face_time_of_impact(falling_vertex(2), gap), (1 - gap) / 2, 1e-12);
    EXPECT_NEAR(edge_edge_time_of_impact(falling_edge(2), gap), (1 - gap) / 2, 1e-12);
    EXPECT_EQ(vertex_face_time_of_impact(falling_vertex(1 - 1.001 * gap), gap), kNoImpact);
  }
  EXPECT_EQ(vertex_face_time_of_impact(falling_vertex(0), 1.0), 0);
  EXPECT_EQ(vertex_face_time_of_impact(falling_vertex(-1), 2.0), 0);
}

// The distance along random motions, sampled, never falls below what was promised.
TEST(TimeOfImpact, KeepsTheMinimumDistanceOnRandomMotions) {
  std::mt19937_64 rng(1);
  int impacts = 0;
  for (int i = 0; i < 4000; ++i) {
    const bool is_face = i % 2 == 0;
    const StencilMotion motion{random_stencil(rng, 1), random_stencil(rng, 1)};
    const double gap = uniform(rng, 0, 0.3);
    const double found =
        is_face ? vertex_face_time_of_impact(motion, gap) : edge_edge_time_of_impact(motion, gap);
    const auto distance = [&](double t) {
      const Stencil<4> x = (1 - t) * motion.start + t * motion.end;
      return std::sqrt((is_face ? vertex_face_distance(x) : edge_edge_distance(x)).squared());
    };
    for (int k = 0; k <= 64; ++k)
      EXPECT_GE(distance(std::min(found, 1.0) * k / 64), gap - (found == 0 ? 1 : 1e-12));
    if (found > 0 && found <= 1) {
      EXPECT_NEAR(distance(found), gap, 1e-7) << "earlier than need be";
    }
    impacts += found <= 1;
  }
  EXPECT_GT(impacts, 1000);
}

TEST(TimeOfImpact, SeesTouchesAtBothEndsOfTheStep) {
  EXPECT_LE(vertex_face_time_of_impact(falling_vertex(1)), 1);
  EXPECT_LE(edge_edge_time_of_impact(falling_edge(1)), 1);
  EXPECT_EQ(vertex_face_time_of_impact({falling_vertex(1).end, falling_vertex(0).start}), 0);
  EXPECT_EQ(edge_edge_time_of_impact({falling_edge(1).end, falling_edge(0).start}), 0);
}

TEST(TimeOfImpact, ServesAnythingThatHasCollapsed) {
  Stencil<4> point = Stencil<4>::Zero();
  EXPECT_EQ(vertex_face_time_of_impact({point, point}), 0);
  EXPECT_EQ(edge_edge_time_of_impact({point, point}), 0);

  Stencil<4> above = point;  // a face, or an edge, shrunk to a point
  above.row(2)[0] = 1;
  EXPECT_EQ(vertex_face_time_of_impact({above, above}), kNoImpact);
  EXPECT_NEAR(vertex_face_time_of_impact({above, -above}), 0.5, 1e-12);
  above.row(2)[1] = 1;
  EXPECT_NEAR(edge_edge_time_of_impact({above, -above}), 0.5, 1e-12);
}

TEST(TimeOfImpact, IsSafeWhateverItIsGiven) {
  for (double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (int k = 0; k < 12; ++k) {
      StencilMotion motion = falling_vertex(0.5);
      motion.end.reshaped()[k] = wrong;
      EXPECT_EQ(vertex_face_time_of_impact(motion), 0);
      motion = falling_edge(0.5);
      motion.start.reshaped()[k] = wrong;
      EXPECT_EQ(edge_edge_time_of_impact(motion), 0);
    }
  // Squares that overflow or vanish.
  for (double scale : {1e-300, 1e-200, 1e-150, 1e150, 1e200, 1e300}) {
    const StencilMotion vertex = falling_vertex(2), edge = falling_edge(2);
    EXPECT_LE(vertex_face_time_of_impact({scale * vertex.start, scale * vertex.end}), 0.5);
    EXPECT_LE(edge_edge_time_of_impact({scale * edge.start, scale * edge.end}), 0.5);
  }
}

TEST(TimeOfImpact, IsSafeWhenStoppedEarly) {
  std::mt19937_64 rng(2);
  for (int i = 0; i < 500; ++i) {
    const StencilMotion motion{random_stencil(rng, 1), random_stencil(rng, 1)};
    const double full = edge_edge_time_of_impact(motion);
    for (int limit : {1, 2, 5}) EXPECT_LE(edge_edge_time_of_impact(motion, 0, limit), full);
  }
}

}  // namespace
}  // namespace keydrape::test
