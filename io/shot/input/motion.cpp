#include "io/shot/input/motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "io/shot/input/cache.h"

namespace keydrape {
namespace {

[[noreturn]] void refuse(const scene::FilePath& file, const std::string& found, const std::string& expected,
                         const std::string& remedy) {
  throw InputError(fmt::format("{}: motion: {} {}; expected {}; {}", file.source.where(), file.value.string(),
                               found, expected, remedy));
}

// Which point of a cache of these vertices alone belongs to each of them.
std::vector<int> points_of(const MotionRequest& request) {
  std::vector<int> points(request.vertices.size());
  std::iota(points.begin(), points.end(), 0);
  if (!request.listed) return points;
  std::sort(points.begin(), points.end(), [&](int a, int b) {
    return (*request.listed)[static_cast<std::size_t>(a)] < (*request.listed)[static_cast<std::size_t>(b)];
  });
  return points;
}

}  // namespace

MotionTrack read_motion(const Scene& scene, const scene::FilePath& file, const ShotClock& clock,
                        const MotionRequest& request, ShotWarnings& warnings) {
  const FrameRange frames{clock.frames.first, request.last_frame};
  const MeshCache cache = read_shot_cache(
      scene, file,
      {.role = "motion", .kind = CacheFrames::kShot, .frames = frames, .needed_from = request.first_frame},
      warnings);
  const int wanted = static_cast<int>(request.vertices.size());
  const bool whole_cloth = cache.header.vertex_count() == request.vertex_count;
  if (!whole_cloth && cache.header.vertex_count() != wanted) {
    refuse(file, fmt::format("has {} points", cache.header.vertex_count()),
           wanted == request.vertex_count
               ? fmt::format("{}, one for each vertex of the mesh", wanted)
               : fmt::format("{}, one for each vertex of the cloth, or {}, one for each pinned vertex",
                             request.vertex_count, wanted),
           "export it from this very mesh");
  }
  const std::vector<Triangle>& triangles = cache.header.mesh.triangles;
  if (request.triangles && !triangles.empty() && triangles != *request.triangles) {
    warnings.push_back(fmt::format(
        "{}: motion: {} has other triangles than its mesh, whose own are taken; if the body looks torn, the "
        "order of their vertices differs: take both from one file",
        file.source.where(), file.value.string()));
  }
  const std::vector<int> points = whole_cloth ? request.vertices : points_of(request);
  MotionTrack track{{}, 1.0 / clock.fps};
  for (const CacheFrame& frame : cache.frames) {
    VecX sample(3 * wanted);
    for (int k = 0; k < wanted; ++k)
      sample.segment<3>(3 * k) = frame.positions.segment<3>(3 * points[static_cast<std::size_t>(k)]);
    track.samples.push_back(std::move(sample));
  }
  const int missing = cache.header.first_frame - frames.first;
  const VecX first = track.samples.front();
  track.samples.insert(track.samples.begin(), static_cast<std::size_t>(missing), first);
  return track;
}

}  // namespace keydrape
