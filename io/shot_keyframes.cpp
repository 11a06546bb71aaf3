#include "io/shot_keyframes.h"

#include <fmt/format.h>

#include "core/error.h"
#include "io/npy.h"
#include "io/shot_selection.h"

namespace keydrape {
namespace {

// Distance between a keyframe and a pin that is worth a word where the keyframe has no tolerance [m].
constexpr double kDefaultConflict = 1e-3;

VecX target_velocity(const scene::Keyframe& keyframe, int vertex_count) {
  if (const Vec3* one = std::get_if<Vec3>(&keyframe.velocity)) return one->replicate(vertex_count, 1);
  const scene::FilePath& file = std::get<scene::FilePath>(keyframe.velocity);
  NpyArray array = read_npy(file.value);
  if (array.shape != std::vector<std::int64_t>{vertex_count, 3}) {
    throw InputError(
        fmt::format("{}: [[keyframe]] velocity: {} has shape ({}); expected ({}, 3), one velocity for "
                    "each vertex; save it for this very mesh",
                    file.source.where(), file.value.string(), fmt::join(array.shape, ", "), vertex_count));
  }
  return std::move(array.values);
}

void warn_of_conflict(const scene::Keyframe& table, const ShotKeyframe& keyframe,
                      const std::vector<HardPin>& pins, double time, ShotWarnings& warnings) {
  const Keyframe& goal = keyframe.goal;
  const double allowed = keyframe.tolerance.value_or(kDefaultConflict);
  int count = 0, farthest_vertex = 0;
  double farthest = 0.0;
  const StepConstraints held(pins, time, static_cast<int>(goal.vertex_weight.size()));
  for (const StepConstraints::Row& row : held.rows()) {
    if (goal.vertex_weight[row.vertex] == 0.0) continue;
    const Vec3 offset = goal.target.segment<3>(3 * row.vertex) - row.target;
    const double distance = (offset - row.S * offset).norm();
    if (distance <= allowed) continue;
    ++count;
    if (distance <= farthest) continue;
    farthest = distance;
    farthest_vertex = row.vertex;
  }
  if (count == 0) return;
  warnings.push_back(fmt::format(
      "{}: [[keyframe]] mesh: at frame {} pins hold {} of its vertices elsewhere, vertex {} even {:.3g} m "
      "away, so that "
      "it cannot be reached there; pose them where the pins are, or leave them out by group or weights",
      table.mesh.source.where(), keyframe.frame, count, farthest_vertex, farthest));
}

}  // namespace

std::vector<ShotKeyframe> open_keyframes(const Scene& scene, const ShotClock& clock, const TriangleMesh& rest,
                                         const std::vector<HardPin>& pins, ShotWarnings& warnings) {
  const int n = rest.vertex_count();
  std::vector<ShotKeyframe> keyframes;
  for (const scene::Keyframe& table : scene.keyframes) {
    if (table.frame == clock.frames.first) {
      throw InputError(
          fmt::format("{}: [[keyframe]] frame: found {}, the shot's first frame, where the cloth is given "
                      "and no force can change it; expected {} to {}; set the pose as [cloth] initial",
                      table.source.where(), table.frame, clock.frames.first + 1, clock.frames.last));
    }
    ShotKeyframe keyframe{table.frame, table.tolerance, {}};
    keyframe.goal.state = clock.state_of_frame(table.frame);
    keyframe.goal.target = open_pose(scene, table.mesh, "[[keyframe]] mesh", rest, warnings);
    keyframe.goal.vertex_weight = dense_weights(select_group_or_painted(rest, table.group, table.weights), n);
    keyframe.goal.weight = table.weight;
    keyframe.goal.velocity_weight = table.velocity_weight;
    keyframe.goal.target_velocity = target_velocity(table, n);
    warn_of_conflict(table, keyframe, pins, clock.time_of_frame(table.frame), warnings);
    keyframes.push_back(std::move(keyframe));
  }
  return keyframes;
}

}  // namespace keydrape
