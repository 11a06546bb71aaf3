#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "io/cache/space_change.h"
#include "io/cache/vertex_normals.h"
#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/cli/log.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/formats/format.h"
#include "io/formats/mdd.h"
#include "io/formats/named_file.h"
#include "io/formats/obj_sequence.h"
#include "io/formats/ply/ply.h"
#include "io/formats/read_cache.h"
#include "io/formats/write_cache.h"
#include "io/perform/read_runs.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

// "1001-1024", or one frame.
std::optional<FrameRange> parse_frames(const std::string& text) {
  if (text.empty()) return {};
  if (const auto range = parse_frame_range(text)) return range;
  int frame = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), frame);
  if (error == std::errc() && end == text.data() + text.size() && frame >= 0 && frame <= kMaxFrame)
    return FrameRange{frame, frame};
  throw InputError(
      fmt::format("--frames: found '{}'; expected frames such as 1001-1024, or one; correct it", text));
}

// IN, and which of its frames, where it is named as scenes name a frame: "cache.pc2@1030". Which is first or
// last its file alone knows.
std::optional<FrameChoice> take_frame_from_name(ConvertArguments& arguments) {
  std::optional<FrameChoice> choice = split_frame(arguments.in);
  if (!choice) return {};
  if (!arguments.frames.empty())
    throw InputError(fmt::format("{}: names a frame beside --frames {}; expected one of the two",
                                 arguments.in.string(), arguments.frames));
  arguments.in = choice->file;
  if (choice->which != FrameChoice::Which::kNumber) return choice;
  arguments.frames = std::to_string(choice->frame);
  return {};
}

ReadCacheOptions read_options(const ConvertArguments& arguments, std::vector<std::string>& warnings) {
  ReadCacheOptions options;
  options.meters_per_unit = arguments.from_meters_per_unit;
  options.up_axis = arguments.from_up_axis;
  add_what_run_says(arguments.in, options);
  options.fps = arguments.fps.value_or(options.fps);
  options.first_frame = arguments.first_frame.value_or(options.first_frame);
  // Else they are renumbered first.
  if (!arguments.first_frame) options.frames = parse_frames(arguments.frames);
  options.warnings = &warnings;
  return options;
}

// None: frames do not lie in a file each.
std::optional<FramePattern> pattern_of(const fs::path& path) {
  return traits(format_of(path)).one_frame_a_file ? FramePattern::parse(path) : std::nullopt;
}

bool are_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return short_path(a) == short_path(b) || fs::equivalent(a, b, error);
}

// Gives the first frame another number, then picks from the new ones.
void renumber(MeshCache& cache, const ConvertArguments& arguments) {
  cache.header.first_frame = *arguments.first_frame;
  const std::optional<FrameRange> frames = parse_frames(arguments.frames);
  if (!frames) {
    const int last = cache.header.frames().last;
    if (last <= kMaxFrame) return;
    throw InputError(fmt::format(
        "{}: would end with frame {} with --first-frame {}; expected frames up to {}, which files "
        "can be numbered by; choose a smaller number",
        arguments.in.string(), last, *arguments.first_frame, kMaxFrame));
  }
  if (!cache.header.frames().contains(*frames)) {
    throw InputError(fmt::format(
        "{}: has frames {} with --first-frame {}; expected {}; choose frames that it has",
        arguments.in.string(), cache.header.frames().text(), *arguments.first_frame, frames->text()));
  }
  keep_frames(cache, *frames);
}

// What no name of a file, or no time in it, can say.
void refuse_negative(const fs::path& out, int first_frame) {
  const Format format = format_of(out);
  if (first_frame >= 0 || !(pattern_of(out) || format == Format::kMdd || format == Format::kPvd)) return;
  throw InputError(fmt::format(
      "{}: would begin with frame {}; expected frames from 0 on there; renumber them with --first-frame",
      out.string(), first_frame));
}

// Frames that follow one another faster, or more slowly: what was recorded with them moves as they do.
void set_frame_rate(MeshCache& cache, double fps) {
  const double faster = fps / cache.header.fps;
  cache.header.fps = fps;
  for (std::size_t k = 0; k < cache.header.fields.size(); ++k)
    if (is_velocity(cache.header.fields[k]))
      for (CacheFrame& frame : cache.frames) frame.fields[k] *= faster;
}

// Velocities for a format that has a place for them: central differences, at the ends one-sided.
void add_velocities(MeshCache& cache) {
  const auto n = static_cast<std::ptrdiff_t>(cache.frames.size());
  if (n < 2) return;
  for (const FieldHeader& field : cache.header.fields)
    if (is_velocity(field)) return;
  for (std::ptrdiff_t f = 0; f < n; ++f) {
    const std::ptrdiff_t before = std::max<std::ptrdiff_t>(f - 1, 0), behind = std::min(f + 1, n - 1);
    const auto x = [&](std::ptrdiff_t i) -> const VecX& {
      return cache.frames[static_cast<std::size_t>(i)].positions;
    };
    cache.frames[static_cast<std::size_t>(f)].fields.push_back(
        (x(behind) - x(before)) * (cache.header.fps / static_cast<double>(behind - before)));
  }
  cache.header.fields.push_back({kVelocityField, FieldPlace::kVertex, 3, true});
}

// The space of OUT: as asked, as the format has it, or as IN has it.
Space target_space(const ConvertArguments& arguments, const Space& in) {
  const Space asked{arguments.meters_per_unit.value_or(in.meters_per_unit),
                    arguments.up_axis.value_or(in.up_axis)};
  const Space written = written_space(arguments.out, asked);
  if ((arguments.meters_per_unit && written.meters_per_unit != asked.meters_per_unit) ||
      (arguments.up_axis && written.up_axis != asked.up_axis)) {
    throw InputError(
        fmt::format("{}: a {} file is in metres{}; found another unit or axis for it; leave "
                    "--meters-per-unit or --up-axis out",
                    arguments.out.string(), traits(format_of(arguments.out)).name,
                    written.up_axis != asked.up_axis ? " and has Y up" : ""));
  }
  return written;
}

// What OUT will be read with where it says nothing itself.
ReadCacheOptions what_readers_take(const fs::path& out) {
  ReadCacheOptions options;
  add_what_run_says(out, options);
  return options;
}

// Unit and axis, where whoever reads OUT takes others.
void add_lost_space(const Space& space, const fs::path& out, std::vector<std::string>& lost) {
  if (traits(format_of(out)).has_space) return;
  const ReadCacheOptions taken = what_readers_take(out);
  if (space.meters_per_unit != taken.meters_per_unit.value_or(1.0)) lost.emplace_back("unit");
  if (space.up_axis != taken.up_axis.value_or(UpAxis::kY)) lost.emplace_back("up axis");
}

// A single frame passes at no rate, unless one is asked for.
bool loses_frame_rate(const CacheHeader& header, const ConvertArguments& arguments) {
  return !traits(format_of(arguments.out)).has_frame_rate && (header.frame_count > 1 || arguments.fps) &&
         header.fps != what_readers_take(arguments.out).fps;
}

// A frame that is picked by its number is told by that, unless it gets another one.
bool loses_frame_numbers(const CacheHeader& header, const ConvertArguments& arguments) {
  const FormatTraits& format = traits(format_of(arguments.out));
  if (format.one_frame_a_file ? pattern_of(arguments.out).has_value() : format.format != Format::kNpy)
    return false;
  const bool is_picked = header.frame_count == 1 && !arguments.frames.empty() && !arguments.first_frame;
  return !is_picked && header.first_frame != what_readers_take(arguments.out).first_frame;
}

// Where the times of an MDD file, in single precision, will be read as others than are meant.
std::optional<std::string> doubt_about_times(const CacheHeader& header, const fs::path& out) {
  if (format_of(out) != Format::kMdd) return {};
  constexpr double kSameRate = 5e-7;  // 23.976 and 24000/1001 are farther apart
  const ReadCacheOptions unsaid = what_readers_take(out);
  const MddCache written{header.vertex_count(), mdd_seconds(header.frames(), header.fps), {}};
  const auto [fps, first_frame] = written.frame_times({unsaid.fps, unsaid.first_frame});
  if (first_frame == header.first_frame && std::abs(fps / header.fps - 1.0) <= kSameRate) return {};
  return fmt::format(
      "{}: will be read as beginning with frame {} at {:.8g} fps, since its times leave no more to know; "
      "expected frame {} at {:.8g} fps; give --first-frame and --fps again where it is read, or write .usda",
      out.string(), first_frame, fps, header.first_frame, header.fps);
}

// What OUT has no place for, in words.
std::vector<std::string> losses(const MeshCache& cache, const ConvertArguments& arguments) {
  const fs::path& out = arguments.out;
  const FormatTraits& format = traits(format_of(out));
  std::vector<std::string> lost;
  const TriangleMesh& mesh = cache.header.mesh;
  for (const FieldHeader& field : cache.header.fields)
    if (!format.has_fields || (format.format == Format::kPly && !ply_has_place(field, cache.header.fields)))
      lost.push_back(field.name);
  if (!format.has_triangles && !mesh.triangles.empty()) lost.emplace_back("triangles");
  const bool keeps_uvs = format.format == Format::kObj || format.format == Format::kUsda ||
                         (format.format == Format::kGlb && uvs_of_vertices(mesh));
  if (format.has_triangles && !keeps_uvs && mesh.has_uvs()) lost.emplace_back("texture coordinates");
  if (format.has_triangles && format.format != Format::kObj && !mesh.groups.empty())
    lost.emplace_back("groups");
  if (format.has_triangles && format.format != Format::kObj && !mesh.lines.empty())
    lost.emplace_back("lines");
  add_lost_space(cache.header.space, out, lost);
  if (loses_frame_rate(cache.header, arguments)) lost.emplace_back("frame rate");
  if (loses_frame_numbers(cache.header, arguments)) lost.emplace_back("frame numbers");
  return lost;
}

const char* axis_name(UpAxis axis) { return axis == UpAxis::kY ? "Y" : "Z"; }

}  // namespace

ExitCode convert(const ConvertArguments& asked, const CommonOptions& options) {
  const Stopwatch total;
  ConvertArguments arguments = asked;
  const std::optional<FrameChoice> end = take_frame_from_name(arguments);
  format_to_write(arguments.out);  // before anything is read
  if (are_same_file(arguments.in, arguments.out))
    throw InputError(fmt::format("{}: is IN and OUT; expected another name for OUT", arguments.out.string()));
  std::vector<std::string> warnings;
  MeshCache cache = read_cache(arguments.in, read_options(arguments, warnings));
  if (arguments.fps) set_frame_rate(cache, *arguments.fps);
  if (arguments.first_frame) renumber(cache, arguments);
  if (end) {
    const int frame = end->frame_of(cache.header.frames());
    keep_frames(cache, {frame, frame});
    arguments.frames = std::to_string(frame);
  }
  if (!arguments.mesh.empty()) {
    ReadCacheOptions mesh_options;
    mesh_options.warnings = &warnings;
    give_mesh(cache, read_cache(arguments.mesh, mesh_options).header.mesh, arguments.in, arguments.mesh);
  }
  change_space(cache, target_space(arguments, cache.header.space));
  if (format_of(arguments.out) == Format::kUsda) add_velocities(cache);
  const std::vector<std::string> lost = losses(cache, arguments);
  if (!lost.empty())
    warnings.push_back(fmt::format("{}: has no place for {}", arguments.out.string(), fmt::join(lost, ", ")));
  if (const auto doubt = doubt_about_times(cache.header, arguments.out)) warnings.push_back(*doubt);
  log_warnings(warnings);
  const double read_s = total.seconds();

  refuse_negative(arguments.out, cache.header.first_frame);
  const std::vector<fs::path> files = written_files(arguments.out, cache.header.frames());
  refuse_to_write_over(arguments.in, "IN and OUT", files);
  if (!arguments.mesh.empty()) refuse_to_write_over(arguments.mesh, "the mesh", files);
  if (!options.force) refuse_to_replace(files);
  write_cache(arguments.out, cache);
  const std::string out = files.size() == 1 ? files.front().string() : arguments.out.string();
  log_info(
      "{}: frames {}, {} vertices, {} triangles, {} fps, {} m, {} up; read in {:.2f} s, written in {:.2f} s",
      out, cache.header.frames().text(), cache.header.vertex_count(), cache.header.mesh.triangle_count(),
      cache.header.fps, cache.header.space.meters_per_unit, axis_name(cache.header.space.up_axis), read_s,
      total.seconds() - read_s);
  const nlohmann::ordered_json json = {{"out", out},
                                       {"first_frame", cache.header.first_frame},
                                       {"frames", cache.header.frame_count},
                                       {"vertices", cache.header.vertex_count()},
                                       {"triangles", cache.header.mesh.triangle_count()},
                                       {"fps", cache.header.fps},
                                       {"meters_per_unit", cache.header.space.meters_per_unit},
                                       {"up_axis", axis_name(cache.header.space.up_axis)},
                                       {"lost", lost},
                                       {"warnings", warnings}};
  print_text(options.json ? json_text(json, 2) + "\n" : out + "\n");
  return ExitCode::kDone;
}

}  // namespace keydrape
