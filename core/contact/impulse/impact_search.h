#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/animated.h"
#include "core/contact/impulse/impulse.h"
#include "core/contact/pairs/surface_pairs.h"
#include "core/contact/points/colliding_cloth.h"

namespace keydrape {

// A body that is known by its distance alone: sample points of the cloth are held off it.
struct ImpulseVolume {
  std::shared_ptr<const CollidingCloth> cloth;
  Animated<double> friction{0.0};  // coefficient in time, >= 0
};

// What touches while cloth goes straight from where it is to somewhere else within one piece of a step, and
// bodies theirs. Over one array of vertices: those of the cloth, then those of bodies that are triangles.
class ImpactSearch {
 public:
  // `surfaces`: what collides as triangles; null: nothing does. `x`: the cloth at `begin` [m] (3n). The
  // others outlive this. Requires begin < end [s].
  ImpactSearch(const SurfacePairs* surfaces, std::span<const ImpulseVolume> volumes, VecX x, double begin,
               double end);

  double duration() const { return end_ - begin_; }  // [s]
  double end() const { return end_; }                // [s]
  int cloth_count() const { return cloth_count_; }
  int vertex_count() const { return static_cast<int>(x_.size() / 3); }
  int volume_count() const { return static_cast<int>(volumes_.size()); }
  const ImpulseVolume& volume(int number) const { return volumes_[number]; }
  const SurfacePairs* surfaces() const { return surfaces_; }
  const VecX& x() const { return x_; }                    // of the whole array at `begin` [m]
  const VecX& bodies_end() const { return bodies_end_; }  // of the vertices behind the cloth's, at `end` [m]
  VecX with_bodies(const VecX& y) const;                  // y (3n), then the bodies at `end` [m]
  VecX velocities(const VecX& v) const;                   // v (3n), then those of the bodies [m/s]

  // Where two things are nearer than their thickness at `begin`: pairs of triangles in the order of the broad
  // phase, then points before the bodies that are distances.
  std::vector<ImpactPoint> near() const;

  // The nodes that touch: the vertices of the point, and vertex_count() + the number of a volume.
  std::vector<int> nodes(const ImpactPoint& point) const;
  // Tells of the four vertices of a pair that it cannot touch.
  using CannotTouch = std::function<bool(const std::array<int, 4>& vertices)>;
  // Where two things come nearer than is left to them (Z5) on the straight way to y (of the whole array): in
  // the same order. A pair that is proven not to is none (core/contact/ccd/time_of_impact.h).
  std::vector<ImpactPoint> hits(const VecX& y, const CannotTouch& cannot_touch = {}) const;

 private:
  template <class Contact, class Pair>
  void append_pair_hits(const std::vector<Pair>& pairs, const VecX& y, const CannotTouch& cannot_touch,
                        std::vector<ImpactPoint>& hits) const;
  template <class Contact, class Pair>
  void append_near_pairs(const std::vector<Pair>& pairs, std::vector<ImpactPoint>& near) const;
  void append_volume_hits(int number, const VecX& y, std::vector<ImpactPoint>& hits) const;
  std::optional<ImpactPoint> volume_hit(int number, const SamplePoint& point, double phi,
                                        const ColliderPose& after, const VecX& y) const;
  ImpactPoint at_volume(int number, const SamplePoint& point, const Vec3& gradient,
                        const Vec3& material) const;

  const SurfacePairs* surfaces_;
  std::span<const ImpulseVolume> volumes_;
  int cloth_count_;
  double begin_, end_;
  double largest_thickness_ = 0.0;  // of surfaces [m]
  VecX x_, bodies_end_;
  std::vector<char> held_;                         // by vertex of the cloth, of bodies that are triangles
  std::vector<std::vector<char>> held_of_volume_;  // likewise
  std::vector<std::vector<double>> distance_;      // of the points of each volume at `begin` [m]
};

}  // namespace keydrape
