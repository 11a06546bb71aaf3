#include "core/contact/body/collider.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/contact/body/rigid_way.h"

namespace keydrape {

namespace {

// Between two times at which a deforming body is looked at, it comes nearer to a point by no more than this
// share of a voxel: its level set has no wall as thin as that.
constexpr double kGlance = 0.5;
constexpr int kMaxGlances = 256;  // a step; what is faster counts as met
constexpr int kTimeBits = 40;     // level sets are made at multiples of 2^-40 s

}  // namespace

ColliderPose::ColliderPose(const DistanceField& field, const RigidPose& pose) : field_(&field), pose_(pose) {}

ColliderPose::ColliderPose(std::shared_ptr<const DeformingSurface> surface)
    : field_(&surface->field()), surface_(std::move(surface)) {}

DistanceSample ColliderPose::sample(const Vec3& world) const {
  const DistanceSample body = field_->sample(pose_.to_body(world));
  const Mat3& R = pose_.rotation;
  return {body.distance, R * body.gradient, R * body.hessian * R.transpose()};
}

BoundingBox ColliderPose::bounds() const {
  const BoundingBox body = field_->bounds();
  if (pose_.rotation.isIdentity(0)) return {body.low + pose_.translation, body.high + pose_.translation};
  if (!body.low.allFinite() || !body.high.allFinite()) {
    const double infinity = std::numeric_limits<double>::infinity();
    return {Vec3::Constant(-infinity), Vec3::Constant(infinity)};
  }
  const Vec3 center = pose_.to_world(body.center());
  const Vec3 half = pose_.rotation.cwiseAbs() * (0.5 * (body.high - body.low));
  return {center - half, center + half};
}

RigidCollider::RigidCollider(std::unique_ptr<const DistanceField> field, RigidMotion motion)
    : field_(std::move(field)), motion_(std::move(motion)) {
  assert(field_);
}

ColliderPose RigidCollider::at(double time) const { return ColliderPose(*field_, motion_.pose(time)); }

Carried RigidCollider::carry(double t0, double t1, const Vec3& world) const {
  const RigidPose before = motion_.pose(t0), after = motion_.pose(t1);
  return {after.to_world(before.to_body(world)), after.rotation * before.rotation.transpose()};
}

double RigidCollider::travel_bound(double t0, double t1, const BoundingBox& region) const {
  return motion_.travel_bound(t0, t1, region);
}

int RigidCollider::count_met(double t0, double t1, std::span<const Vec3> from,
                             std::span<const Vec3> to) const {
  assert(from.size() == to.size());
  const RigidWay way(*field_, motion_, t0, t1);
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, from.size()), 0,
      [&](const auto& r, int count) {
        for (std::size_t i = r.begin(); i < r.end(); ++i)
          if (!way.is_free(from[i], to[i])) ++count;
        return count;
      },
      std::plus<>());
}

DeformingCollider::DeformingCollider(MotionTrack motion, std::vector<Triangle> triangles,
                                     const DeformingColliderOptions& options)
    : motion_(std::move(motion)), triangles_(std::move(triangles)), options_(options) {
  if (const auto defect = find_open_edge(triangles_)) throw InputError(*defect);
  assert(!motion_.samples.empty());
  for (std::size_t k = 0; k + 1 < motion_.samples.size(); ++k) {
    double longest = 0;
    for (int i = 0; i < motion_.point_count(); ++i)
      longest = std::max(
          longest, (motion_.samples[k + 1].segment<3>(3 * i) - motion_.samples[k].segment<3>(3 * i)).norm());
    longest_path_.push_back(longest);
  }
}

ColliderPose DeformingCollider::at(double time) const { return ColliderPose(surface_at(time)); }

Carried DeformingCollider::carry(double t0, double t1, const Vec3& world) const {
  return surface_at(t0)->carry(motion_, t1, world);
}

// Near the body a point goes with the nearest point of the surface, but for what it is let behind.
int DeformingCollider::count_met(double t0, double t1, std::span<const Vec3> from,
                                 std::span<const Vec3> to) const {
  assert(t0 <= t1 && from.size() == to.size());
  const std::shared_ptr<const DeformingSurface> before = surface_at(t0);
  const double travel = travel_bound(t0, t1, {});
  const double glance = kGlance * options_.level_set.voxel;
  std::vector<char> met(from.size(), 0);
  double longest = 0.0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool is_near = before->field().distance(from[i]) < before->field().band();
    const double way = is_near ? (to[i] - before->carry(motion_, t1, from[i]).position).norm()
                               : travel + (to[i] - from[i]).norm();
    if (way > kMaxGlances * glance)
      met[i] = 1;
    else
      longest = std::max(longest, way);
  }
  // Powers of two: another question about the same step finds level sets that are there already.
  const int pieces = static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::ceil(longest / glance))));
  for (int k = 1; k < pieces; ++k) {
    const double s = static_cast<double>(k) / pieces;
    const std::shared_ptr<const DeformingSurface> now = surface_at(t0 + s * (t1 - t0));
    for (std::size_t i = 0; i < from.size(); ++i)
      if (!met[i]) met[i] = now->field().distance(from[i] + s * (to[i] - from[i])) <= 0.0;
  }
  return static_cast<int>(std::count(met.begin(), met.end(), 1));
}

std::shared_ptr<const DeformingSurface> DeformingCollider::surface_at(double time) const {
  // At rest before and after: one level set serves. The end of a step and the start of the next are sums of
  // rounded numbers, of one time.
  const double t = std::clamp(std::ldexp(std::round(std::ldexp(time, kTimeBits)), -kTimeBits),
                              motion_.start_time, motion_.end_time());
  const std::lock_guard lock(mutex_);
  auto found = kept_.find(t);
  if (found == kept_.end()) {
    std::shared_ptr<const DeformingSurface> surface;
    // While it waits for its own loops this thread must not take up others that ask for the lock.
    tbb::this_task_arena::isolate([&] {
      surface = std::make_shared<const DeformingSurface>(motion_, triangles_, t, options_.level_set);
    });
    found = kept_.emplace(t, Kept{std::move(surface), 0}).first;
    forget_beyond(options_.cache_bytes, t);
  }
  found->second.last_use = ++uses_;
  return found->second.surface;
}

void DeformingCollider::forget_beyond(std::size_t bytes, double newest) const {
  std::size_t total = 0;
  for (const auto& [time, kept] : kept_) total += kept.surface->memory_bytes();
  while (total > bytes && kept_.size() > 1) {
    auto oldest = kept_.end();
    for (auto it = kept_.begin(); it != kept_.end(); ++it)
      if (it->first != newest && (oldest == kept_.end() || it->second.last_use < oldest->second.last_use))
        oldest = it;
    total -= oldest->second.surface->memory_bytes();
    kept_.erase(oldest);
  }
}

// No point of the surface moves farther than its vertices do, nor does the distance of any point from it.
double DeformingCollider::travel_bound(double t0, double t1, const BoundingBox&) const {
  assert(t0 <= t1);
  double sum = 0;
  for (std::size_t k = 0; k < longest_path_.size(); ++k) {
    const double start = motion_.start_time + static_cast<double>(k) * motion_.sample_interval;
    const double overlap = std::min(t1, start + motion_.sample_interval) - std::max(t0, start);
    if (overlap > 0) sum += overlap / motion_.sample_interval * longest_path_[k];
  }
  return sum;
}

}  // namespace keydrape
