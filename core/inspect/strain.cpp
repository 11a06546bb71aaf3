#include "core/inspect/strain.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/energy/family/element_family.h"

namespace keydrape {
namespace {

// What a fabric without a limit of its own is stretched by under the loads of wear, at most.  (P3)
constexpr double kUsualLimit = 0.05;
// Cloth that moves is pulled harder than by its weight at rest: a swing from the side pulls with three times
// that at its lowest point.  (P3)
constexpr double kPull = 3.0;

// Of hinges [rad]: cloth that is squeezed in earnest is bent more, somewhere around each triangle.  (P8)
constexpr double kUnbent = 0.05;

// (P1), of F^T F = (uu uv; uv vv).
struct Principal {
  double stretch, squeeze;

  Principal(double uu, double vv, double uv) {
    const double mean = 0.5 * (uu + vv), radius = std::hypot(0.5 * (uu - vv), uv);
    stretch = std::max(0.0, std::sqrt(mean + radius) - 1.0);
    squeeze = std::max(0.0, 1.0 - std::sqrt(std::max(0.0, mean - radius)));
  }
};

// The share of shear that fabric feels.  (P7)
double felt_shear(const Material& material) {
  if (material.strain_limit || material.isotropic) return 1.0;
  return std::min(1.0, std::sqrt(2.0 * material.k_shear / std::min(material.k_warp, material.k_weft)));
}

Vec3 normal(const Triangle& t, const VecX& x) {
  const Vec3 a = x.segment<3>(3 * t[0]), b = x.segment<3>(3 * t[1]), c = x.segment<3>(3 * t[2]);
  return (b - a).cross(c - a);
}

// At which a sheet is folded from one normal to the other along an edge: one way or the other. HingeAngle
// asks for triangles with an area, which a pose need not have.
double fold_angle(const Vec3& from, const Vec3& to, const Vec3& edge) {
  const Vec3 turn = from.cross(to);
  return std::atan2(std::copysign(turn.norm(), turn.dot(edge)), from.dot(to));
}

double fold_angle(const std::vector<Triangle>& triangles, int from, int to, const Edge& edge, const VecX& x) {
  return fold_angle(normal(triangles[from], x), normal(triangles[to], x),
                    x.segment<3>(3 * edge[1]) - x.segment<3>(3 * edge[0]));
}

void keep_larger(double strain, int triangle, StrainPlace& place) {
  if (place.triangle < 0 || std::abs(strain) > std::abs(place.strain)) place = {strain, triangle};
}

// The strain that 99 % of the area have at most.  (P4)
double quantile_99(std::vector<std::pair<double, double>>& strain_and_area, double area) {
  std::sort(strain_and_area.begin(), strain_and_area.end());
  double below = 0.0;
  for (const auto& [strain, part] : strain_and_area) {
    below += part;
    if (below >= 0.99 * area) return strain;
  }
  return strain_and_area.empty() ? 0.0 : strain_and_area.back().first;
}

// What the cloth's weight stretches it by, hung by one end of its length.
double own_stretch(const ClothDescription& cloth, double gravity) {
  return cloth.material.density * gravity * bounding_box_diagonal(cloth.mesh.positions) /
         membrane_stiffness(cloth.material);
}

// An isotropic membrane is, and so is cloth without bending, which knows no load under which it would fold.
bool is_as_stiff_against_squeeze(const Material& material) {
  using Law = Compression::Law;
  const Law law = material.compression.law;
  return material.isotropic || law == Law::kAsStretch || (law == Law::kBuckling && material.bend == 0.0);
}

}  // namespace

double membrane_stiffness(const Material& material) {
  return material.isotropic ? material.isotropic->young * material.thickness
                            : std::min(material.k_warp, material.k_weft);
}

StrainMeter::StrainMeter(const ClothDescription& cloth)
    : cloth_(cloth),
      limit_(cloth.material.strain_limit.value_or(
          std::max(kUsualLimit, kPull * own_stretch(cloth, cloth.gravity.at(0.0).norm())))),
      shear_share_(felt_shear(cloth.material)),
      feels_squeeze_(is_as_stiff_against_squeeze(cloth.material)) {
  const Topology topology = build_topology(cloth.mesh.triangles, cloth.mesh.vertex_count());
  const RestShape rest = build_rest_shape(cloth.mesh, topology, cloth.rest);
  for (const RestCorners& p : rest.corners) rest_.push_back(RestTriangle::from_corners(p[0], p[1], p[2]));
  const VecX x = stacked(cloth.mesh.positions);
  neighbours_.resize(rest_.size());
  for (const Hinge& hinge : topology.hinges) {
    const Edge edge = edge_of(hinge);
    for (const auto& [s, t] :
         {std::pair{hinge.triangle_a, hinge.triangle_b}, std::pair{hinge.triangle_b, hinge.triangle_a}})
      neighbours_[s].push_back({t, edge, fold_angle(cloth.mesh.triangles, s, t, edge, x)});
  }
}

StrainMeter::TriangleStrain StrainMeter::of_triangle(int triangle, const VecX& x, const Vec2& scale) const {
  const Stencil<3> at = gather<3>(x, cloth_.mesh.triangles[triangle]);
  const Vec3 u = rest_[triangle].w_u(at) / scale(0), v = rest_[triangle].w_v(at) / scale(1);
  const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v);
  // A thread without length has no angle.
  const double sine = uu > 0.0 && vv > 0.0 ? uv / std::sqrt(uu * vv) : 0.0;
  const Principal all(uu, vv, uv), felt(uu, vv, shear_share_ * uv);
  const bool is_squeeze_felt = feels_squeeze_ || (felt.squeeze > felt.stretch && is_unbent(triangle, x));
  return {all.stretch,
          all.squeeze,
          std::sqrt(uu) - 1.0,
          std::sqrt(vv) - 1.0,
          std::abs(std::asin(std::clamp(sine, -1.0, 1.0))),
          is_squeeze_felt ? std::max(felt.stretch, felt.squeeze) : felt.stretch};
}

bool StrainMeter::is_unbent(int triangle, const VecX& x) const {
  const std::vector<Neighbour>& all = neighbours_[triangle];
  return !all.empty() && std::all_of(all.begin(), all.end(), [&](const Neighbour& other) {
    const double now = fold_angle(cloth_.mesh.triangles, triangle, other.triangle, other.edge, x);
    return std::abs(std::remainder(now - other.angle, 2.0 * std::numbers::pi)) < kUnbent;
  });
}

StrainFigures StrainMeter::at(const VecX& x, double time, const std::vector<char>& left_out) const {
  assert(static_cast<int>(left_out.size()) == cloth_.mesh.vertex_count() &&
         x.size() == 3 * static_cast<Eigen::Index>(left_out.size()));
  const Vec2 scale = cloth_.stretch_scale.at(time);
  StrainFigures figures;
  figures.limit = limit_;
  std::vector<std::pair<double, double>> stretches, squeezes, felt;
  double beyond = 0.0;
  for (int t = 0; t < cloth_.mesh.triangle_count(); ++t) {
    const Triangle& corners = cloth_.mesh.triangles[t];
    if (std::any_of(corners.begin(), corners.end(), [&](int v) { return left_out[v] != 0; })) continue;
    const double area = rest_[t].area;
    const TriangleStrain strain = of_triangle(t, x, scale);
    keep_larger(strain.stretch, t, figures.stretch);
    keep_larger(strain.squeeze, t, figures.squeeze);
    keep_larger(strain.warp, t, figures.warp);
    keep_larger(strain.weft, t, figures.weft);
    keep_larger(strain.shear, t, figures.shear);
    stretches.emplace_back(strain.stretch, area);
    squeezes.emplace_back(strain.squeeze, area);
    felt.emplace_back(strain.felt, area);
    figures.area += area;
    if (strain.felt > limit_) beyond += area;
  }
  figures.stretch_99 = quantile_99(stretches, figures.area);
  figures.squeeze_99 = quantile_99(squeezes, figures.area);
  figures.felt_99 = quantile_99(felt, figures.area);
  figures.beyond = figures.area > 0.0 ? beyond / figures.area : 0.0;
  return figures;
}

StrainMap StrainMeter::map(const VecX& x, double time) const {
  assert(x.size() == 3 * static_cast<Eigen::Index>(cloth_.mesh.vertex_count()));
  const Vec2 scale = cloth_.stretch_scale.at(time);
  StrainMap map = StrainMap::Zero(cloth_.mesh.vertex_count(), StrainMap::ColsAtCompileTime);
  for (int t = 0; t < cloth_.mesh.triangle_count(); ++t) {
    const TriangleStrain strain = of_triangle(t, x, scale);
    const std::array columns = {strain.stretch, strain.squeeze, strain.warp,
                                strain.weft,    strain.shear,   strain.felt};
    for (const int v : cloth_.mesh.triangles[t])
      for (int c = 0; c < map.cols(); ++c)
        if (std::abs(columns[c]) > std::abs(map(v, c))) map(v, c) = columns[c];
  }
  return map;
}

StrainPlace StrainMeter::longest_thread(const VecX& x, double time) const {
  const Vec2 scale = cloth_.stretch_scale.at(time);
  StrainPlace longest;
  for (int t = 0; t < cloth_.mesh.triangle_count(); ++t) {
    const TriangleStrain strain = of_triangle(t, x, scale);
    const double stretch = cloth_.material.isotropic ? strain.stretch : std::max(strain.warp, strain.weft);
    if (stretch > longest.strain) longest = {stretch, t};
  }
  return longest;
}

std::vector<char> StrainMeter::vertices_beyond(const VecX& x, double time) const {
  std::vector<char> beyond(static_cast<std::size_t>(cloth_.mesh.vertex_count()), 0);
  for (int t = 0; t < cloth_.mesh.triangle_count(); ++t)
    if (of_triangle(t, x, cloth_.stretch_scale.at(time)).felt > limit_)
      for (const int v : cloth_.mesh.triangles[t]) beyond[v] = 1;
  return beyond;
}

}  // namespace keydrape
