#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/mesh/topology.h"
#include "tests/support/meshes.h"

namespace keydrape {
namespace {

std::string defect_of(const TriangleMesh& mesh) {
  return find_mesh_defect(mesh, build_topology(mesh.triangles, mesh.vertex_count())).value_or("");
}

bool has_words(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

// A band whose ends are joined after so many half turns.
TriangleMesh band(int half_turns) {
  constexpr int kSections = 20;
  TriangleMesh mesh;
  for (int i = 0; i < kSections; ++i)
    for (const double side : {-0.02, 0.02}) {
      const double along = 2.0 * std::numbers::pi * i / kSections, turn = 0.5 * half_turns * along;
      const double radius = 0.1 + side * std::cos(turn);
      mesh.positions.emplace_back(radius * std::cos(along), radius * std::sin(along), side * std::sin(turn));
    }
  for (int i = 0; i < kSections; ++i) {
    const bool is_last = i + 1 == kSections, is_crossed = is_last && half_turns % 2 == 1;
    const int a = 2 * i, b = a + 1, next = is_last ? 0 : a + 2;
    const int c = next + (is_crossed ? 1 : 0), d = next + (is_crossed ? 0 : 1);
    mesh.triangles.push_back({a, c, b});
    mesh.triangles.push_back({b, c, d});
  }
  return mesh;
}

// Back to back two triangles of the same vertices have three hinges, none of them flipped.
TEST(MeshDefect, AFaceGivenTwiceByItself) {
  TriangleMesh mesh = test::square(2, 0.1);
  EXPECT_EQ(defect_of(mesh), "");
  const int first = mesh.vertex_count(), count = mesh.triangle_count();
  for (const Vec3& p : {Vec3(1, 0, 0), Vec3(1.003, 0, 0), Vec3(1, 0.003, 0)}) mesh.positions.push_back(p);
  mesh.triangles.push_back({first, first + 1, first + 2});
  EXPECT_EQ(defect_of(mesh), "");
  mesh.triangles.push_back({first, first + 2, first + 1});
  EXPECT_TRUE(has_words(defect_of(mesh), "triangles " + std::to_string(count) + " and " +
                                             std::to_string(count + 1) + " are one face given twice"))
      << defect_of(mesh);
}

TEST(MeshDefect, WhatNormalsMendAndWhatTheyDoNot) {
  for (const int half_turns : {0, 2, 4}) EXPECT_EQ(defect_of(band(half_turns)), "");
  for (const int half_turns : {1, 3})
    EXPECT_TRUE(has_words(defect_of(band(half_turns)), "a single side")) << defect_of(band(half_turns));
  TriangleMesh turned = band(2);
  std::swap(turned.triangles[7][0], turned.triangles[7][1]);
  EXPECT_TRUE(has_words(defect_of(turned), "turned against each other")) << defect_of(turned);
  EXPECT_TRUE(has_words(defect_of(turned), "recalculate the normals")) << defect_of(turned);
}

}  // namespace
}  // namespace keydrape
