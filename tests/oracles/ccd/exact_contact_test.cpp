// The judge judged: exact first times of contact that are known otherwise.

#include "tests/oracles/ccd/exact_contact.h"

#include <gtest/gtest.h>

#include <cmath>

namespace keydrape::test {
namespace {

StencilMotion motion(const Stencil<4>& start, const Stencil<4>& end) { return {start, end}; }

TEST(Polynomial, CountsAndComparesItsRoots) {
  // (t - 1/2)^2 (t - 1/3) (t^2 - 1/2)
  const Polynomial half({mpq_class(-1, 2), 1}), third({mpq_class(-1, 3), 1}), root({mpq_class(-1, 2), 0, 1});
  std::vector<RealRoot> roots = roots_in_unit_interval(half * half * third * root);
  ASSERT_EQ(roots.size(), 3u);
  EXPECT_EQ(roots[0].compare(mpq_class(1, 3)), 0);
  EXPECT_EQ(roots[1].compare(mpq_class(1, 2)), 0);
  EXPECT_EQ(roots[2].compare(mpq_class(7071, 10000)), 1);
  EXPECT_EQ(roots[2].compare(mpq_class(7072, 10000)), -1);
  EXPECT_EQ(roots[2].sign_of(root * third), 0);
  EXPECT_EQ(roots[2].sign_of(half), 1);
  EXPECT_DOUBLE_EQ(roots[2].approximate(), std::sqrt(0.5));
  EXPECT_TRUE(RealRoot::less(roots[0], roots[2]));
  EXPECT_FALSE(RealRoot::less(roots[2], roots[2]));
  EXPECT_EQ(roots_in_unit_interval(Polynomial({0, -1, 1})).size(), 2u);  // 0 and 1
  EXPECT_EQ(roots_in_unit_interval(Polynomial({1, 0, 1})).size(), 0u);
}

TEST(ExactContact, FindsKnownTimes) {
  const Stencil<4> above{{0.25, 0, 1, 0}, {0.25, 0, 0, 1}, {1, 0, 0, 0}};
  Stencil<4> below = above;
  below(2, 0) = -2;
  EXPECT_EQ(first_contact(motion(above, below), PairKind::kVertexFace)->compare(mpq_class(1, 3)), 0);
  below(2, 0) = 0;
  EXPECT_EQ(first_contact(motion(above, below), PairKind::kVertexFace)->compare(1), 0);
  below(2, 0) = 0x1p-1074;
  EXPECT_FALSE(first_contact(motion(above, below), PairKind::kVertexFace));

  Stencil<4> corner = above;  // passes the corner 0, and just beside it
  corner.col(0) = Vec3(0, 0, 1);
  below.col(0) = Vec3(0, 0, -1);
  EXPECT_EQ(first_contact(motion(corner, below), PairKind::kVertexFace)->compare(mpq_class(1, 2)), 0);
  below(0, 0) = -0x1p-60;
  EXPECT_FALSE(first_contact(motion(corner, below), PairKind::kVertexFace));
}

TEST(ExactContact, FindsContactsInOnePlane) {
  // A vertex runs into the side x = 0 of a face in its own plane, which turns.
  Stencil<4> start{{-1, 0, 1, 0}, {0.25, 0, 0, 1}, {0, 0, 0, 0}}, end = start;
  end(0, 0) = 3;
  end.row(2) = end.row(1);
  EXPECT_EQ(first_contact(motion(start, end), PairKind::kVertexFace)->compare(mpq_class(1, 4)), 0);
  // Edges on one line: [0, 1] and [2, 3], which moves by -2.
  start << 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0;
  end << 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0;
  EXPECT_EQ(first_contact(motion(start, end), PairKind::kEdgeEdge)->compare(mpq_class(1, 2)), 0);
  end.row(1).tail<2>().setConstant(0x1p-50);
  EXPECT_FALSE(first_contact(motion(start, end), PairKind::kEdgeEdge));
}

TEST(ExactContact, FindsIrrationalTimes) {
  // volume(t) = 2 t^2 - 1 up to a factor: edges that turn against each other while they approach.
  const Stencil<4> start{{-1, 1, 0, 0}, {0, 0, -1, 1}, {0, 0, -0.5, -0.5}};
  Stencil<4> end = start;
  end(2, 2) = end(2, 3) = 0.5;
  end(1, 1) = 0.5;
  std::optional<RealRoot> time = first_contact(motion(start, end), PairKind::kEdgeEdge);
  ASSERT_TRUE(time);
  EXPECT_EQ(time->compare(mpq_class(1, 2)), 0);
  // A vertex meets the plane that two corners lift with t, at t^2 = 1/2.
  const Stencil<4> flat{{0, 0, 1, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}};
  Stencil<4> moved = flat;
  moved.col(0) = Vec3(0.5, 0, 1);  // over (t/2, 0), where the lifted side is at t/2 * 4t = 2 t^2 high
  moved(2, 2) = 4;
  time = first_contact(motion(flat, moved), PairKind::kVertexFace);
  ASSERT_TRUE(time);
  EXPECT_DOUBLE_EQ(time->approximate(), std::sqrt(0.5));
}

}  // namespace
}  // namespace keydrape::test
