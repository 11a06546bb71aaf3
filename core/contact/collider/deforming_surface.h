#pragma once

#include <vector>

#include "core/constraint/motion_track.h"
#include "core/contact/collider/mesh_level_set.h"

namespace keydrape {

// A closed mesh at one time: its level set, and how its points move.
class DeformingSurface {
 public:
  // `triangles` outlives this. Requires as many points in `motion` as the triangles speak of. Throws
  // InputError as mesh_level_set does.
  DeformingSurface(const MotionTrack& motion, const std::vector<Triangle>& triangles, double time,
                   const LevelSetOptions& options);

  const DistanceField& field() const { return *level_set_.field; }
  // Velocity of the surface point nearest to p [m/s]: that of the interval before `time`, which is the one
  // that a step that ends then has seen. Requires p within the band.
  Vec3 velocity(const Vec3& p) const;
  std::size_t memory_bytes() const;

 private:
  const std::vector<Triangle>& triangles_;
  std::vector<Vec3> positions_, velocities_;
  MeshLevelSet level_set_;
};

}  // namespace keydrape
