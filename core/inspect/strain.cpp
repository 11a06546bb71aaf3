#include "core/inspect/strain.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/energy/element_family.h"

namespace keydrape {
namespace {

// What a fabric without a limit of its own is stretched by under the loads of wear, at most.  (P3)
constexpr double kUsualLimit = 0.05;
// Cloth that moves is pulled harder than by its weight at rest: a swing from the side pulls with three times
// that at its lowest point.  (P3)
constexpr double kPull = 3.0;

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
  const Material& material = cloth.material;
  const double k = material.isotropic ? material.isotropic->young * material.thickness
                                      : std::min(material.k_warp, material.k_weft);
  return material.density * gravity * bounding_box_diagonal(cloth.mesh.positions) / k;
}

}  // namespace

StrainMeter::StrainMeter(const ClothDescription& cloth)
    : cloth_(cloth),
      limit_(cloth.material.strain_limit.value_or(
          std::max(kUsualLimit, kPull * own_stretch(cloth, cloth.gravity.at(0.0).norm())))),
      counts_squeeze_(cloth.material.compression.law == Compression::Law::kAsStretch) {
  const Topology topology = build_topology(cloth.mesh.triangles, cloth.mesh.vertex_count());
  const RestShape rest = build_rest_shape(cloth.mesh, topology, cloth.rest);
  for (const RestCorners& p : rest.corners) rest_.push_back(RestTriangle::from_corners(p[0], p[1], p[2]));
}

StrainMeter::TriangleStrain StrainMeter::of_triangle(int triangle, const VecX& x, const Vec2& scale) const {
  const Stencil<3> at = gather<3>(x, cloth_.mesh.triangles[triangle]);
  const Vec3 u = rest_[triangle].w_u(at) / scale(0), v = rest_[triangle].w_v(at) / scale(1);
  const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v);
  const double mean = 0.5 * (uu + vv), radius = std::hypot(0.5 * (uu - vv), uv);
  const double larger = std::sqrt(mean + radius), smaller = std::sqrt(std::max(0.0, mean - radius));
  // A thread without length has no angle.
  const double sine = uu > 0.0 && vv > 0.0 ? uv / std::sqrt(uu * vv) : 0.0;
  return {std::max(0.0, larger - 1.0), std::max(0.0, 1.0 - smaller), std::sqrt(uu) - 1.0, std::sqrt(vv) - 1.0,
          std::abs(std::asin(std::clamp(sine, -1.0, 1.0)))};
}

StrainFigures StrainMeter::at(const VecX& x, double time, const std::vector<char>& left_out) const {
  assert(static_cast<int>(left_out.size()) == cloth_.mesh.vertex_count() &&
         x.size() == 3 * static_cast<Eigen::Index>(left_out.size()));
  const Vec2 scale = cloth_.stretch_scale.at(time);
  StrainFigures figures;
  figures.limit = limit_;
  std::vector<std::pair<double, double>> stretches, squeezes;
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
    figures.area += area;
    if (is_beyond(strain)) beyond += area;
  }
  figures.stretch_99 = quantile_99(stretches, figures.area);
  figures.squeeze_99 = quantile_99(squeezes, figures.area);
  figures.beyond = figures.area > 0.0 ? beyond / figures.area : 0.0;
  return figures;
}

std::vector<char> StrainMeter::vertices_beyond(const VecX& x, double time) const {
  std::vector<char> beyond(static_cast<std::size_t>(cloth_.mesh.vertex_count()), 0);
  for (int t = 0; t < cloth_.mesh.triangle_count(); ++t)
    if (is_beyond(of_triangle(t, x, cloth_.stretch_scale.at(time))))
      for (const int v : cloth_.mesh.triangles[t]) beyond[v] = 1;
  return beyond;
}

}  // namespace keydrape
