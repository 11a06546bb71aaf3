#include "control/goal/target_surface.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "core/inspect/shadow.h"
#include "core/mesh/nearest_on_triangle.h"
#include "core/mesh/topology.h"

namespace keydrape {

namespace {

// Weights of a nearest point below this are rounding: the point lies on an edge or a vertex.
constexpr double kNoWeight = 1e-12;
// Of a vertex of the cloth whose share in what draws it is none.
constexpr double kAlmostNoWeight = 1e-9;
// A surface over cloth that lies on all of it: cloth gives by some percent, and scans are not exact.
constexpr double kHardlyLarger = 1.05;
// Of the cosine of an angle: triangles that stand at max_angle still count, whatever their normals round to.
constexpr double kRounding = 1e-9;

std::vector<Box> boxes_of(const TriangleMesh& mesh) {
  std::vector<Box> boxes;
  const auto add = [](Box& box, const Vec3& p) { box.add({p, p}); };
  if (mesh.triangles.empty())
    for (const Vec3& p : mesh.positions) add(boxes.emplace_back(), p);
  for (const Triangle& t : mesh.triangles) {
    Box& box = boxes.emplace_back();
    for (const int i : t) add(box, mesh.positions[i]);
  }
  return boxes;
}

std::vector<Edge> border_edges(const std::vector<Triangle>& triangles, int vertex_count) {
  return triangles.empty() ? std::vector<Edge>{} : build_topology(triangles, vertex_count).boundary_edges;
}

Vec3 triangle_normal(const Triangle& t, const std::vector<Vec3>& x) {
  return (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]);
}

}  // namespace

std::vector<Vec3> area_normals(const std::vector<Triangle>& triangles, const VecX& x) {
  std::vector<Vec3> normals(x.size() / 3, Vec3::Zero());
  const auto at = [&](int i) -> Vec3 { return x.segment<3>(3 * i); };
  for (const Triangle& t : triangles) {
    const Vec3 normal = (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0]));
    for (const int i : t) normals[i] += normal;
  }
  return normals;
}

SurfaceExtent extent_for(const TriangleMesh& target, const TriangleMesh& rest, const VecX& weight) {
  const double cloth = surface_area(with_weight(rest.triangles, weight), stacked(rest.positions));
  const double whole = surface_area(target.triangles, stacked(target.positions));
  const bool has_border = !border_edges(target.triangles, target.vertex_count()).empty();
  return has_border && whole <= kHardlyLarger * cloth ? SurfaceExtent::kWhole : SurfaceExtent::kPart;
}

TargetSurface::TargetSurface(TriangleMesh target, std::vector<Triangle> cloth, double max_angle,
                             SurfaceExtent extent)
    : target_(std::move(target)),
      cloth_(std::move(cloth)),
      max_angle_(max_angle),
      least_cosine_(std::cos(max_angle) - kRounding),
      extent_(extent),
      search_(boxes_of(target_)) {
  for (const Triangle& t : target_.triangles)
    normals_.push_back(triangle_normal(t, target_.positions).stableNormalized());
  if (extent == SurfaceExtent::kPart) return;
  std::set<int> rim;
  for (const Edge& e : border_edges(target_.triangles, target_.vertex_count()))
    rim.insert(e.begin(), e.end());
  rim_.assign(rim.begin(), rim.end());
  border_ = ClothBorder(cloth_);
}

TargetSurface TargetSurface::for_cloth(std::vector<Triangle> cloth) const {
  TargetSurface other = *this;
  other.cloth_ = std::move(cloth);
  if (extent_ == SurfaceExtent::kWhole) other.border_ = ClothBorder(other.cloth_);
  return other;
}

TargetSurface::Hit TargetSurface::on_item(int item, const Vec3& p) const {
  if (target_.triangles.empty()) return {item, target_.positions[item], Vec3::UnitX()};
  const Triangle& t = target_.triangles[item];
  const Vec3 &a = target_.positions[t[0]], &b = target_.positions[t[1]], &c = target_.positions[t[2]];
  const Vec3 weights = nearest_on_triangle(p, a, b, c).weights;
  return {item, weights(0) * a + weights(1) * b + weights(2) * c, weights};
}

TargetSurface::Hit TargetSurface::nearest(const Vec3& p, const Vec3& normal) const {
  constexpr double kDoesNotCount = std::numeric_limits<double>::infinity();
  const auto search = [&](bool any_side) {
    return search_.nearest(p, [&](int item) {
      const bool is_turned_away =
          !any_side && !target_.triangles.empty() && normals_[item].dot(normal) < least_cosine_;
      const double squared = is_turned_away ? kDoesNotCount : (p - on_item(item, p).point).squaredNorm();
      return std::isfinite(squared) ? squared : kDoesNotCount;  // a triangle without area
    });
  };
  int item = search(normal.isZero(0.0));
  if (item < 0) item = search(true);
  assert(item >= 0);
  return on_item(item, p);
}

Mat3 TargetSurface::across(const Hit& hit) const {
  if (target_.triangles.empty()) return Mat3::Identity();
  const Triangle& t = target_.triangles[hit.item];
  std::vector<int> corners;
  for (int k = 0; k < 3; ++k)
    if (hit.weights(k) > kNoWeight) corners.push_back(t[k]);
  if (corners.size() == 1) return Mat3::Identity();
  if (corners.size() == 2) {
    const Vec3 along = (target_.positions[corners[1]] - target_.positions[corners[0]]).stableNormalized();
    return Mat3::Identity() - along * along.transpose();
  }
  return normals_[hit.item] * normals_[hit.item].transpose();
}

double TargetSurface::share_turned_away(const VecX& x, const VecX& weight) const {
  if (target_.triangles.empty()) return 0.0;
  const std::vector<Vec3> normals = area_normals(cloth_, x);
  double sum = 0.0;
  for (int i = 0; i < weight.size(); ++i) {
    if (!(weight(i) > 0.0)) continue;
    const Hit hit = nearest(x.segment<3>(3 * i), Vec3::Zero());
    if (normals_[hit.item].dot(normals[i].stableNormalized()) < least_cosine_) sum += weight(i);
  }
  return sum / weight.sum();
}

SurfaceMatch TargetSurface::match(const VecX& x) const {
  const std::vector<Vec3> normals = area_normals(cloth_, x);
  SurfaceMatch found{VecX(x.size()), std::vector<Mat3>(normals.size())};
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const Hit hit = nearest(x.segment<3>(3 * i), normals[i].stableNormalized());
    found.points.segment<3>(3 * i) = hit.point;
    found.directions[i] = across(hit);
  }
  if (!rim_.empty() && !border_.empty()) draw_border(x, found);
  return found;
}

void TargetSurface::draw_border(const VecX& x, SurfaceMatch& found) const {
  const std::vector<Vec3> normals = area_normals(target_.triangles, stacked(target_.positions));
  const NearestOnCloth cloth(cloth_, x);
  VecX shares = VecX::Zero(x.size() / 3), ways = VecX::Zero(x.size());
  for (const int s : rim_) {
    const Vec3& p = target_.positions[s];
    const SurfacePoint nearest = cloth.nearest(p, normals[s].stableNormalized(), least_cosine_);
    if (nearest.triangle < 0) continue;
    const Triangle& t = cloth_[nearest.triangle];
    const Vec3& w = nearest.weights;
    if (!border_.contains(t, w)) continue;
    Vec3 way = p;
    for (int c = 0; c < 3; ++c) way -= w(c) * x.segment<3>(3 * t[c]);
    for (int c = 0; c < 3; ++c) {
      shares(t[c]) += w(c);
      ways.segment<3>(3 * t[c]) += w(c) * way;
    }
  }
  for (Eigen::Index i = 0; i < shares.size(); ++i) {
    if (!(shares(i) > kAlmostNoWeight)) continue;
    found.points.segment<3>(3 * i) = x.segment<3>(3 * i) + ways.segment<3>(3 * i) / shares(i);
    found.directions[i] = Mat3::Identity();
  }
}

}  // namespace keydrape
