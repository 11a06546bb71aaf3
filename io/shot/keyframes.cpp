#include "io/shot/keyframes.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

#include "core/base/error.h"
#include "io/file/short_number.h"
#include "io/formats/npy.h"
#include "io/shot/doubt/surface_fit.h"
#include "io/shot/input/named_file.h"
#include "io/shot/selection.h"
#include "io/shot/targets.h"

namespace keydrape {
namespace {

VecX target_velocity(const scene::Keyframe& keyframe, int vertex_count) {
  if (const Vec3* one = std::get_if<Vec3>(&keyframe.velocity)) return one->replicate(vertex_count, 1);
  const scene::FilePath& file = std::get<scene::FilePath>(keyframe.velocity);
  NpyArray array = NamedFile{file, "[[keyframe]] velocity"}.read([&] { return read_npy(file.value); });
  if (array.shape != std::vector<std::int64_t>{vertex_count, 3}) {
    throw InputError(
        fmt::format("{}: [[keyframe]] velocity: {} has shape ({}); expected ({}, 3), one velocity for "
                    "each vertex; save it for this very mesh",
                    file.source.where(), file.value.string(), fmt::join(array.shape, ", "), vertex_count));
  }
  return std::move(array.values);
}

// The states of the frames that the keyframe may slide to.
std::vector<int> candidates(const scene::Keyframe& table, const ShotClock& clock) {
  std::vector<int> states;
  if (table.window)
    for (int frame = table.window->first; frame <= table.window->last; ++frame)
      states.push_back(clock.state_of_frame(frame));
  return states;
}

class KeyframeReader {
 public:
  KeyframeReader(const Scene& scene, const ShotClock& clock, const PosedCloth& cloth, ShotWarnings& warnings)
      : scene_(scene), clock_(clock), rest_(cloth.rest), start_(cloth.start), warnings_(warnings) {}

  void read(const scene::Keyframe& table) {
    const int first = table.window ? table.window->first : table.frame;
    if (first == clock_.frames.first) {
      throw InputError(
          fmt::format("{}: [[keyframe]] {}: found {}, the shot's first frame, where the cloth is given "
                      "and no force can change it; expected {} to {}; set the pose as [cloth] initial",
                      table.source.where(), table.window ? "window" : "frame", first, clock_.frames.first + 1,
                      clock_.frames.last));
    }
    refuse_large("[[keyframe]] tolerance", table.tolerance, table.source);
    refuse_large("[[keyframe]] tolerance_max", table.tolerance_max, table.source);
    ShotKeyframe keyframe;
    keyframe.tolerance = table.tolerance;
    keyframe.tolerance_max = table.tolerance_max;
    keyframe.velocity_tolerance = table.velocity_tolerance;
    keyframe.frame = table.frame;
    keyframe.source = table.source;
    keyframe.window = table.window;
    keyframe.is_pose = table.mesh.has_value();
    keyframe.is_landmarks = table.landmarks.has_value();
    keyframe.keyframe.state = clock_.state_of_frame(table.frame);
    keyframe.keyframe.candidates = candidates(table, clock_);
    keyframe.keyframe.weight = table.weight;
    keyframe.keyframe.velocity_weight = table.velocity_weight;
    keyframe.keyframe.target_velocity = target_velocity(table, rest_.vertex_count());
    keyframe.keyframe.target_id = target_count_++;
    keyframe.keyframe.vertex_weight =
        dense_weights(select_group_or_painted(rest_, table.group, table.weights), rest_.vertex_count());
    if (table.velocity_weights)
      keyframe.keyframe.velocity_vertex_weight =
          dense_weights(select_painted(rest_, *table.velocity_weights), rest_.vertex_count());
    set_target(table, keyframe);
    add(std::move(keyframe));
  }

  void read(const scene::Track& table) {
    refuse_large("[[track]] tolerance", table.tolerance, table.source);
    const auto [range, poses] = read_track(scene_, table, clock_.frames, rest_, warnings_);
    const VecX weights =
        dense_weights(select_group_or_painted(rest_, table.group, table.weights), rest_.vertex_count());
    const std::vector<int> frames = counted_frames(table, clock_.frames);
    if (frames.empty()) {
      throw InputError(
          fmt::format("{}: [[track]] every: found {}, which leaves no frame of {}; expected {} at most",
                      table.source.where(), table.every, range.text(), range.count() - 1));
    }
    for (const int frame : frames) {
      ShotKeyframe keyframe;
      keyframe.tolerance = table.tolerance;
      keyframe.frame = frame;
      keyframe.source = table.cache.source;
      keyframe.track = range;
      keyframe.is_pose = true;
      keyframe.keyframe.state = clock_.state_of_frame(frame);
      keyframe.keyframe.target = poses[frame - range.first];
      keyframe.keyframe.vertex_weight = weights;
      keyframe.keyframe.weight = table.weight / static_cast<double>(frames.size());  // (K6)
      keyframe.keyframe.target_id = target_count_;
      add(std::move(keyframe));
    }
    ++target_count_;
  }

  std::vector<ShotKeyframe> keyframes() { return std::move(keyframes_); }

 private:
  // A tolerance of more than the cloth's size asks for nothing.
  void refuse_large(std::string_view key, const std::optional<double>& tolerance,
                    const SourcePosition& table) const {
    const double size = bounding_box_diagonal(rest_.positions);
    if (!tolerance || *tolerance <= size) return;
    // A number of millimetres, as it may have been meant, or if that is too large, too, any.
    constexpr double kUsual_mm = 5.0;
    const double millimetres = 1e-3 * *tolerance < size ? *tolerance : kUsual_mm;
    throw InputError(
        fmt::format("{}: {}: found {:g} m, and the whole cloth ({}) is {} large; expected metres, less than "
                    "that: {:g} for {:g} mm",
                    table.where(), key, *tolerance, scene_.cloth.rest.source.where(), length_text(size),
                    1e-3 * millimetres, millimetres));
  }

  void add(ShotKeyframe keyframe) {
    keyframe.number = static_cast<int>(keyframes_.size());
    keyframes_.push_back(std::move(keyframe));
  }

  void set_target(const scene::Keyframe& table, ShotKeyframe& keyframe) {
    Keyframe& goal = keyframe.keyframe;
    if (table.mesh) {
      keyframe.source = table.mesh->source;
      goal.target = read_pose(scene_, *table.mesh, "[[keyframe]] mesh", rest_, warnings_);
    } else if (table.surface) {
      keyframe.source = table.surface->source;
      goal.surface = read_surface(scene_, *table.surface, rest_, goal.vertex_weight,
                                  table.max_angle * EIGEN_PI / 180.0, warnings_);
      SurfaceMatch match = goal.surface->match(start_);
      goal.target = std::move(match.points);
      goal.directions = std::move(match.directions);
      if (const std::string doubt = doubt_about_surface(goal, rest_, start_, scene_.shot.up_axis);
          !doubt.empty())
        warnings_.push_back(fmt::format("{}: [[keyframe]] surface: {} {}", keyframe.source.where(),
                                        table.surface->value.filename().string(), doubt));
    } else if (table.landmarks) {
      keyframe.source = table.landmarks->source;
      goal.target = start_;
      goal.vertex_weight.setZero();
      for (const auto& [vertex, position] : read_landmarks(scene_, *table.landmarks, rest_.vertex_count())) {
        goal.target.segment<3>(3 * vertex) = position;
        goal.vertex_weight[vertex] = 1.0;
      }
    } else {
      goal.relative_to = 0;
      goal.target = VecX::Zero(start_.size());
    }
  }

  const Scene& scene_;
  const ShotClock& clock_;
  const TriangleMesh& rest_;
  const VecX& start_;
  ShotWarnings& warnings_;
  std::vector<ShotKeyframe> keyframes_;
  int target_count_ = 0;
};

}  // namespace

std::vector<ShotKeyframe> read_keyframes(const Scene& scene, const ShotClock& clock, const PosedCloth& cloth,
                                         ShotWarnings& warnings) {
  KeyframeReader reader(scene, clock, cloth, warnings);
  for (const scene::Keyframe& table : scene.keyframes) reader.read(table);
  for (const scene::Track& table : scene.tracks) reader.read(table);
  std::vector<ShotKeyframe> keyframes = reader.keyframes();
  if (scene.control.effort.automatic)
    for (ShotKeyframe& keyframe : keyframes)
      set_default_tolerances(keyframe, bounding_box_diagonal(cloth.rest.positions), 1.0 / clock.fps);
  return keyframes;
}

}  // namespace keydrape
