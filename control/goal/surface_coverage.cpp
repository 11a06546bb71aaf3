#include "control/goal/surface_coverage.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "control/goal/nearest_on_cloth.h"
#include "control/goal/target_surface.h"
#include "core/inspect/shadow.h"

namespace keydrape {
namespace {

// Pieces into which a surface of few triangles is cut, at most; a triangle of its own is one at least.
constexpr double kMostPieces = 1e5;

// Calls add(point, share) for the centroids of pieces no larger than `piece` [m^2], or for every point.
template <class Add>
void visit_pieces(const TriangleMesh& surface, double piece, const Add& add) {
  if (surface.triangles.empty())
    for (const Vec3& p : surface.positions) add(p, 1.0);
  const VecX x = stacked(surface.positions);
  for (const Triangle& t : surface.triangles) {
    const double whole = surface_area({t}, x);
    const int m = std::max(1, static_cast<int>(std::ceil(std::sqrt(whole / piece))));
    const Vec3 &a = surface.positions[t[0]], b = surface.positions[t[1]] - a, c = surface.positions[t[2]] - a;
    for (int i = 0; i < m; ++i)
      for (int j = 0; i + j < m; ++j)
        for (const double third : {1.0 / 3.0, 2.0 / 3.0}) {
          if (third > 0.5 && i + j + 1 >= m) continue;  // the piece that points down, within the last row
          add(a + ((i + third) * b + (j + third) * c) / m, whole / (m * m));
        }
  }
}

}  // namespace

std::optional<SurfaceCoverage> surface_coverage(const Keyframe& keyframe, const TriangleMesh& rest,
                                                const VecX& x, double within) {
  assert(keyframe.surface && x.size() == 3 * keyframe.vertex_weight.size());
  const TriangleMesh& surface = keyframe.surface->mesh();
  const std::vector<Triangle> triangles = with_weight(rest.triangles, keyframe.vertex_weight);
  if (triangles.empty()) return std::nullopt;
  SurfaceCoverage coverage;
  coverage.within = std::max(within, mean_side(rest));
  const double whole = surface_area(surface.triangles, stacked(surface.positions));
  if (whole > 0.0)
    coverage.spare = std::max(0.0, 1.0 - surface_area(triangles, stacked(rest.positions)) / whole);

  const NearestOnCloth cloth(triangles, x);
  double sum = 0.0, bare = 0.0;
  visit_pieces(surface, std::max(coverage.within * coverage.within, whole / kMostPieces),
               [&](const Vec3& p, double share) {
                 const SurfacePoint nearest = cloth.nearest(p, Vec3::Zero(), 0.0);
                 const double d =
                     nearest.triangle < 0 ? std::numeric_limits<double>::infinity() : nearest.distance;
                 sum += share;
                 if (d > coverage.within) bare += share;
                 if (d > coverage.farthest && std::isfinite(d)) {
                   coverage.farthest = d;
                   coverage.place = p;
                 }
               });
  coverage.bare = sum > 0.0 ? bare / sum : 0.0;
  return coverage;
}

}  // namespace keydrape
