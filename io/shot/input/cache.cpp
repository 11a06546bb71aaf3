#include "io/shot/input/cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "io/file/short_number.h"
#include "io/formats/format.h"
#include "io/formats/obj_sequence.h"
#include "io/formats/read_cache.h"
#include "io/shot/input/named_file.h"

namespace keydrape {
namespace {

struct Refuser {
  const scene::FilePath& file;
  std::string_view role;

  [[noreturn]] void operator()(const std::string& found, const std::string& expected,
                               const std::string& remedy) const {
    throw InputError(fmt::format("{}: {}: {} {}; expected {}; {}", file.source.where(), role,
                                 file.value.string(), found, expected, remedy));
  }
};

bool is_sequence(const std::filesystem::path& path) {
  return !std::filesystem::exists(path) && FramePattern::parse(path);  // a file may have '#' in its name
}

// None: whoever reads the sequence says what is wrong with it.
std::optional<FrameRange> frame_in_sequence(const FrameChoice& choice) {
  if (choice.which == FrameChoice::Which::kNumber) return FrameRange{choice.frame, choice.frame};
  const std::vector<int> frames = FramePattern::parse(choice.file)->existing_frames();
  if (frames.empty()) return {};
  const int frame = choice.frame_of({frames.front(), frames.back()});
  return FrameRange{frame, frame};
}

MeshCache read_pose(const std::filesystem::path& file, ReadCacheOptions options, const Refuser& refuse) {
  if (const auto choice = split_frame(file)) {
    const std::filesystem::path& path = choice->file;
    if (is_sequence(path)) options.frames = frame_in_sequence(*choice);
    MeshCache cache = read_cache(path, options);
    const int frame = choice->frame_of(cache.header.frames());
    if (!cache.header.frames().contains(frame)) {
      refuse(
          "is not there",
          fmt::format("a frame of {}, which has {}", path.filename().string(), cache.header.frames().text()),
          "choose one of them behind the @");
    }
    keep_frames(cache, {frame, frame});
    return cache;
  }
  if (is_sequence(file)) refuse("is a sequence", "one frame", "choose it, as in name.####.obj@1030");
  MeshCache cache = read_cache(file, options);
  if (cache.header.frame_count > 1) {
    refuse(fmt::format("has frames {}", cache.header.frames().text()), "one frame",
           fmt::format("choose it, as in {}@{}", file.filename().string(), cache.header.first_frame));
  }
  return cache;
}

// The files of a sequence that are needed, and what is there without a gap before them.
FrameRange frames_there(const std::filesystem::path& file, const FrameRange& needed, int first) {
  const FramePattern pattern = FramePattern::parse(file).value();
  FrameRange there = needed;
  while (there.first > first && std::filesystem::exists(pattern.path(there.first - 1))) --there.first;
  return there;
}

// A layer of one pose says that it stays, at whatever time.
void hold_pose(const std::filesystem::path& file, MeshCache& cache, const FrameRange& frames,
               std::vector<std::string>& warnings) {
  warnings.push_back(
      fmt::format("{}: has one pose, which is held in all of frames {}", file.string(), frames.text()));
  cache.frames.resize(static_cast<std::size_t>(frames.count()), cache.frames[0]);
  cache.header.first_frame = frames.first;
  cache.header.frame_count = frames.count();
}

MeshCache read_motion(const std::filesystem::path& file, ReadCacheOptions options,
                      const CacheRequest& request, const Refuser& refuse) {
  const FrameRange& frames = request.frames;
  if (split_frame(file))
    refuse("is one frame", "a cache of the whole range", "leave out the @ and what follows");
  const bool goes_by_numbers = is_sequence(file) || format_of(file) == Format::kUsda;
  const FrameRange needed{goes_by_numbers ? request.needed_from.value_or(frames.first) : frames.first,
                          frames.last};
  if (is_sequence(file)) options.frames = frames_there(file, needed, frames.first);
  MeshCache cache = read_cache(file, options);
  if (!goes_by_numbers) cache.header.first_frame = request.first_sample.value_or(frames.first);
  if (format_of(file) == Format::kUsda && cache.header.frame_count == 1)
    hold_pose(file, cache, needed, *options.warnings);
  const FrameRange there = cache.header.frames();
  if (!there.contains(needed)) {
    if (goes_by_numbers)
      refuse(fmt::format("has frames {}", there.text()), fmt::format("frames {}", needed.text()),
             "export the whole range, with the shot's frame numbers");
    refuse(
        fmt::format("has {} samples", there.count()),
        fmt::format("{}, one a frame from {} to {}", frames.last - there.first + 1, there.first, frames.last),
        "export the whole range");
  }
  keep_frames(cache, {std::max(there.first, frames.first), frames.last});
  return cache;
}

// One sample is one of the shot's frames, whatever rate its file has.
void warn_of_frame_rate(const std::filesystem::path& file, const MeshCache& cache, double fps,
                        std::vector<std::string>& warnings) {
  constexpr double kSame = 0.005;  // 23.976 is 24 here
  const double faster = fps / cache.header.fps;
  if (cache.header.frame_count < 2 || std::abs(faster - 1.0) <= kSame) return;
  warnings.push_back(fmt::format(
      "{}: has {} frames a second where the shot has {}, and is read as one sample a frame, {} times "
      "as fast; export it at the shot's rate",
      file.string(), short_number(cache.header.fps, 6), short_number(fps, 6), short_number(faster)));
}

}  // namespace

MeshCache read_shot_cache(const Scene& scene, const scene::FilePath& file, const CacheRequest& request,
                          ShotWarnings& warnings) {
  const Refuser refuse{file, request.role};
  const auto choice = split_frame(file.value);
  const NamedFile named{file, request.role};
  const Format format = named.read([&] { return format_of(choice ? choice->file : file.value); });
  ReadCacheOptions options;
  if (format != Format::kUsda && format != Format::kNpy) options.meters_per_unit = scene.shot.meters_per_unit;
  if (format != Format::kUsda) options.up_axis = scene.shot.up_axis;
  options.fps = scene.shot.fps;
  options.first_frame = scene.shot.frames.first;
  options.keep_uvs = request.keep_uvs;
  ShotWarnings of_file;
  options.warnings = &of_file;
  MeshCache cache = named.read([&] {
    if (request.kind == CacheFrames::kShot) return read_motion(file.value, options, request, refuse);
    if (request.kind == CacheFrames::kAll && !choice) return read_cache(file.value, options);
    return read_pose(file.value, options, refuse);
  });
  if (request.kind != CacheFrames::kOne) warn_of_frame_rate(file.value, cache, scene.shot.fps, of_file);
  for (const std::string& warning : of_file) warnings.push_back(named.sentence(warning));
  change_space(cache, {1.0, scene.shot.up_axis});
  for (int i = 0; i < cache.header.vertex_count(); ++i)
    cache.header.mesh.positions[static_cast<std::size_t>(i)] = cache.frames[0].positions.segment<3>(3 * i);
  return cache;
}

}  // namespace keydrape
