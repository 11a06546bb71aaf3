#include "io/shot/targets.h"

#include <fmt/format.h>

#include <set>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/file/word_reader.h"
#include "io/shot/input/cache.h"
#include "io/shot/input/named_file.h"

namespace keydrape {
namespace {

std::vector<scene::Landmark> read_landmarks(const std::filesystem::path& path, double meters_per_unit) {
  const std::string text = read_file(path);
  WordReader reader(path, text, WordReader::Continuation::kNone);
  std::vector<scene::Landmark> landmarks;
  for (auto words = reader.next_line(); !words.empty(); words = reader.next_line()) {
    if (words.size() != 4)
      reader.fail(words.back(), {fmt::format("a line of {} words", words.size()), "four: vertex x y z",
                                 "write one landmark in each line"});
    const long long vertex = reader.integer(words[0]);
    if (vertex < 0 || vertex > std::numeric_limits<int>::max())
      reader.fail(words[0], {fmt::format("there is no vertex {}", vertex), "a vertex counted from 0",
                             "take it from the rest mesh"});
    scene::Landmark& landmark = landmarks.emplace_back();
    landmark.vertex = static_cast<int>(vertex);
    for (int axis = 0; axis < 3; ++axis)
      landmark.position[axis] = meters_per_unit * reader.number(words[static_cast<std::size_t>(axis) + 1]);
  }
  return landmarks;
}

}  // namespace

TrackPoses read_track(const Scene& scene, const scene::Track& track, const FrameRange& shot,
                      const TriangleMesh& rest, ShotWarnings& warnings) {
  TrackPoses read{track.frames.value_or(shot), {}};
  const CacheRequest request{.role = "[[track]] cache",
                             .kind = CacheFrames::kShot,
                             .frames = read.frames,
                             .first_sample = shot.first};
  const MeshCache cache = read_shot_cache(scene, track.cache, request, warnings);
  check_same_mesh(scene, track.cache, request.role, cache.header.mesh, rest);
  for (const CacheFrame& frame : cache.frames) read.poses.push_back(frame.positions);
  return read;
}

std::vector<int> counted_frames(const scene::Track& track, const FrameRange& shot) {
  const FrameRange range = track.frames.value_or(shot);
  std::vector<int> frames;
  for (int frame = range.first; frame <= range.last; frame += track.every)
    if (frame > shot.first) frames.push_back(frame);
  return frames;
}

std::shared_ptr<const TargetSurface> read_surface(const Scene& scene, const scene::FilePath& file,
                                                  const TriangleMesh& rest, const VecX& weight,
                                                  double max_angle, ShotWarnings& warnings) {
  TriangleMesh target = read_shot_cache(scene, file, {.role = "[[keyframe]] surface"}, warnings).header.mesh;
  if (target.vertex_count() == 0) {
    throw InputError(
        fmt::format("{}: [[keyframe]] surface: {} has no points; expected triangles, or points alone",
                    file.source.where(), file.value.string()));
  }
  if (!rest.triangles.empty() && target.triangles == rest.triangles)
    warnings.push_back(fmt::format(
        "{}: [[keyframe]] surface: found {}, which has the cloth's own triangles, and lets every vertex lie "
        "anywhere on it; mesh in place of surface has each at its own place, and is met more often",
        file.source.where(), file.value.filename().string()));
  const SurfaceExtent extent = extent_for(target, rest, weight);
  return std::make_shared<const TargetSurface>(std::move(target), rest.triangles, max_angle, extent);
}

std::vector<scene::Landmark> read_landmarks(
    const Scene& scene, const Sourced<std::variant<std::vector<scene::Landmark>, scene::FilePath>>& source,
    int vertex_count) {
  const auto* file = std::get_if<scene::FilePath>(&source.value);
  std::vector<scene::Landmark> landmarks = file ? NamedFile{*file, "[[keyframe]] landmarks"}.read([&] {
    return read_landmarks(file->value, scene.shot.meters_per_unit);
  })
                                                : std::get<std::vector<scene::Landmark>>(source.value);
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw InputError(fmt::format("{}: [[keyframe]] landmarks: found {}; expected {}", source.source.where(),
                                 found, expected));
  };
  if (landmarks.empty()) refuse("none", "one or more");
  std::set<int> seen;
  for (const scene::Landmark& landmark : landmarks) {
    if (landmark.vertex >= vertex_count)
      refuse(fmt::format("vertex {}", landmark.vertex),
             fmt::format("0 to {}, counted from 0", vertex_count - 1));
    if (!seen.insert(landmark.vertex).second)
      refuse(fmt::format("vertex {} twice", landmark.vertex), "each vertex once");
  }
  return landmarks;
}

}  // namespace keydrape
