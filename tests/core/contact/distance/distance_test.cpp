// Distances of vertex and face, edge and edge: optimality by duality, derivatives by their order (which is
// free of scale, and catches a lost term), in every case of nearest features and close to degenerate shapes.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "core/contact/distance/edge_edge_distance.h"
#include "core/contact/distance/edge_edge_mollifier.h"
#include "core/contact/distance/vertex_face_distance.h"
#include "tests/support/contact_stencils.h"

namespace keydrape::test {
namespace {

// The vectors from the corners of one feature to those of the other, and the pair's distance.
struct Pair {
  const char* name;
  StencilDistance (*distance)(const Stencil<4>&);
  double (*squared_distance)(const Stencil<4>&);
  std::vector<Vec3> (*corner_differences)(const Stencil<4>&);
};

const Pair kPairs[] = {
    {"vertex and face", vertex_face_distance, vertex_face_squared_distance,
     [](const Stencil<4>& x) {
       return std::vector<Vec3>{x.col(0) - x.col(1), x.col(0) - x.col(2), x.col(0) - x.col(3)};
     }},
    {"edge and edge", edge_edge_distance, edge_edge_squared_distance, [](const Stencil<4>& x) {
       return std::vector<Vec3>{x.col(0) - x.col(2), x.col(0) - x.col(3), x.col(1) - x.col(2),
                                x.col(1) - x.col(3)};
     }}};

// Which vertices are active, as bits.
int active_vertices(const StencilDistance& distance) {
  int bits = 0;
  for (int i = 0; i < 4; ++i)
    if (distance.weights()[i] != 0) bits |= 1 << i;
  return bits;
}

// The nearest difference w of two convex features is the one with w . g >= |w|^2 for every difference g of
// corners; and w is one of their differences if its weights are convex combinations.
void expect_nearest(const Pair& pair, const Stencil<4>& x, double tolerance) {
  const StencilDistance distance = pair.distance(x);
  const Vec3& w = distance.difference();
  for (const Vec3& g : pair.corner_differences(x))
    EXPECT_GE(w.dot(g), distance.squared() - tolerance) << pair.name << "\n" << x;
  EXPECT_NEAR((x * distance.weights() - w).norm(), 0, tolerance) << pair.name;
  EXPECT_NEAR(std::sqrt(pair.squared_distance(x)), w.norm(), std::max(tolerance, 1e-9)) << pair.name << "\n"
                                                                                        << x;
  EXPECT_NEAR(distance.weights().sum(), 0, 1e-12);
  EXPECT_NEAR(distance.weights().cwiseAbs().sum(), 2, 1e-12) << pair.name << "\n" << x;
}

TEST(ContactDistance, IsTheLeastInAllCases) {
  for (const Pair& pair : kPairs) {
    std::mt19937_64 rng(1);
    std::map<int, int> seen;
    for (int i = 0; i < 20000; ++i) {
      const Stencil<4> x = random_stencil(rng, 1.0);
      expect_nearest(pair, x, 1e-14);
      ++seen[active_vertices(pair.distance(x))];
    }
    // vertex-face: 1 face, 3 sides, 3 corners; edge-edge: 1 crossing, 4 vertex and edge, 4 ends.
    EXPECT_EQ(seen.size(), pair.distance == vertex_face_distance ? 7u : 9u) << pair.name;
  }
}

TEST(ContactDistance, SurvivesDegenerateShapes) {
  for (const Pair& pair : kPairs) {
    std::mt19937_64 rng(2);
    for (int i = 0; i < 2000; ++i) {
      Stencil<4> x = random_stencil(rng, 1.0);
      const double a = uniform(rng, -2, 2);
      switch (i % 5) {
        case 0:  // a collinear face, a crossing line through both edges
          x.col(3) = x.col(1) + a * (x.col(2) - x.col(1));
          break;
        case 1:  // parallel edges
          x.col(3) = x.col(2) + a * (x.col(1) - x.col(0));
          break;
        case 2:  // a face with two equal corners, an edge without length
          x.col(3) = x.col(2);
          break;
        case 3:  // almost parallel
          x.col(3) = x.col(2) + a * (x.col(1) - x.col(0)) + 1e-9 * random_stencil(rng, 1.0).col(0);
          break;
        case 4:  // all in one point of the face's side
          x.rightCols<3>() = x.col(1).replicate<1, 3>();
      }
      expect_nearest(pair, x, 1e-9);
    }
  }
}

TEST(ContactDistance, DerivativesHaveTheirOrder) {
  for (const Pair& pair : kPairs) {
    std::mt19937_64 rng(3);
    std::map<int, int> seen;
    for (int i = 0; i < 400; ++i) {
      const Stencil<4> x = random_stencil(rng, 1.0), d = random_stencil(rng, 1.0);
      const int active = active_vertices(pair.distance(x));
      const double first = 4e-4;
      bool same_case = true;
      for (double e = first; e > first / 40; e /= 2)
        same_case &= active_vertices(pair.distance(x + e * d)) == active;
      if (!same_case || edge_sine(x) < 0.1) continue;  // the Hessian jumps from case to case
      if (++seen[active] > 8) continue;
      EXPECT_GT(taylor_order([&](const Stencil<4>& y) { return pair.distance(y).squared(); },
                             pair.distance(x).gradient(), x, d, first),
                1.8)
          << pair.name << " active " << active;
      EXPECT_GT(taylor_order([&](const Stencil<4>& y) { return pair.distance(y).gradient(); },
                             pair.distance(x).hessian(), x, d, first),
                1.8)
          << pair.name << " active " << active;
    }
    EXPECT_EQ(seen.size(), pair.distance == vertex_face_distance ? 7u : 9u) << pair.name;
  }
}

TEST(ContactDistance, IgnoresWhereItIs) {
  for (const Pair& pair : kPairs) {
    std::mt19937_64 rng(4);
    for (int i = 0; i < 200; ++i) {
      const Stencil<4> x = random_stencil(rng, 1.0);
      const StencilDistance distance = pair.distance(x);
      const StencilHessian<4> h = distance.hessian();
      EXPECT_LT((distance.gradient() * Vec4::Ones()).norm(), 1e-13);
      for (int k = 0; k < 3; ++k) {
        Eigen::Matrix<double, 12, 1> shift;
        for (int a = 0; a < 4; ++a) shift.segment<3>(3 * a) = Vec3::Unit(k);
        EXPECT_LT((h * shift).norm(), 1e-10 * (1 + h.norm())) << pair.name;
      }
      EXPECT_LT((h - h.transpose()).norm(), 1e-12 * h.norm());
    }
  }
}

// A difference of large coordinates: the direction stays perpendicular to the face to the last digits.
TEST(ContactDistance, KeepsItsDirectionWhenTiny) {
  Stencil<4> x{{0.3, 0, 1, 0}, {0.3, 0, 0, 1}, {1e-12, 0, 0, 0}};
  x.colwise() += Vec3(1024, -512, 256);
  const Vec3 n = vertex_face_distance(x).difference().normalized();
  EXPECT_LT(std::hypot(n.x(), n.y()), 1e-14);
}

TEST(EdgeEdgeMollifier, IsSmoothAndOneAwayFromParallel) {
  std::mt19937_64 rng(5);
  int active = 0;
  for (int i = 0; i < 100; ++i) {
    const Stencil<4> x = nearly_parallel_edges(rng, uniform(rng, 0.003, 0.06)), d = random_stencil(rng, 1.0);
    const EdgeEdgeMollifier m = EdgeEdgeMollifier::from_rest(x);
    if (edge_sine(x) > 0.0317) {
      EXPECT_EQ(m.value(x), 1);
      EXPECT_FALSE(m.is_active(x));
      continue;
    }
    if (edge_sine(x) > 0.0305) continue;
    ++active;
    EXPECT_GT(taylor_order([&](const Stencil<4>& y) { return m.value(y); }, m.gradient(x), x, d, 4e-5), 1.8);
    EXPECT_GT(taylor_order([&](const Stencil<4>& y) { return m.gradient(y); }, m.hessian(x), x, d, 4e-5),
              1.8);
  }
  EXPECT_GT(active, 20);
  const Stencil<4> parallel{{0, 1, 0, 1}, {0, 0, 0, 0}, {0, 0, 1, 1}};
  EXPECT_EQ(EdgeEdgeMollifier::from_rest(parallel).value(parallel), 0);
}

}  // namespace
}  // namespace keydrape::test
