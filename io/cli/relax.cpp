#include "core/inspect/relax.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/inspect/overlap.h"
#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/cli/log.h"
#include "io/cli/posed_scene.h"
#include "io/file/counted.h"
#include "io/file/file.h"
#include "io/file/interrupt.h"
#include "io/file/json_text.h"
#include "io/file/short_number.h"
#include "io/formats/named_file.h"
#include "io/formats/write_cache.h"
#include "io/shot/reach_text.h"
#include "io/shot/shot.h"
#include "io/shot/start.h"

namespace keydrape {
namespace {

// Forces that are left at the end, over the cloth's weight: so small that they move the cloth by
// less than anybody sees.
constexpr double kRelaxTolerance = 1e-3;
// Of how far the pose is from the start: so much taken back is told.
constexpr double kMuch = 0.5;

nlohmann::ordered_json strain_json(const StrainFigures& strain) {
  return {{"stretch", strain.stretch.strain},
          {"stretch_99", strain.stretch_99},
          {"squeeze", strain.squeeze.strain},
          {"squeeze_99", strain.squeeze_99},
          {"felt_99", strain.felt_99},
          {"area_beyond", strain.beyond},
          {"limit", strain.limit}};
}

nlohmann::ordered_json relax_json(const RelaxResult& result, int frame) {
  constexpr const char* kStarts[] = {"pose", "repaired", "start"};
  return {{"status", result.is_settled ? "done" : "failed"},
          {"relaxed", result.is_relaxed},
          {"frame", frame},
          {"asked_rms_m", result.asked},
          {"moved_rms_m", result.rms},
          {"moved_max_m", result.farthest},
          {"moved_vertex", result.farthest_vertex},
          {"before", strain_json(result.before)},
          {"after", strain_json(result.after)},
          {"began_with", kStarts[static_cast<int>(result.start)]},
          {"pulls", result.pulls},
          {"newton_iterations", result.newton_iterations}};
}

std::string relax_words(const TriangleMesh& rest, const RelaxResult& result) {
  const std::string_view begins = result.start == RelaxStart::kPose ? ""
                                  : result.start == RelaxStart::kRepaired
                                      ? "began with the pose pushed out of bodies and itself\n"
                                      : "began with the cloth's start: the pose cannot be repaired nearby\n";
  const std::string moved =
      result.farthest_vertex < 0
          ? "did not move"
          : fmt::format("moved {} mm RMS, at most {} mm, at {}", short_number(1e3 * result.rms),
                        short_number(1e3 * result.farthest), vertex_in_words(rest, result.farthest_vertex));
  return fmt::format("{}{}; the pose is {} mm RMS from where the cloth begins\nbefore: {}\nafter:  {}\n",
                     begins, moved, short_number(1e3 * result.asked), strain_in_words(rest, result.before),
                     strain_in_words(rest, result.after));
}

// Of a vertex that pins hold: what is nearer is where the pose has it. As of a keyframe without tolerance.
constexpr double kElsewhere = 1e-3;  // [m]

// The vertices that pins hold elsewhere than the pose has them, in words; empty: there are none.
std::string held_elsewhere(const Shot& shot, const VecX& pose, const VecX& relaxed, double time) {
  const std::vector<char> held = held_vertices(shot.task().cloth, time);
  int count = 0, vertex = -1;
  double farthest = kElsewhere;
  for (int i = 0; i < shot.rest().vertex_count(); ++i) {
    const double distance = (relaxed - pose).segment<3>(3 * static_cast<Eigen::Index>(i)).norm();
    if (!held[static_cast<std::size_t>(i)] || distance <= kElsewhere) continue;
    ++count;
    if (distance <= farthest) continue;
    farthest = distance;
    vertex = i;
  }
  if (count == 0) return "";
  return fmt::format("pins hold {} elsewhere than the pose has {}, {} even {} m away",
                     counted(count, "vertex", "vertices"), count == 1 ? "it" : "them",
                     vertex_in_words(shot.rest(), vertex), short_number(farthest));
}

// What is doubtful in the relaxed pose. `held`: as held_elsewhere says it.
void warn_of_result(const std::filesystem::path& file, const RelaxResult& result, const std::string& held,
                    int frame) {
  const bool was_cloth = result.before.felt_99 <= result.before.limit;
  if (!held.empty())
    log_warning(
        "{}: {}, as they stand at frame {}, and what is strained or taken back around them is their doing; "
        "pose these vertices where the pins are, release them, or choose another --frame",
        file.string(), held, frame);
  if (result.rms > kMuch * result.asked && (held.empty() || !was_cloth))
    log_warning(
        "{}: of the {} mm RMS that the pose is from where the cloth begins, {} are taken back: little of "
        "what it asks for is left; pose it with folds in place of stretch",
        file.string(), short_number(1e3 * result.asked), short_number(1e3 * result.rms));
  if (!result.is_relaxed && held.empty())
    log_warning(
        "{} is still strained: pins or bodies hold it, or its folds are finer than its mesh; release them, "
        "or pose it with wider folds",
        file.string());
}

// The file to be written. Refuses before the work is done rather than after it.
std::filesystem::path output_file(const PoseArguments& arguments, const std::filesystem::path& rest,
                                  int frame, const CommonOptions& options) {
  const std::filesystem::path& path = arguments.output;
  const std::vector<std::filesystem::path> files = written_files(path, {frame, frame});
  refuse_to_write_over(arguments.pose, "POSE", files);
  refuse_to_write_over(rest, "the mesh at rest", files);
  if (!options.force) refuse_to_replace(files);
  const std::filesystem::path folder = files.front().parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    throw InputError(fmt::format("{}: there is no folder {}; expected one that exists; make it first",
                                 path.string(), folder.string()));
  return files.front();
}

void write_pose(const std::filesystem::path& path, const Shot& shot, UpAxis up_axis, int frame,
                const VecX& x) {
  MeshCache cache;
  cache.header.first_frame = frame;
  cache.header.mesh = shot.rest();
  cache.header.space = {1.0, up_axis};
  cache.frames.push_back({x, {}});
  change_space(cache, {shot.meters_per_unit, up_axis});
  write_cache(path, cache);
}

}  // namespace

ExitCode relax(const PoseArguments& arguments, const CommonOptions& options) {
  const PosedScene posed = posed_scene("relax", arguments);
  const Scene& scene = posed.scene;
  const int frame = asked_frame("relax", arguments, posed);
  const std::filesystem::path output = output_file(arguments, scene.cloth.rest.value, frame, options);
  Shot shot = open_shot(scene);
  const scene::FilePath file = {std::filesystem::absolute(arguments.pose), {"relax", 0, 0, false}};
  const VecX pose = read_pose(scene, file, "POSE", shot.rest(), shot.warnings);
  log_warnings(shot.warnings);
  refuse_another_size(arguments.pose.string(), edge_share(shot.rest().triangles, pose, shot.start().x));
  if (!arguments.scene.empty())
    log_info("{}: pins and bodies stand as at frame {}", scene.source.file, frame);
  RelaxOptions how;
  how.drape = drape_options(scene, shot.clock);
  how.drape.time = shot.clock.time_of_frame(frame);
  how.drape.tolerance = kRelaxTolerance;
  Progress progress(options.progress, options.quiet);
  const RelaxResult result =
      relax(shot.task().cloth, pose, shot.start().x, how, [&](const DrapeResult& so_far) {
        progress.update(fmt::format("round {}, forces of {} of the weight are left", so_far.rounds,
                                    short_number(so_far.residual, 2)));
        return !interrupt_requested();
      });
  progress.clear();
  if (interrupt_requested()) throw Interrupted{};
  write_pose(arguments.output, shot, scene.shot.up_axis, frame, result.x);
  print_text(options.json ? json_text(relax_json(result, frame), 2) + "\n"
                          : relax_words(shot.rest(), result) + output.string() + "\n");
  const std::string held = held_elsewhere(shot, pose, result.x, how.drape.time);
  if (!result.is_settled) {
    log_error("{} is as far as it got: the cloth did not come to rest; {}", output.string(),
              held.empty() ? "a softer fabric may" : held + ": pose these vertices where the pins are");
    return ExitCode::kFailed;
  }
  warn_of_result(output, result, held, frame);
  return ExitCode::kDone;
}

}  // namespace keydrape
