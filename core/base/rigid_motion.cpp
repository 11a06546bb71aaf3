#include "core/base/rigid_motion.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace keydrape {
namespace {

using Eigen::Quaterniond;

// Rotation by |w| round w, and back: the shorter way round.
Quaterniond exp(const Vec3& w) {
  const double angle = w.norm();
  if (angle == 0) return Quaterniond::Identity();
  return Quaterniond(Eigen::AngleAxisd(angle, w / angle));
}

Vec3 log(const Quaterniond& q) {
  const double sign = q.w() < 0 ? -1.0 : 1.0;
  const double sine = q.vec().norm();
  if (sine == 0) return Vec3::Zero();
  return sign * 2 * std::atan2(sine, sign * q.w()) / sine * q.vec();
}

// Cumulative Bernstein cubics b_1, b_2, b_3, or their derivatives.
std::array<double, 3> cumulative(double s) {
  const double g = 1 - s;
  return {1 - g * g * g, s * s * (3 - 2 * s), s * s * s};
}
std::array<double, 3> cumulative_d1(double s) {
  const double g = 1 - s;
  return {3 * g * g, 6 * s * g, 3 * s * s};
}

// The mean of two velocities, without going on where the slower all but stands, and against neither.
Vec3 without_overshoot(Vec3 mean, const Vec3& before, const Vec3& after) {
  constexpr double kMonotone = 3.0;
  const double most = kMonotone * std::min(before.norm(), after.norm()), speed = mean.norm();
  if (speed > most) mean *= most / speed;
  for (const Vec3& towards : {before, after})
    if (const double along = mean.dot(towards); along < 0.0) mean -= along / towards.squaredNorm() * towards;
  return mean;
}

// One velocity a key of a smooth path, from the velocities in the intervals between.
std::vector<Vec3> key_velocities(const std::vector<Vec3>& between, const std::vector<RigidKey>& keys) {
  std::vector<Vec3> at(keys.size(), Vec3::Zero());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (between.empty()) break;
    if (k == 0 || k + 1 == keys.size()) {
      at[k] = k == 0 ? between.front() : between.back();
      continue;
    }
    const double before = keys[k].time - keys[k - 1].time, after = keys[k + 1].time - keys[k].time;
    at[k] = without_overshoot((after * between[k - 1] + before * between[k]) / (before + after),
                              between[k - 1], between[k]);
  }
  return at;
}

// The farthest that a point of the box is from p; 0 for an empty box.
double reach(const BoundingBox& box, const Vec3& p) {
  if (box.is_empty()) return 0;
  return (box.high - p).cwiseAbs().cwiseMax((p - box.low).cwiseAbs()).norm();
}

}  // namespace

Vec3 RigidPose::to_world(const Vec3& body) const { return rotation * body + translation; }

Vec3 RigidPose::to_body(const Vec3& world) const { return rotation.transpose() * (world - translation); }

RigidMotion::RigidMotion() : RigidMotion({{0.0, Vec3::Zero(), Quaterniond::Identity()}}) {}

RigidMotion::RigidMotion(std::vector<RigidKey> keys, const Vec3& middle, RigidPath path)
    : keys_(std::move(keys)), middle_(middle) {
  assert(!keys_.empty());
  for (RigidKey& key : keys_) {
    assert(key.rotation.norm() > 0 && key.position.allFinite());
    key.rotation.normalize();
  }
  std::vector<Vec3> linear, angular;  // between keys
  for (std::size_t k = 0; k + 1 < keys_.size(); ++k) {
    const double T = keys_[k + 1].time - keys_[k].time;
    assert(T > 0);
    linear.push_back((keys_[k + 1].position - keys_[k].position) / T);
    angular.push_back(log(keys_[k].rotation.conjugate() * keys_[k + 1].rotation) / T);
  }
  const std::vector<Vec3> m = key_velocities(linear, keys_), a = key_velocities(angular, keys_);
  const auto at_ends = [path](const std::vector<Vec3>& between, const std::vector<Vec3>& at, std::size_t k) {
    return path == RigidPath::kStraight ? std::pair(between[k], between[k]) : std::pair(at[k], at[k + 1]);
  };
  for (std::size_t k = 0; k + 1 < keys_.size(); ++k) {
    const RigidKey &from = keys_[k], &to = keys_[k + 1];
    const double T = to.time - from.time;
    const auto [m0, m1] = at_ends(linear, m, k);
    const auto [a0, a1] = at_ends(angular, a, k);
    const Vec3 w1 = T / 3 * a0, w3 = T / 3 * a1;
    const Vec3 w2 = log(exp(-w1) * from.rotation.conjugate() * to.rotation * exp(-w3));
    segments_.push_back({from.time, T, from.position, to.position, m0, m1, from.rotation, {w1, w2, w3}});
  }
}

const RigidMotion::Segment* RigidMotion::find(double time) const {
  if (segments_.empty() || time < keys_.front().time || time > keys_.back().time) return nullptr;
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), time,
                                      [](double t, const Segment& s) { return t < s.start; });
  return &*std::prev(after);
}

RigidPose RigidMotion::pose_with(const Quaterniond& rotation, const Vec3& position) const {
  const Mat3 R = rotation.toRotationMatrix();
  return {R, position - R * middle_};
}

RigidPose RigidMotion::pose(double time) const {
  const Segment* segment = find(time);
  if (!segment) {
    const RigidKey& key = time < keys_.front().time ? keys_.front() : keys_.back();
    return pose_with(key.rotation, key.position);
  }
  const double T = segment->length, s = (time - segment->start) / T, g = 1 - s;
  const Vec3 p = g * g * (1 + 2 * s) * segment->p0 + s * s * (3 - 2 * s) * segment->p1 +
                 T * s * g * (g * segment->m0 - s * segment->m1);
  Quaterniond q = segment->q0;
  const std::array<double, 3> b = cumulative(s);
  for (int i = 0; i < 3; ++i) q = q * exp(b[i] * segment->w[i]);
  return pose_with(q.normalized(), p);
}

RigidVelocity RigidMotion::velocity(double time) const {
  const Segment* segment = find(time);
  if (!segment) return {};
  const double T = segment->length, s = (time - segment->start) / T, g = 1 - s;
  const Vec3 linear = 6 * s * g / T * (segment->p1 - segment->p0) + g * (1 - 3 * s) * segment->m0 +
                      s * (3 * s - 2) * segment->m1;
  // d/ds of exp(w b) is exp(w b) w b', seen through all rotations to its left.
  Quaterniond q = segment->q0;
  Vec3 angular = Vec3::Zero();
  const std::array<double, 3> b = cumulative(s), d = cumulative_d1(s);
  for (int i = 0; i < 3; ++i) {
    angular += q * Vec3(d[i] / T * segment->w[i]);
    q = q * exp(b[i] * segment->w[i]);
  }
  return {linear - angular.cross(q.normalized() * middle_), angular};
}

double RigidMotion::travel_bound(double t0, double t1, const BoundingBox& region) const {
  assert(t0 <= t1);
  // The velocities are Bezier curves: none is longer than the longest of its control points.
  double along = 0, turned = 0;  // path of the middle [m], angle [rad]
  for (const Segment& s : segments_) {
    const double overlap = std::min(t1, s.start + s.length) - std::max(t0, s.start);
    if (overlap <= 0) continue;
    const Vec3 middle = 3 / s.length * (s.p1 - s.p0) - s.m0 - s.m1;
    along += overlap * std::max({s.m0.norm(), middle.norm(), s.m1.norm()});
    turned += overlap * 3 / s.length * std::max({s.w[0].norm(), s.w[1].norm(), s.w[2].norm()});
  }
  return turned == 0 ? along : along + turned * (reach(region, pose(t0).to_world(middle_)) + along);
}

}  // namespace keydrape
