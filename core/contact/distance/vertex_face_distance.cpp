#include "core/contact/distance/vertex_face_distance.h"

#include <Eigen/Geometry>
#include <array>
#include <optional>

#include "core/contact/distance/nearest_side.h"

namespace keydrape {

namespace {

constexpr std::array<VertexAndSegment, 3> kVertexAndSides{{{0, 1, 2}, {0, 2, 3}, {0, 3, 1}}};

// D of the plane, if the vertex projects to an inner point of a face with area.
std::optional<double> over_face(const Stencil<4>& x) {
  const Vec3 p = x.col(2) - x.col(1), q = x.col(3) - x.col(1), r = x.col(0) - x.col(1);
  const Vec3 normal = p.cross(q);
  const double over_side_q = normal.dot(r.cross(q)), over_side_p = normal.dot(p.cross(r));
  const double nn = normal.squaredNorm();
  if (!(over_side_q > 0 && over_side_p > 0 && over_side_q + over_side_p < nn)) return std::nullopt;
  const double across = normal.dot(r);
  return across * across / nn;
}

}  // namespace

StencilDistance vertex_face_distance(const Stencil<4>& x) {
  if (!over_face(x)) return nearest_side(x, kVertexAndSides).distance(x);
  return StencilDistance(x, {2, Vec4(1, -1, 0, 0), {Vec4(0, 1, -1, 0), Vec4(0, 1, 0, -1)}});
}

double vertex_face_squared_distance(const Stencil<4>& x) {
  const std::optional<double> of_plane = over_face(x);
  return of_plane ? *of_plane : nearest_side(x, kVertexAndSides).squared;
}

}  // namespace keydrape
