#include "examples/generator/bend.h"

#include <cmath>

namespace keydrape::examples {

Bend::Bend(const std::function<double(double)>& tangent_angle, double lean, double flat, double curve_length)
    : curve_(tangent_angle, curve_length), across_(std::cos(lean), std::sin(lean)), flat_(flat) {}

Vec3 Bend::operator()(const Vec3& p) const {
  const Vec2 along(-across_.y(), across_.x());
  const double s = across_.dot(p.head<2>()), w = along.dot(p.head<2>());
  const Vec2 c = curve_.at(s - flat_);
  Vec3 x;
  x << (flat_ + c.x()) * across_ + w * along, c.y();
  return x;
}

}  // namespace keydrape::examples
