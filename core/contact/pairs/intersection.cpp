#include "core/contact/pairs/intersection.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "core/contact/distance/edge_edge_distance.h"
#include "core/contact/distance/vertex_face_distance.h"
#include "core/contact/pairs/box_tree.h"
#include "core/contact/pairs/pair_positions.h"
#include "core/mesh/topology.h"

namespace keydrape {

namespace {

// Rounding makes of a volume at most this share of the product of its three lengths: 8 u for each of the six
// terms, 1.16 times that product together.
constexpr double kRounding = 1.1e-15;

struct Volume {
  double value;
  int sign;  // 0: the value may be all rounding
};

Volume volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 e = b - a, f = c - a, g = d - a;
  const double value = e.cross(f).dot(g), noise = kRounding * e.norm() * f.norm() * g.norm();
  return {value, value > noise ? 1 : value < -noise ? -1 : 0};
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

using Corners = std::array<Vec3, 3>;

// How an edge goes by a face. Where volumes leave open whether it passes, since within rounding it ends in
// the face or meets the border: the corners of either that span what may be in one place.
struct Meeting {
  bool passes = false, is_open = false;
  std::array<bool, 2> of_edge{};
  std::array<bool, 3> of_face{};
};

Meeting meeting(const Vec3& p, const Vec3& q, const Corners& face) {
  const auto& [a, b, c] = face;
  const Volume of_p = volume(a, b, c, p), of_q = volume(a, b, c, q);
  if (of_p.sign * of_q.sign > 0) return {};
  const Volume u = volume(p, q, a, b), v = volume(p, q, b, c), w = volume(p, q, c, a);
  const auto [low, high] = std::minmax({u.value, v.value, w.value});
  const bool passes = of_p.value * of_q.value < 0.0 && (low > 0.0 || high < 0.0);
  // In one plane all five are noise: then only what is also near can touch.
  constexpr double kPlane = 1e-12, kTouch = 1e-9;
  const double size = std::max({(q - p).norm(), (b - a).norm(), (c - a).norm(), (p - a).norm()});
  if (!(std::max(std::abs(of_p.value), std::abs(of_q.value)) > kPlane * size * size * size))
    return {passes && squared_distance(p, q, face) <= kTouch * kTouch * size * size};
  const auto [lowest, highest] = std::minmax({u.sign, v.sign, w.sign});
  if (passes || lowest * highest < 0) return {passes};
  return {false, true, {of_q.sign != 0, of_p.sign != 0}, {v.sign != 0, w.sign != 0, u.sign != 0}};
}

// Whether surfaces pass through each other where an edge meets an edge or a corner, or ends in a face: what
// no pair of features tells alone. The triangles round the one place are shifted against those round the
// other, by so little that both still reach beyond it. A passage stays one then, whatever the shift. Of
// surfaces that touch, the one is on one side of the other, and off it after a shift along a normal or back.
// So it is a passage if after each of these something passes. The shifts are tilted, so that no mesh meets
// exactly again, and layers of the same triangles, which folds may keep from coming off, are none.
class Touches {
 public:
  Touches(const std::vector<Triangle>& triangles, const VecX& x) : triangles_(triangles), x_(x) {}

  bool is_passage(const Edge& edge, const Triangle& face, const Meeting& open) {
    const auto first = spanned(edge, open.of_edge);
    const auto second = spanned(face, open.of_face);
    if (second[0] < 0) return false;  // a face that is all rounding beside the edge
    const auto [at, is_new] = known_.try_emplace({first[0], first[1], second[0], second[1], second[2]});
    if (is_new) at->second = pass(patch_round(first, edge[0]), patch_round(second, edge[0]));
    return at->second;
  }

 private:
  static constexpr double kShift = 1e-5;  // of how far both reach

  struct Patch {
    std::vector<Triangle> triangles;
    std::vector<Corners> corners;  // from one and the same point [m]
    std::vector<Vec3> normals;     // unit, of those that have one, and the mean
    double altitude = 0.0;         // the largest [m]
  };

  // The vertices that are meant, ascending, and -1 behind them.
  template <size_t N>
  static std::array<int, N> spanned(std::array<int, N> vertices, const std::array<bool, N>& is_meant) {
    for (size_t k = 0; k < N; ++k)
      if (!is_meant[k]) vertices[k] = std::numeric_limits<int>::max();
    std::sort(vertices.begin(), vertices.end());
    std::replace(vertices.begin(), vertices.end(), std::numeric_limits<int>::max(), -1);
    return vertices;
  }

  // The triangles that have all of these vertices, seen from `origin`.
  template <size_t N>
  Patch patch_round(const std::array<int, N>& vertices, int origin) {
    if (of_vertex_.empty()) {
      of_vertex_.resize(x_.size() / 3);
      for (int t = 0; t < static_cast<int>(triangles_.size()); ++t)
        for (const int v : triangles_[t]) of_vertex_[v].push_back(t);
    }
    const auto at = [&](int v) -> Vec3 { return x_.segment<3>(3 * v) - x_.segment<3>(3 * origin); };
    Patch patch;
    Vec3 mean = Vec3::Zero();
    for (const int number : of_vertex_[vertices[0]]) {
      const Triangle& t = triangles_[number];
      const auto has = [&t](int v) { return v < 0 || std::find(t.begin(), t.end(), v) != t.end(); };
      if (!std::all_of(vertices.begin(), vertices.end(), has)) continue;
      patch.triangles.push_back(t);
      const auto& [a, b, c] = patch.corners.emplace_back(Corners{at(t[0]), at(t[1]), at(t[2])});
      const Vec3 normal = (b - a).cross(c - a);
      const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
      if (!(normal.norm() > 0.0)) continue;
      patch.altitude = std::max(patch.altitude, normal.norm() / longest);
      patch.normals.push_back(normal.normalized());
      mean += patch.normals.back();
    }
    if (mean.norm() > 0.0) patch.normals.push_back(mean.normalized());
    return patch;
  }

  // Whether every triangle of the first is one of the second, too: layers in one place.
  static bool is_within(const Patch& first, const Patch& second) {
    return std::all_of(first.corners.begin(), first.corners.end(), [&](const Corners& a) {
      return std::any_of(second.corners.begin(), second.corners.end(), [&](const Corners& b) {
        return std::is_permutation(a.begin(), a.end(), b.begin());
      });
    });
  }

  static bool pass(const Patch& first, const Patch& second) {
    if (is_within(first, second) || is_within(second, first)) return false;
    double height = 0.0;  // of the first over planes of the second
    for (size_t f = 0; f < second.triangles.size(); ++f) {
      const auto& [a, b, c] = second.corners[f];
      const Vec3 normal = (b - a).cross(c - a).normalized();
      for (const Corners& corners : first.corners)
        for (const Vec3& p : corners) height = std::max(height, std::abs(normal.dot(p - a)));
    }
    const double length = kShift * std::min({first.altitude, second.altitude, height});
    for (const Patch* patch : {&first, &second})
      for (const Vec3& n : patch->normals) {
        const Vec3 t = n.unitOrthogonal(), shift = length * (n + 0.1 * t + 0.037 * n.cross(t));
        for (const Vec3& way : {shift, Vec3(-shift)})
          if (!edges_pass(first, way, second) && !edges_pass(second, -way, first)) return false;
      }
    return true;
  }

  // Whether any edge of the first, once shifted, passes through a face of the second.
  static bool edges_pass(const Patch& first, const Vec3& shift, const Patch& second) {
    for (size_t t = 0; t < first.triangles.size(); ++t)
      for (int k = 0; k < 3; ++k) {
        const int i = first.triangles[t][k], j = first.triangles[t][(k + 1) % 3];
        const Vec3 p = first.corners[t][k] + shift, q = first.corners[t][(k + 1) % 3] + shift;
        for (size_t f = 0; f < second.triangles.size(); ++f) {
          const Triangle& face = second.triangles[f];
          const bool is_beside =
              std::any_of(face.begin(), face.end(), [&](int v) { return v == i || v == j; });
          if (!is_beside && meeting(p, q, second.corners[f]).passes) return true;
        }
      }
    return false;
  }

  const std::vector<Triangle>& triangles_;
  const VecX& x_;
  std::vector<std::vector<int>> of_vertex_;  // made when first asked for
  std::map<std::array<int, 5>, bool> known_;
};

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
  Touches touches(triangles, x);
  std::vector<EdgeThroughFace> found;
  for (int leaf = 0; leaf < edge_tree.leaf_count(); ++leaf) {
    edges_at_x.join_leaf(leaf, faces_at_x, BoxTree::Fitted::Pairing::kAll, [&](int e, int f) {
      const Edge& edge = edges[e];
      const Triangle& t = triangles[f];
      if (first_count > 0 && (edge[0] < first_count) == (t[0] < first_count)) return;
      const auto in_face = [&](int v) { return std::find(t.begin(), t.end(), v) != t.end(); };
      if (in_face(edge[0]) || in_face(edge[1])) return;
      const Meeting met = meeting(at(edge[0]), at(edge[1]), {at(t[0]), at(t[1]), at(t[2])});
      if (met.passes || (met.is_open && touches.is_passage(edge, t, met))) found.push_back({edge, f});
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
