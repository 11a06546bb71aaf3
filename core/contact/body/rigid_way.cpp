#include "core/contact/body/rigid_way.h"

#include <cassert>

namespace keydrape {

namespace {

constexpr int kMaxDepth = 12;  // halvings of a piece
constexpr int kMaxAdvances = 200;
// A piece leaves its chord by this many times what it leaves it by in the middle, or less.
constexpr double kDeviation = 2.0;

}  // namespace

RigidWay::RigidWay(const DistanceField& field, const RigidMotion& motion, double t0, double t1)
    : field_(field), motion_(motion), t0_(t0), t1_(t1) {
  assert(t0 <= t1);
  for (int k = 0; k < kKnown; ++k) poses_[k] = motion.pose(t0 + k / (kKnown - 1.0) * (t1 - t0));
}

bool RigidWay::is_free(const Vec3& from, const Vec3& to) const {
  std::array<Point, kKnown> known;
  for (int k = 0; k < kKnown; ++k) {
    const double s = k / (kKnown - 1.0);
    known[k] = {s, poses_[k].to_body(from + s * (to - from))};
  }
  for (int k = 0; k + 2 < kKnown; k += 2)
    if (!is_free(from, to, known[k], known[k + 1], known[k + 2], kMaxDepth)) return false;
  return true;
}

bool RigidWay::is_free(const Vec3& from, const Vec3& to, const Point& a, const Point& middle, const Point& b,
                       int depth) const {
  if (field_.distance(middle.q) <= 0.0) return false;
  const double level = kDeviation * (middle.q - 0.5 * (a.q + b.q)).norm();
  if (level < field_.band() && is_chord_free(a.q, b.q, level)) return true;
  if (depth == 0) return false;
  const auto between = [&](const Point& c, const Point& d) {
    const double s = 0.5 * (c.s + d.s);
    return Point{s, motion_.pose(t0_ + s * (t1_ - t0_)).to_body(from + s * (to - from))};
  };
  return is_free(from, to, a, between(a, middle), middle, depth - 1) &&
         is_free(from, to, middle, between(middle, b), b, depth - 1);
}

// Conservative advancement: each ball is free of the body, and of what lies within `level` of it.
bool RigidWay::is_chord_free(const Vec3& a, const Vec3& b, double level) const {
  const double length = (b - a).norm();
  double gone = 0.0;
  for (int k = 0; k < kMaxAdvances; ++k) {
    const double radius = field_.free_radius(length > 0.0 ? Vec3(a + gone / length * (b - a)) : a, level);
    if (!(radius > 0.0)) return false;
    gone += radius;
    if (gone >= length) return true;
  }
  return false;
}

}  // namespace keydrape
