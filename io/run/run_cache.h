#pragma once

#include "core/inspect/energy_density.h"
#include "io/cache/mesh_cache.h"
#include "io/scene/scene.h"
#include "io/shot/shot.h"

// A run as a cache: its cloth in the user's unit, with what there is to look at.

namespace keydrape {

// A run and its forces.
struct Run {
  const Shot& shot;
  const Trajectory& trajectory;
  const ForceSchedule& forces;
};

// Frames of the shot that a trajectory covers with converged steps, at least 1.
int complete_frame_count(const Shot& shot, const Trajectory& trajectory);

// The frames of a run with the fields that are asked for:
//   velocity        of the vertices, in the user's unit per second
//   miss            distance of each vertex to its target, at the frame of a keyframe; zero elsewhere and for
//                   vertices without a target: nothing is asked there [m]
//   force           mean control force over the frame that begins [N]
//   acceleration    force over mass [m/s^2]
//   energy_density  elastic energy of each triangle over its area at rest [J/m^2]
class RunCache {
 public:
  // `run` outlives this.
  RunCache(const Scene& scene, const Run& run, const std::vector<std::string>& fields);

  const CacheHeader& header() const { return header_; }
  CacheFrame frame(int f) const;  // counted from the first

 private:
  VecX field(const std::string& name, int f) const;
  VecX miss(int f) const;

  const Run& run_;
  CacheHeader header_;
  EnergyDensity energy_density_;
};

}  // namespace keydrape
