#pragma once

#include <array>

#include "core/base/rigid_motion.h"
#include "core/contact/body/shape/distance_field.h"

namespace keydrape {

// How points of the world pass a rigid body from t0 to t1. Seen from the body a point that goes straight at
// constant speed goes along a curve q(s), which is taken piece after piece as its chord
// (core/contact/EQUATIONS.md (B14)).
class RigidWay {
 public:
  // `field` and `motion` outlive this. Requires t0 <= t1.
  RigidWay(const DistanceField& field, const RigidMotion& motion, double t0, double t1);

  // Whether a point that goes from `from` at t0 to `to` at t1 is shown to stay outside of the body.
  bool is_free(const Vec3& from, const Vec3& to) const;

 private:
  static constexpr int kKnown = 9;  // poses at even times, the first and last included
  struct Point {
    double s;  // time, from 0 to 1
    Vec3 q;    // in the body's frame [m]
  };
  bool is_free(const Vec3& from, const Vec3& to, const Point& a, const Point& middle, const Point& b,
               int depth) const;
  bool is_chord_free(const Vec3& a, const Vec3& b, double level) const;

  const DistanceField& field_;
  const RigidMotion& motion_;
  double t0_, t1_;
  std::array<RigidPose, kKnown> poses_;
};

}  // namespace keydrape
