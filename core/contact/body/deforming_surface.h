#pragma once

#include <vector>

#include "core/constraint/motion_track.h"
#include "core/contact/body/level_set/mesh_level_set.h"

namespace keydrape {

// Where the material of a body has got to that was at some point of the world.
struct Carried {
  Vec3 position;  // [m]
  Mat3 gradient;  // by that point
};

// A closed mesh at one time: its level set, and how its points move.
class DeformingSurface {
 public:
  // `triangles` outlives this. Requires as many points in `motion` as the triangles speak of. Throws
  // InputError as mesh_level_set does.
  DeformingSurface(const MotionTrack& motion, const std::vector<Triangle>& triangles, double time,
                   const LevelSetOptions& options);

  const DistanceField& field() const { return *level_set_.field; }
  // Where p gets to by `time`, moving as the nearest point of the surface does; stays where it is
  // beyond the band.
  Carried carry(const MotionTrack& motion, double time, const Vec3& p) const;
  std::size_t memory_bytes() const;

 private:
  const std::vector<Triangle>& triangles_;
  std::vector<Vec3> positions_;
  MeshLevelSet level_set_;
};

}  // namespace keydrape
