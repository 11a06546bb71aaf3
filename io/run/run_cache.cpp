#include "io/run/run_cache.h"

#include <cassert>

#include "io/take/recorded_forces.h"

namespace keydrape {
namespace {

const State& state_at(const Run& run, int f) {
  return run.trajectory
      .states[static_cast<std::size_t>(f) * static_cast<std::size_t>(run.shot.clock.substeps)];
}

FieldHeader header_of(const std::string& name) {
  FieldHeader field{name, FieldPlace::kVertex, 1, false};
  if (name == "energy_density") field.place = FieldPlace::kTriangle;
  if (name == kVelocityField || name == "force" || name == "acceleration") field.components = 3;
  field.in_space_unit = name == kVelocityField;
  return field;
}

}  // namespace

int complete_frame_count(const Shot& shot, const Trajectory& trajectory) {
  return trajectory.first_failure() / shot.clock.substeps + 1;
}

RunCache::RunCache(const Scene& scene, const Run& run, const std::vector<std::string>& fields)
    : run_(run), energy_density_(run.shot.model(), run.shot.rest().triangles) {
  header_.mesh = run.shot.rest();
  for (Vec3& position : header_.mesh.positions) position /= run.shot.meters_per_unit;
  header_.first_frame = run.shot.clock.frames.first;
  header_.frame_count = complete_frame_count(run.shot, run.trajectory);
  header_.fps = run.shot.clock.fps;
  header_.space = {run.shot.meters_per_unit, scene.shot.up_axis};
  for (const std::string& name : fields) header_.fields.push_back(header_of(name));
}

CacheFrame RunCache::frame(int f) const {
  assert(0 <= f && f < header_.frame_count);
  CacheFrame frame{state_at(run_, f).x / run_.shot.meters_per_unit, {}};
  for (const FieldHeader& header : header_.fields) frame.fields.push_back(field(header.name, f));
  return frame;
}

VecX RunCache::field(const std::string& name, int f) const {
  const Shot& shot = run_.shot;
  if (name == kVelocityField) return state_at(run_, f).v / shot.meters_per_unit;
  if (name == "force") return mean_force(run_.forces, shot.clock, shot.rest().vertex_count(), f);
  if (name == "acceleration")
    return mean_force(run_.forces, shot.clock, shot.rest().vertex_count(), f)
        .cwiseQuotient(shot.model().mass());
  if (name == "miss") return miss(f);
  assert(name == "energy_density");
  return energy_density_.at(state_at(run_, f).x, f / shot.clock.fps);
}

VecX RunCache::miss(int f) const {
  VecX distance = VecX::Zero(run_.shot.rest().vertex_count());
  for (const ShotKeyframe& keyframe : run_.shot.keyframes) {
    if (keyframe.frame != header_.first_frame + f) continue;
    Keyframe there = keyframe.keyframe;
    const VecX x = compared_state(there, states_of(run_.trajectory)).x;
    if (there.surface) match(there, x);  // a run that was broken off is not adapted to
    distance = distance.cwiseMax(vertex_distances(there, x));
  }
  return distance;
}

}  // namespace keydrape
