#include "core/energy/calibration/vertex_fan.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace keydrape {

namespace {

// One triangle seen from one of its vertices: counter-clockwise from the edge to `from` to the edge to `to`.
struct Corner {
  int from, to;
  double angle;  // [rad]
};

VertexFan lay_out(std::vector<Corner> corners) {
  VertexFan fan;
  double direction = 0.0;
  while (!corners.empty()) {
    const auto begins_here = [&](const Corner& c) {
      return std::none_of(corners.begin(), corners.end(),
                          [&](const Corner& other) { return other.to == c.from; });
    };
    auto next = std::find_if(corners.begin(), corners.end(), begins_here);
    const bool full_turn = next == corners.end();
    if (full_turn) next = corners.begin();
    fan.closed = full_turn && fan.spokes.empty();
    fan.spokes.push_back({next->from, direction});
    while (next != corners.end()) {
      const int to = next->to;
      direction += next->angle;
      fan.spokes.push_back({to, direction});
      corners.erase(next);
      next = std::find_if(corners.begin(), corners.end(), [&](const Corner& c) { return c.from == to; });
    }
    if (full_turn) fan.spokes.pop_back();  // back at the first
  }
  if (fan.closed)
    for (VertexFan::Spoke& spoke : fan.spokes) spoke.direction *= 2 * std::numbers::pi / direction;
  return fan;
}

}  // namespace

double VertexFan::direction(int neighbour) const {
  const auto at = std::find_if(spokes.begin(), spokes.end(),
                               [&](const Spoke& spoke) { return spoke.vertex == neighbour; });
  assert(at != spokes.end());
  return at->direction;
}

std::vector<VertexFan> lay_out_fans(const std::vector<Triangle>& triangles,
                                    const std::vector<RestCorners>& rest_corners) {
  assert(triangles.size() == rest_corners.size());
  std::vector<std::vector<Corner>> corners;  // by vertex
  std::vector<double> areas;
  for (size_t t = 0; t < triangles.size(); ++t)
    for (int c = 0; c < 3; ++c) {
      const int i = triangles[t][c], j = (c + 1) % 3, k = (c + 2) % 3;
      const Vec2 to_j = rest_corners[t][j] - rest_corners[t][c],
                 to_k = rest_corners[t][k] - rest_corners[t][c];
      const double twice_area = std::abs(to_j.x() * to_k.y() - to_j.y() * to_k.x());
      if (corners.size() <= static_cast<size_t>(i)) {
        corners.resize(i + 1);
        areas.resize(i + 1, 0.0);
      }
      corners[i].push_back({triangles[t][j], triangles[t][k], std::atan2(twice_area, to_j.dot(to_k))});
      areas[i] += twice_area / 6;
    }
  std::vector<VertexFan> fans;
  for (size_t i = 0; i < corners.size(); ++i) {
    fans.push_back(lay_out(std::move(corners[i])));
    fans.back().area = areas[i];
  }
  return fans;
}

}  // namespace keydrape
