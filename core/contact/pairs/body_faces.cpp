#include "core/contact/pairs/body_faces.h"

#include "core/contact/pairs/pair_positions.h"
#include "core/mesh/nearest_on_triangle.h"

namespace keydrape {

namespace {

std::vector<Triangle> faces_of_bodies(const SurfacePairs& pairs) {
  std::vector<Triangle> faces;
  for (const Triangle& t : pairs.broad_phase().surface().faces)
    if (pairs.is_body(t[0])) faces.push_back(t);
  return faces;
}

}  // namespace

Vec3 BodyFaces::Point::gather(const VecX& x) const {
  Vec3 sum = Vec3::Zero();
  for (int a = 0; a < 3; ++a) sum += weights(a) * x.segment<3>(3 * vertices[a]);
  return sum;
}

BodyFaces::BodyFaces(const SurfacePairs& pairs, const VecX& x)
    : pairs_(pairs), x_(x), faces_(faces_of_bodies(pairs)), search_(boxes_of(faces_, x)) {}

std::optional<BodyFaces::Point> BodyFaces::nearest(const Vec3& p, double reach) const {
  const auto on = [&](int face) {
    const auto [a, b, c] = faces_[face];
    return nearest_on_triangle(p, at(a), at(b), at(c));
  };
  const int face = search_.nearest(
      p,
      [&](int item) {
        const double distance = on(item).distance;
        return distance * distance;
      },
      reach);
  if (face < 0) return std::nullopt;
  const SurfacePoint point = on(face);
  const Triangle& t = faces_[face];
  const Barrier& barrier = pairs_.law({t[0], t[0], t[1], t[2]}).contact.barrier;
  return Point{t, point.weights, point.distance, barrier.range()};
}

}  // namespace keydrape
