#include "core/step/drape.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numbers>

#include "core/base/error.h"
#include "core/inspect/shadow.h"
#include "core/step/simulator.h"
#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/cli/log.h"
#include "io/file/file.h"
#include "io/file/interrupt.h"
#include "io/file/json_text.h"
#include "io/file/short_number.h"
#include "io/formats/named_file.h"
#include "io/formats/obj.h"
#include "io/shot/shot.h"
#include "io/shot/start.h"

namespace keydrape {
namespace {

constexpr const char* kMesh = "drape.obj";
constexpr const char* kSummary = "drape.json";

// Of a sample on a round table; nothing without one.
std::optional<double> coefficient(const DrapeArguments& arguments, double sample, double shadow) {
  if (!arguments.support_radius) return std::nullopt;
  const double support = std::numbers::pi * *arguments.support_radius * *arguments.support_radius;
  if (support >= sample)
    throw InputError(fmt::format(
        "--support-radius: found {} m, a table of {} m^2; expected one smaller than the sample, whose "
        "area is {} m^2",
        *arguments.support_radius, short_number(support), short_number(sample)));
  return drape_coefficient(shadow, sample, support);
}

nlohmann::ordered_json summary_json(const DrapeResult& result) {
  return {{"status", result.is_settled ? "done" : "failed"},
          {"residual", result.residual},
          {"rounds", result.rounds},
          {"newton_iterations", result.newton_iterations},
          {"farthest_m", result.farthest},
          {"farthest_vertex", result.farthest_vertex < 0 ? nlohmann::ordered_json()
                                                         : nlohmann::ordered_json(result.farthest_vertex)}};
}

// Of a cloth that is not at rest; `mesh`: where it is shown.
std::string why_not(const DrapeResult& result, const std::string& mesh) {
  if (result.has_failed())
    return fmt::format(
        "longer rounds fail, {}; {} is as far as the cloth got; try a larger max_newton_iterations in "
        "[solver], and see keydrape info MESH",
        reason(result.end), mesh);
  return fmt::format(
      "the cloth does not come to rest; {} is as far as it got; expected pins, bodies or friction to hold "
      "it, "
      "and no wind or pressure in which it flutters",
      mesh);
}

}  // namespace

ExitCode drape(const DrapeArguments& arguments, const CommonOptions& options) {
  Scene scene = read_scene(arguments.scene);
  scene.cloth.initial.is_drape = false;  // it begins with the rest mesh, and is draped here
  scene.cloth.initial.is_to_drape = true;
  const std::filesystem::path file = scene.source.file;
  const std::filesystem::path folder =
      arguments.folder.empty() ? file.parent_path() / (file.stem().string() + "_drape") : arguments.folder;
  const std::vector<std::filesystem::path> written = {folder / kMesh, folder / kSummary};
  refuse_to_write_over(scene.cloth.rest.value, "the mesh at rest", written);
  if (!options.force) refuse_to_replace(written);
  const Shot shot = open_shot(scene);
  log_warnings(shot.warnings);
  log_info("{}: {} vertices, {} triangles", scene.shot.name, shot.rest().vertex_count(),
           shot.rest().triangle_count());
  const double sample = surface_area(shot.rest().triangles, stacked(shot.rest().positions));
  coefficient(arguments, sample, sample);  // refuses a table that is too large before anything is done
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw OutputError(
        fmt::format("{}: cannot be made: {}; choose another folder (-o)", folder.string(), error.message()));
  Progress progress(options.progress, options.quiet);
  DrapeOptions how = drape_options(scene, shot.clock);
  how.exempt = shot.start().exempt;
  const Model model = build_model(minimised(shot.task().cloth));
  const DrapeResult result = drape(model, shot.start().x, how, [&](const DrapeResult& so_far) {
    progress.update(fmt::format("round {}, forces of {} of the weight are left", so_far.rounds,
                                short_number(so_far.residual, 2)));
    return !interrupt_requested();
  });
  progress.clear();
  if (interrupt_requested()) throw Interrupted{};
  nlohmann::ordered_json summary = summary_json(result);
  const Vec3 down = shot.model().gravity().at(0.0);
  const State at_rest{result.x, VecX::Zero(result.x.size()), result.exempt};
  const double energy = elastic_energy(model, at_rest, 1.0, 0.0);
  summary["elastic_J"] = energy;
  summary["sample_m2"] = sample;
  std::string words = fmt::format("{} rounds, {} Newton iterations; forces of {} of the weight are left\n",
                                  result.rounds, result.newton_iterations, short_number(result.residual, 2));
  words += result.farthest_vertex < 0 ? "no vertex has moved\n"
                                      : fmt::format("farthest vertex {}: moved by {} m\n",
                                                    result.farthest_vertex, short_number(result.farthest));
  if (down.squaredNorm() > 0.0) {
    const double shadow = shadow_area(shot.rest().triangles, result.x, down);
    summary["shadow_m2"] = shadow;
    words +=
        fmt::format("shadow {} m^2 of a sample of {} m^2", short_number(shadow, 4), short_number(sample, 4));
    if (const auto share = coefficient(arguments, sample, shadow)) {
      summary["drape_coefficient"] = *share;
      words += fmt::format("; drape coefficient {:.1f} %", 100 * *share);
    }
    words += "\n";
  }
  TriangleMesh draped = shot.rest();
  for (int i = 0; i < draped.vertex_count(); ++i)
    draped.positions[i] = result.x.segment<3>(3 * i) / shot.meters_per_unit;
  write_obj(folder / kMesh, draped);
  write_file_atomically(folder / kSummary, json_text(summary, 2) + "\n");
  print_text(options.json ? json_text(summary, 2) + "\n" : words + (folder / kMesh).string() + "\n");
  if (result.is_settled) return ExitCode::kDone;
  log_error("{}", why_not(result, (folder / kMesh).string()));
  return ExitCode::kFailed;
}

}  // namespace keydrape
