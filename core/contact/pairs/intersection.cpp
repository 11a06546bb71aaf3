#include "core/contact/pairs/intersection.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/contact/distance/edge_edge_distance.h"
#include "core/contact/distance/vertex_face_distance.h"
#include "core/contact/pairs/box_tree.h"
#include "core/contact/pairs/pair_positions.h"
#include "core/mesh/topology.h"

namespace keydrape {

namespace {

double volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return (b - a).cross(c - a).dot(d - a);
}

double squared_distance(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& face) {
  Stencil<4> x;
  double least = std::numeric_limits<double>::infinity();
  x << p, face[0], face[1], face[2];
  least = std::min(least, vertex_face_squared_distance(x));
  x.col(0) = q;
  least = std::min(least, vertex_face_squared_distance(x));
  for (int k = 0; k < 3; ++k) {
    x << p, q, face[k], face[(k + 1) % 3];
    least = std::min(least, edge_edge_squared_distance(x));
  }
  return least;
}

bool passes_through(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& face) {
  const auto& [a, b, c] = face;
  const double of_p = volume(a, b, c, p), of_q = volume(a, b, c, q);
  if (of_p * of_q >= 0.0) return false;
  const double u = volume(p, q, a, b), v = volume(p, q, b, c), w = volume(p, q, c, a);
  if (!((u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0))) return false;
  // In one plane all five are noise: then only what is also near can touch.
  constexpr double kPlane = 1e-12, kTouch = 1e-9;
  const double size = std::max({(q - p).norm(), (b - a).norm(), (c - a).norm(), (p - a).norm()});
  if (std::max(std::abs(of_p), std::abs(of_q)) > kPlane * size * size * size) return true;
  return squared_distance(p, q, face) <= kTouch * kTouch * size * size;
}

BoxTree tree_of(const std::vector<Box>& boxes) {
  std::vector<Vec3> centers;
  centers.reserve(boxes.size());
  for (const Box& box : boxes) centers.push_back(0.5 * (box.low + box.high));
  return BoxTree(centers, std::vector<char>(boxes.size(), 0));
}

}  // namespace

std::vector<EdgeThroughFace> list_intersections(const std::vector<Triangle>& triangles, const VecX& x,
                                                int first_count) {
  const std::vector<Edge> edges = build_topology(triangles, static_cast<int>(x.size() / 3)).edges;
  const std::vector<Box> edge_boxes = boxes_of(edges, x), face_boxes = boxes_of(triangles, x);
  const BoxTree edge_tree = tree_of(edge_boxes), face_tree = tree_of(face_boxes);
  const BoxTree::Fitted edges_at_x = edge_tree.fit(edge_boxes), faces_at_x = face_tree.fit(face_boxes);
  const auto at = [&](int v) -> Vec3 { return x.segment<3>(3 * v); };
  std::vector<EdgeThroughFace> found;
  for (int leaf = 0; leaf < edge_tree.leaf_count(); ++leaf) {
    edges_at_x.join_leaf(leaf, faces_at_x, BoxTree::Fitted::Pairing::kAll, [&](int e, int f) {
      const Edge& edge = edges[e];
      const Triangle& t = triangles[f];
      if (first_count > 0 && (edge[0] < first_count) == (t[0] < first_count)) return;
      const auto in_face = [&](int v) { return std::find(t.begin(), t.end(), v) != t.end(); };
      if (in_face(edge[0]) || in_face(edge[1])) return;
      if (!passes_through(at(edge[0]), at(edge[1]), {at(t[0]), at(t[1]), at(t[2])})) return;
      found.push_back({edge, f});
    });
  }
  std::sort(found.begin(), found.end(), [](const EdgeThroughFace& a, const EdgeThroughFace& b) {
    return a.edge != b.edge ? a.edge < b.edge : a.face < b.face;
  });
  return found;
}

Intersections find_intersections(const std::vector<Triangle>& triangles, const VecX& x, int first_count) {
  const std::vector<EdgeThroughFace> all = list_intersections(triangles, x, first_count);
  Intersections found{static_cast<int>(all.size()), std::nullopt};
  if (!all.empty()) found.first = all.front();
  return found;
}

}  // namespace keydrape
