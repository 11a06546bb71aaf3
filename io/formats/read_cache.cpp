#include "io/formats/read_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "core/base/error.h"
#include "io/formats/format.h"
#include "io/formats/mdd.h"
#include "io/formats/npy.h"
#include "io/formats/obj.h"
#include "io/formats/obj_sequence.h"
#include "io/formats/pc2.h"
#include "io/formats/ply/ply.h"
#include "io/formats/usda/usda.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

MeshCache points_alone(std::vector<VecX> samples) {
  MeshCache cache;
  for (Eigen::Index i = 0; i < samples[0].size(); i += 3)
    cache.header.mesh.positions.emplace_back(samples[0].segment<3>(i));
  cache.header.frame_count = static_cast<int>(samples.size());
  for (VecX& sample : samples) cache.frames.push_back({std::move(sample), {}});
  return cache;
}

MeshCache read_pc2_cache(const fs::path& path, const ReadCacheOptions& options) {
  PointCache file = read_pc2(path);
  if (options.warnings && file.rate != 1.0) {
    options.warnings->push_back(fmt::format(
        "{}: says one sample every {} frames; it is read as one sample a frame", path.string(), file.rate));
  }
  const bool on_frame = file.start == std::floor(file.start) && std::abs(file.start) <= kMaxFrame;
  if (options.warnings && !on_frame) {
    options.warnings->push_back(fmt::format("{}: begins at frame {}, which is no whole frame; {} is taken",
                                            path.string(), file.start, options.first_frame));
  }
  MeshCache cache = points_alone(std::move(file.samples));
  cache.header.first_frame = on_frame ? static_cast<int>(file.start) : options.first_frame;
  cache.header.fps = options.fps;
  return cache;
}

MeshCache read_mdd_cache(const fs::path& path, const ReadCacheOptions& options) {
  MddCache file = read_mdd(path);
  const FrameTimes times = file.frame_times({options.fps, options.first_frame});
  MeshCache cache = points_alone(std::move(file.samples));
  cache.header.fps = times.fps;
  cache.header.first_frame = times.first_frame;
  return cache;
}

MeshCache read_npy_cache(const fs::path& path, const ReadCacheOptions& options) {
  const NpyArray array = read_npy(path);
  const bool one_frame = array.shape.size() == 2;
  if (array.shape.size() < 2 || array.shape.back() != 3 || array.values.size() == 0) {
    throw InputError(
        fmt::format("{}: has shape ({}); expected (frames, points, 3) or (points, 3); save positions, one "
                    "array a frame",
                    path.string(), fmt::join(array.shape, ", ")));
  }
  const Eigen::Index size = 3 * array.shape[one_frame ? 0 : 1];
  std::vector<VecX> samples;
  for (Eigen::Index begin = 0; begin < array.values.size(); begin += size)
    samples.push_back(array.values.segment(begin, size));
  MeshCache cache = points_alone(std::move(samples));
  cache.header.fps = options.fps;
  cache.header.first_frame = options.first_frame;
  return cache;
}

// One file, one frame.
MeshCache read_mesh_frame(const fs::path& path, int frame, const ReadCacheOptions& options) {
  if (format_of(path) == Format::kPly)
    return read_ply(path, {.frame = frame, .keep_uvs = options.keep_uvs, .warnings = options.warnings});
  MeshCache cache;
  cache.header.mesh = read_obj(path, {.keep_uvs = options.keep_uvs, .warnings = options.warnings});
  cache.header.first_frame = frame;
  cache.frames.push_back({stacked(cache.header.mesh.positions), {}});
  return cache;
}

FrameRange frames_of_sequence(const fs::path& path, const FramePattern& pattern,
                              const ReadCacheOptions& options) {
  if (options.frames) return *options.frames;
  const std::vector<int> frames = pattern.existing_frames();
  if (frames.empty()) {
    throw InputError(fmt::format(
        "{}: there is no file of this name, and no file of this sequence; expected for example {}; check "
        "the name and the folder",
        path.string(), pattern.path(1001).filename().string()));
  }
  for (std::size_t i = 1; i < frames.size(); ++i) {
    if (frames[i] == frames[i - 1] + 1) continue;
    throw InputError(
        fmt::format("{}: is missing, between frames {} and {}; expected one file a frame; export it, or "
                    "choose frames with --frames",
                    pattern.path(frames[i - 1] + 1).string(), frames[i - 1], frames[i]));
  }
  return {frames.front(), frames.back()};
}

MeshCache read_sequence(const fs::path& path, const FramePattern& pattern, const ReadCacheOptions& options) {
  const FrameRange frames = frames_of_sequence(path, pattern, options);
  MeshCache cache = read_mesh_frame(pattern.path(frames.first), frames.first, options);
  ReadCacheOptions others = options;
  others.keep_uvs = false;
  others.warnings = nullptr;  // the first file has said it
  for (int frame = frames.first + 1; frame <= frames.last; ++frame) {
    MeshCache next = read_mesh_frame(pattern.path(frame), frame, others);
    if (next.header.vertex_count() != cache.header.vertex_count() ||
        next.header.mesh.triangles != cache.header.mesh.triangles ||
        next.header.fields != cache.header.fields) {
      throw InputError(fmt::format(
          "{}: has {} vertices and {} triangles, or others than frame {}, which has {} and {}, "
          "or other properties; expected the same mesh in every frame; export all frames from "
          "one mesh",
          pattern.path(frame).string(), next.header.vertex_count(), next.header.mesh.triangle_count(),
          frames.first, cache.header.vertex_count(), cache.header.mesh.triangle_count()));
    }
    cache.frames.push_back(std::move(next.frames[0]));
  }
  cache.header.frame_count = frames.count();
  return cache;
}

MeshCache read_by_format(const fs::path& path, const ReadCacheOptions& options) {
  const Format format = format_of(path);
  switch (format) {
    case Format::kPc2:
      return read_pc2_cache(path, options);
    case Format::kMdd:
      return read_mdd_cache(path, options);
    case Format::kNpy:
      return read_npy_cache(path, options);
    case Format::kUsda:
      return read_usda(path, options.warnings);
    case Format::kObj:
    case Format::kPly:
      break;
    default:
      throw InputError(
          fmt::format("{}: {} is only written, not read; expected one of {}; convert the cache that it was "
                      "made from",
                      path.string(), traits(format).name, extensions_read()));
  }
  if (!fs::exists(path))  // a file may have '#' in its name
    if (const auto pattern = FramePattern::parse(path)) return read_sequence(path, *pattern, options);
  return read_mesh_frame(path, options.first_frame, options);
}

// Fills in what the file does not say, and refuses what contradicts it.
void settle_space(const fs::path& path, const ReadCacheOptions& options, Space& space) {
  const Format format = format_of(path);
  const bool says_unit = format == Format::kUsda || format == Format::kNpy,
             says_axis = format == Format::kUsda;
  if (says_unit && options.meters_per_unit && *options.meters_per_unit != space.meters_per_unit) {
    throw InputError(fmt::format("{}: is in units of {} m; found {} for it; leave that out", path.string(),
                                 space.meters_per_unit, *options.meters_per_unit));
  }
  if (says_axis && options.up_axis && *options.up_axis != space.up_axis) {
    throw InputError(
        fmt::format("{}: has {} up, by its own metadata; found the other axis for it; leave that out",
                    path.string(), space.up_axis == UpAxis::kY ? "Y" : "Z"));
  }
  if (!says_unit) space.meters_per_unit = options.meters_per_unit.value_or(1.0);
  if (!says_axis) space.up_axis = options.up_axis.value_or(UpAxis::kY);
}

}  // namespace

MeshCache read_cache(const fs::path& path, const ReadCacheOptions& options) {
  MeshCache cache = read_by_format(path, options);
  if (!traits(format_of(path)).has_frame_rate) cache.header.fps = options.fps;
  settle_space(path, options, cache.header.space);
  if (!options.frames) return cache;
  if (!cache.header.frames().contains(*options.frames)) {
    throw InputError(
        fmt::format("{}: has frames {}; expected {}; choose frames that it has, or export more of them",
                    path.string(), cache.header.frames().text(), options.frames->text()));
  }
  keep_frames(cache, *options.frames);
  return cache;
}

void give_mesh(MeshCache& cache, const TriangleMesh& mesh, const fs::path& cache_name, const fs::path& name) {
  if (mesh.vertex_count() != cache.header.vertex_count()) {
    throw InputError(
        fmt::format("{}: has {} points, and {} has {} vertices; expected the same number; give the mesh "
                    "that the cache was made from",
                    cache_name.string(), cache.header.vertex_count(), name.string(), mesh.vertex_count()));
  }
  if (!cache.header.mesh.triangles.empty() && cache.header.mesh.triangles != mesh.triangles) {
    throw InputError(
        fmt::format("{}: has other triangles than {}; expected the same; leave the mesh out, or give the "
                    "one that the cache was made from",
                    cache_name.string(), name.string()));
  }
  std::vector<Vec3> positions = std::move(cache.header.mesh.positions);
  cache.header.mesh = mesh;
  cache.header.mesh.positions = std::move(positions);
}

int FrameChoice::frame_of(const FrameRange& frames) const {
  if (which == Which::kNumber) return frame;
  return which == Which::kFirst ? frames.first : frames.last;
}

std::optional<FrameChoice> split_frame(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::size_t at = name.rfind('@');
  if (at == std::string::npos || at == 0 || at + 1 == name.size() || fs::exists(path)) return {};
  const fs::path file = path.parent_path() / name.substr(0, at);
  const std::string_view word = std::string_view(name).substr(at + 1);
  if (word == "first") return FrameChoice{file, FrameChoice::Which::kFirst, 0};
  if (word == "last") return FrameChoice{file, FrameChoice::Which::kLast, 0};
  int frame = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + at + 1, end, frame);
  if (error != std::errc() || stop != end) return {};
  return FrameChoice{file, FrameChoice::Which::kNumber, frame};
}

}  // namespace keydrape
