#include "io/shot_motion.h"

#include <fmt/format.h>

#include "core/error.h"
#include "io/npy.h"
#include "io/obj_sequence.h"
#include "io/pc2.h"

namespace keydrape {
namespace {

[[noreturn]] void refuse(const scene::FilePath& file, const std::string& found, const std::string& expected,
                         const std::string& remedy) {
  throw InputError(fmt::format("{}: motion: {} {}; expected {}; {}", file.source.where(), file.value.string(),
                               found, expected, remedy));
}

// Samples as the file has them.
struct Cache {
  int point_count;
  std::vector<VecX> samples;
};

Cache open_pc2(const scene::FilePath& file, ShotWarnings& warnings) {
  PointCache cache = read_pc2(file.value);
  if (cache.rate != 1.0) {
    warnings.push_back(
        fmt::format("{}: motion: {} says one sample every {} frames; it is read as one sample a frame",
                    file.source.where(), file.value.string(), cache.rate));
  }
  return {cache.point_count, std::move(cache.samples)};
}

Cache open_npy(const scene::FilePath& file) {
  const NpyArray array = read_npy(file.value);
  if (array.shape.size() != 3 || array.shape[2] != 3 || array.shape[0] == 0) {
    refuse(file, fmt::format("has shape ({})", fmt::join(array.shape, ", ")), "(frames, points, 3)",
           "save positions, one array a frame");
  }
  Cache cache{static_cast<int>(array.shape[1]), {}};
  for (std::int64_t f = 0; f < array.shape[0]; ++f)
    cache.samples.push_back(array.values.segment(f * 3 * cache.point_count, 3 * cache.point_count));
  return cache;
}

Cache open_obj_sequence(const FramePattern& pattern, const FrameRange& frames) {
  ObjSequence sequence = read_obj_sequence(pattern, frames);
  return {sequence.mesh.vertex_count(), std::move(sequence.samples)};
}

}  // namespace

MotionTrack open_motion(const Scene& scene, const scene::FilePath& file, const ShotClock& clock,
                        const MotionRequest& request, ShotWarnings& warnings) {
  const FrameRange frames{clock.frames.first, request.last_frame};
  double unit = scene.shot.meters_per_unit;
  Cache cache;
  const bool is_sequence = !std::filesystem::exists(file.value);  // a file may have '#' in its name
  if (const auto pattern = FramePattern::parse(file.value); pattern && is_sequence) {
    cache = open_obj_sequence(*pattern, frames);
  } else if (file.value.extension() == ".pc2") {
    cache = open_pc2(file, warnings);
  } else if (file.value.extension() == ".npy") {
    cache = open_npy(file);
    unit = 1.0;
  } else {
    refuse(file, "is of an unknown format", "a .pc2 or .npy cache, or name.####.obj",
           "export the motion as one of them");
  }

  const int wanted = static_cast<int>(request.vertices.size());
  const bool whole_cloth = cache.point_count == request.vertex_count;
  if (!whole_cloth && cache.point_count != wanted) {
    refuse(file, fmt::format("has {} points", cache.point_count),
           fmt::format("{}, one for each vertex of the cloth, or {}, one for each pinned vertex",
                       request.vertex_count, wanted),
           "export it from this very mesh");
  }
  if (static_cast<int>(cache.samples.size()) < frames.count()) {
    refuse(file, fmt::format("has {} samples", cache.samples.size()),
           fmt::format("{}, one a frame from {} to {}", frames.count(), frames.first, frames.last),
           "export the whole range");
  }

  MotionTrack track{{}, 1.0 / clock.fps};
  for (int f = 0; f < frames.count(); ++f) {
    VecX sample(3 * wanted);
    for (int k = 0; k < wanted; ++k)
      sample.segment<3>(3 * k) =
          unit * cache.samples[f].segment<3>(3 * (whole_cloth ? request.vertices[k] : k));
    track.samples.push_back(std::move(sample));
  }
  return track;
}

}  // namespace keydrape
