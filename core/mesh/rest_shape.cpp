#include "core/mesh/rest_shape.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/mesh/hinge_angle.h"

namespace keydrape {

namespace {

double signed_area(const RestCorners& p) {
  const Vec2 e = p[1] - p[0], f = p[2] - p[0];
  return 0.5 * (e.x() * f.y() - e.y() * f.x());
}

RestCorners uv_corners(const TriangleMesh& mesh, int t) {
  const Triangle& corner = mesh.uv_triangles[t];
  return {mesh.uvs[corner[0]], mesh.uvs[corner[1]], mesh.uvs[corner[2]]};
}

// Whether the UVs of a triangle span an area that is more than rounding.
bool has_area(const RestCorners& p) {
  const double longest =
      std::max({(p[1] - p[0]).squaredNorm(), (p[2] - p[1]).squaredNorm(), (p[0] - p[2]).squaredNorm()});
  return std::abs(signed_area(p)) > 1e-9 * longest;
}

// The sides of the bounding box as unit axes, longest first; of equal ones x before y before z.
std::array<Vec3, 3> box_axes(const TriangleMesh& mesh) {
  Eigen::AlignedBox3d box;
  for (const Vec3& p : mesh.positions) box.extend(p);
  std::array<int, 3> order{0, 1, 2};
  const Vec3 sizes = box.sizes();
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return sizes(a) > sizes(b); });
  return {Vec3::Unit(order[0]), Vec3::Unit(order[1]), Vec3::Unit(order[2])};
}

// A direction (unit) within 12 degrees of a triangle's normal n says nothing about its plane.
bool is_across(const Vec3& n, const Vec3& direction) {
  constexpr double kAcross = 0.2;
  return !((direction - n.dot(direction) * n).norm() > kAcross);
}

// Unit warp direction in the plane of a triangle with unit normal n.
Vec3 laid_into_plane(const Vec3& n, const std::vector<Vec3>& candidates) {
  for (const Vec3& axis : candidates)
    if (!is_across(n, axis)) return (axis - n.dot(axis) * n).normalized();
  return n.unitOrthogonal();
}

// Direction in which u grows while v stays, on the triangle with edges e, f and UV edges d, s.
Vec3 direction_of_u(const Vec3& e, const Vec3& f, const Vec2& d, const Vec2& s) {
  const double det = d.x() * s.y() - d.y() * s.x();
  return ((s.y() * e - d.y() * f) / det).normalized();
}

}  // namespace

RestShape build_rest_shape(const TriangleMesh& mesh, const Topology& topology, const RestOptions& options) {
  const bool from_uv = options.source == RestSource::kUv;
  if (from_uv && !mesh.has_uvs())
    throw InputError(
        "the rest shape is to come from texture coordinates, but the mesh has none; export UVs, or use "
        "the mesh itself as rest shape");
  RestShape rest;
  rest.corners.resize(mesh.triangles.size());
  std::vector<Vec3> candidates;
  if (options.warp) candidates.push_back(options.warp->normalized());
  for (const Vec3& axis : box_axes(mesh)) candidates.push_back(axis);

  double mesh_area = 0.0, uv_area = 0.0;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const Vec3& origin = mesh.positions[mesh.triangles[t][0]];
    const Vec3 e = mesh.positions[mesh.triangles[t][1]] - origin,
               f = mesh.positions[mesh.triangles[t][2]] - origin;
    const Vec3 n = e.cross(f).normalized();
    mesh_area += 0.5 * e.cross(f).norm();
    RestCorners uv{};
    if (mesh.has_uvs()) uv = uv_corners(mesh, t);
    const bool usable = mesh.has_uvs() && has_area(uv);
    if (from_uv) {
      if (!usable)
        throw InputError(
            "triangle " + std::to_string(t) +
            " has no area in texture coordinates; unwrap the mesh again, or use the mesh itself as rest "
            "shape");
      // A mirrored panel is the same cloth seen from behind.
      if (signed_area(uv) < 0.0)
        for (Vec2& p : uv) p.x() = -p.x();
      uv_area += signed_area(uv);
      rest.corners[t] = uv;
      continue;
    }
    const Vec3 warp =
        usable ? direction_of_u(e, f, uv[1] - uv[0], uv[2] - uv[0]) : laid_into_plane(n, candidates);
    const Vec3 weft = n.cross(warp);
    rest.corners[t] = {Vec2::Zero(), Vec2(e.dot(warp), e.dot(weft)), Vec2(f.dot(warp), f.dot(weft))};
  }

  rest.area = mesh_area;
  if (from_uv) {
    rest.meters_per_uv = options.meters_per_uv.value_or(std::sqrt(mesh_area / uv_area));
    for (RestCorners& corners : rest.corners)
      for (Vec2& p : corners) p *= rest.meters_per_uv;
    rest.area = uv_area * rest.meters_per_uv * rest.meters_per_uv;
  }
  for (const Hinge& hinge : topology.hinges) {
    Stencil<4> x;
    for (int a = 0; a < 4; ++a) x.col(a) = mesh.positions[hinge.vertices[a]];
    rest.hinge_angles.push_back(from_uv ? 0.0 : HingeAngle(x).theta());
  }
  return rest;
}

std::vector<int> find_unmapped(const TriangleMesh& mesh) {
  std::vector<int> unmapped;
  for (int t = 0; t < mesh.triangle_count(); ++t)
    if (!mesh.has_uvs() || !has_area(uv_corners(mesh, t))) unmapped.push_back(t);
  return unmapped;
}

std::vector<int> find_across(const TriangleMesh& mesh, const Vec3& warp) {
  std::vector<int> across;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    const Vec3 e = mesh.positions[b] - mesh.positions[a], f = mesh.positions[c] - mesh.positions[a];
    if (is_across(e.cross(f).normalized(), warp.normalized())) across.push_back(t);
  }
  return across;
}

}  // namespace keydrape
