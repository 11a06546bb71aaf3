#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "core/base/bounding_box.h"
#include "core/base/types.h"

namespace keydrape {

// Where a rigid body is: world = rotation * body + translation.
struct RigidPose {
  Mat3 rotation = Mat3::Identity();
  Vec3 translation = Vec3::Zero();  // of the body's origin [m]

  Vec3 to_world(const Vec3& body) const;
  Vec3 to_body(const Vec3& world) const;
};

// How a rigid body moves, in world space.
struct RigidVelocity {
  Vec3 linear = Vec3::Zero();   // of the body's origin [m/s]
  Vec3 angular = Vec3::Zero();  // [rad/s]
};

// A pose at a time. Between neighbouring keys a body turns by less than half a turn: of the two ways round
// the shorter one is taken.
struct RigidKey {
  double time;                  // [s]
  Vec3 position;                // of the body's middle [m]
  Eigen::Quaterniond rotation;  // of any length but zero
};

// How a body gets from key to key.
enum class RigidPath {
  kSmooth,    // with continuous velocities
  kStraight,  // at constant speed, by the straight line and the shorter turn: velocities leap at keys
};

// A path through keyed poses. Between keys, with s from 0 to 1 over an interval T:
//
//   position: the cubic through both keys with the velocities m there (Hermite)                   (S10)
//   rotation: q(s) = q_0 exp(w_1 b_1(s)) exp(w_2 b_2(s)) exp(w_3 b_3(s))                          (S11)
//             w_1 = T a_0/3 , w_3 = T a_1/3 , exp(w_2) = exp(-w_1) q_0^-1 q_1 exp(-w_3)
//
// (Kim, Kim & Shin 1995: b are cumulative Bernstein cubics, a the angular velocities at the keys in body
// axes.) The velocity at a key is the mean of those towards its neighbours, weighted by the other one's
// interval, at most three times the slower of them and against neither: what stands until a key does not move
// before it, and what comes to a stop does not overshoot (Fritsch & Carlson 1980). At the first and last key
// it is that towards its only neighbour. Constant motion through even keys is exact. On a straight path m and
// a are those of the interval, at both of its ends: (S10) is a line then, and (S11) an even turn. At rest
// before the first key and after the last.
class RigidMotion {
 public:
  RigidMotion();  // at rest in the body's own frame
  // `middle`: the point of the body that keys place, and that moves as (S10) says whatever the rotation does
  // [m]. Requires at least one key, times strictly ascending, finite values, rotations other than zero.
  explicit RigidMotion(std::vector<RigidKey> keys, const Vec3& middle = Vec3::Zero(),
                       RigidPath path = RigidPath::kSmooth);

  RigidPose pose(double time) const;
  RigidVelocity velocity(double time) const;  // where it leaps: that of the interval that begins there
  bool is_static() const { return keys_.size() == 1; }

  // An upper bound on how far any point that rests within `region` of the world travels in the body's frame
  // between two times [m]. No distance there changes by more. Requires t0 <= t1; infinite for an infinite
  // region under a rotation.
  double travel_bound(double t0, double t1, const BoundingBox& region) const;

 private:
  struct Segment {
    double start, length;  // [s]
    Vec3 p0, p1, m0, m1;   // positions [m], velocities [m/s]
    Eigen::Quaterniond q0;
    std::array<Vec3, 3> w;  // [rad]
  };
  // The segment that `time` lies in, null at rest.
  const Segment* find(double time) const;
  RigidPose pose_with(const Eigen::Quaterniond& rotation, const Vec3& position) const;

  std::vector<RigidKey> keys_;
  Vec3 middle_;
  std::vector<Segment> segments_;
};

}  // namespace keydrape
