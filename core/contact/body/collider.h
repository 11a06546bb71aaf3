#pragma once

#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/rigid_motion.h"
#include "core/constraint/motion_track.h"
#include "core/contact/body/deforming_surface.h"
#include "core/contact/body/shape/distance_field.h"

namespace keydrape {

// A body at one time, in world space. Cheap to copy; the collider that it came from outlives it.
class ColliderPose {
 public:
  ColliderPose(const DistanceField& field, const RigidPose& pose);
  // A body that deforms: its level set is shared with the collider's cache, and whoever is last frees it.
  explicit ColliderPose(std::shared_ptr<const DeformingSurface> surface);

  // As those of DistanceField, for points of the world.
  DistanceSample sample(const Vec3& world) const;
  double distance(const Vec3& world) const { return field_->distance(pose_.to_body(world)); }
  double free_radius(const Vec3& world, double level) const {
    return field_->free_radius(pose_.to_body(world), level);
  }
  BoundingBox bounds() const;  // of the body, in the world
  double band() const { return field_->band(); }
  double smooth_depth() const { return field_->smooth_depth(); }

 private:
  const DistanceField* field_;
  RigidPose pose_;
  std::shared_ptr<const DeformingSurface> surface_;  // null for a rigid body
};

// A body that cloth lies on, through time. A pose depends on nothing but the time, which is that of the end
// of a step; for several threads at a time.
class Collider {
 public:
  virtual ~Collider() = default;

  // Throws InputError where a deforming body cannot be made a level set at that time (mesh_level_set).
  virtual ColliderPose at(double time) const = 0;
  virtual bool is_static() const = 0;

  // Where the body's material at `world` at time t0 is at t1. Of a deforming body: moved as the nearest point
  // of its surface; beyond the band it counts as at rest.
  virtual Carried carry(double t0, double t1, const Vec3& world) const = 0;
  // So far from the body carry() knows where its material is [m]; infinite for a rigid body.
  virtual double carry_range() const = 0;

  // An upper bound on how far the body moves, from t0 to t1, past any point that rests within `region` of the
  // world [m]: where phi > level in a ball of this radius at t0, phi > level at its centre at t1, but for
  // what a level set is off by. Requires t0 <= t1.
  virtual double travel_bound(double t0, double t1, const BoundingBox& region) const = 0;

  // How many of the points that go straight and evenly from from[i] at t0 to to[i] at t1 the body may have
  // come upon: the others stay outside of it all the way (core/contact/EQUATIONS.md (B14), (B15)). Requires
  // t0 <= t1, as many of one as of the other, and all of them outside of the body at t0.
  virtual int count_met(double t0, double t1, std::span<const Vec3> from, std::span<const Vec3> to) const = 0;
};

class RigidCollider final : public Collider {
 public:
  RigidCollider(std::unique_ptr<const DistanceField> field, RigidMotion motion = {});

  ColliderPose at(double time) const override;
  bool is_static() const override { return motion_.is_static(); }
  Carried carry(double t0, double t1, const Vec3& world) const override;
  double carry_range() const override { return std::numeric_limits<double>::infinity(); }
  double travel_bound(double t0, double t1, const BoundingBox& region) const override;
  int count_met(double t0, double t1, std::span<const Vec3> from, std::span<const Vec3> to) const override;

  const DistanceField& field() const { return *field_; }
  const RigidMotion& motion() const { return motion_; }

 private:
  std::unique_ptr<const DistanceField> field_;
  RigidMotion motion_;
};

struct DeformingColliderOptions {
  LevelSetOptions level_set;
  std::size_t cache_bytes = std::size_t{512} << 20;  // level sets that are kept; the last one always is
};

// A closed mesh whose vertices move on given paths. Every new time costs a level set (mesh_distances.h);
// those asked for last are kept, so that the backward sweep over a shot finds what the forward run made.
class DeformingCollider final : public Collider {
 public:
  // Requires as many points in `motion` as the triangles speak of. Throws InputError for an open mesh.
  DeformingCollider(MotionTrack motion, std::vector<Triangle> triangles,
                    const DeformingColliderOptions& options);

  ColliderPose at(double time) const override;
  bool is_static() const override { return motion_.samples.size() == 1; }
  Carried carry(double t0, double t1, const Vec3& world) const override;
  double carry_range() const override { return options_.level_set.band; }
  double travel_bound(double t0, double t1, const BoundingBox& region) const override;
  int count_met(double t0, double t1, std::span<const Vec3> from, std::span<const Vec3> to) const override;

 private:
  std::shared_ptr<const DeformingSurface> surface_at(double time) const;
  struct Kept {
    std::shared_ptr<const DeformingSurface> surface;
    long last_use;
  };
  void forget_beyond(std::size_t bytes, double newest) const;

  MotionTrack motion_;
  std::vector<Triangle> triangles_;
  DeformingColliderOptions options_;
  std::vector<double> longest_path_;  // of a vertex, in each interval of the motion [m]
  mutable std::mutex mutex_;
  mutable std::map<double, Kept> kept_;
  mutable long uses_ = 0;
};

}  // namespace keydrape
