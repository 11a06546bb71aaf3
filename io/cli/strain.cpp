#include "core/inspect/strain.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/cli/log.h"
#include "io/cli/posed_scene.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/file/short_number.h"
#include "io/formats/named_file.h"
#include "io/formats/npy.h"
#include "io/formats/read_cache.h"
#include "io/shot/input/cache.h"
#include "io/shot/reach_json.h"
#include "io/shot/reach_text.h"
#include "io/shot/shot.h"

namespace keydrape {
namespace {

struct StrainOfFrame {
  int frame;  // of the pose
  StrainFigures figures;
};

// Poses in metres, and the frame at which what is around them stands.
struct Poses {
  MeshCache cache;
  int frame;  // of the first
};

// The pose, or all that the cache holds.
Poses read_poses(const PosedScene& posed, const PoseArguments& arguments, Shot& shot) {
  constexpr std::string_view kRole = "POSE";
  const scene::FilePath file = {std::filesystem::absolute(arguments.pose), {"strain", 0, 0, false}};
  const Scene& scene = posed.scene;
  MeshCache cache = read_shot_cache(scene, file, {.role = kRole, .kind = CacheFrames::kAll}, shot.warnings);
  check_same_mesh(scene, file, kRole, cache.header.mesh, shot.rest());
  if (cache.frames.size() > 1 && arguments.frame)
    throw InputError(fmt::format("strain: --frame is of a pose, and {} has {} frames; leave it out",
                                 arguments.pose.string(), cache.frames.size()));
  const int first = cache.header.first_frame;
  if (cache.frames.size() > 1) return {std::move(cache), first};
  const int asked = asked_frame("strain", arguments, posed);
  // A pose that names no frame is of the one that is asked for.
  if (!split_frame(arguments.pose)) cache.header.first_frame = asked;
  return {std::move(cache), asked};
}

// Measures each frame, and writes the map where one is asked for.
std::vector<StrainOfFrame> measure(const Shot& shot, const Poses& of, const std::filesystem::path& output) {
  const MeshCache& poses = of.cache;
  const StrainMeter meter(shot.task().cloth);
  const std::vector<char> none(static_cast<std::size_t>(shot.rest().vertex_count()), 0);
  std::optional<NpyWriter> writer;
  if (!output.empty()) writer.emplace(output, std::vector<std::int64_t>{shot.rest().vertex_count(), 6});
  std::vector<StrainOfFrame> strains;
  for (std::size_t k = 0; k < poses.frames.size(); ++k) {
    const int frame = poses.header.first_frame + static_cast<int>(k);
    const VecX& x = poses.frames[k].positions;
    const double time = shot.clock.time_of_frame(of.frame + static_cast<int>(k));
    strains.push_back({frame, meter.at(x, time, none)});
    if (writer) writer->append(meter.map(x, time).reshaped<Eigen::RowMajor>());
  }
  if (writer) writer->commit();
  return strains;
}

std::string strain_text(const TriangleMesh& rest, const std::vector<StrainOfFrame>& strains) {
  std::string text;
  for (const auto& [frame, figures] : strains)
    text += fmt::format("{}{}; {} as the fabric feels it\n",
                        strains.size() > 1 ? fmt::format("frame {}: ", frame) : "",
                        strain_in_words(rest, figures), area_in_words(figures));
  return text;
}

nlohmann::ordered_json strains_json(const TriangleMesh& rest, const std::vector<StrainOfFrame>& strains) {
  nlohmann::ordered_json json = {{"columns", kStrainColumns}, {"frames", nlohmann::ordered_json::array()}};
  for (const auto& [frame, figures] : strains)
    json["frames"].push_back({{"frame", frame}, {"strain", strain_json(rest, figures)}});
  return json;
}

}  // namespace

ExitCode strain(const PoseArguments& arguments, const CommonOptions& options) {
  const std::filesystem::path& output = arguments.output;
  if (!output.empty() && output.extension() != ".npy")
    throw InputError(fmt::format("strain: -o: found {}; expected a name that ends in .npy", output.string()));
  refuse_to_write_over(arguments.pose, "POSE", {output});
  if (!output.empty() && !options.force) refuse_to_replace({output});
  const PosedScene posed = posed_scene("strain", arguments);
  Shot shot = open_shot(posed.scene);
  const Poses poses = read_poses(posed, arguments, shot);
  log_warnings(shot.warnings);
  const std::vector<StrainOfFrame> strains = measure(shot, poses, output);
  print_text(options.json ? json_text(strains_json(shot.rest(), strains), 2) + "\n"
                          : strain_text(shot.rest(), strains));
  return ExitCode::kDone;
}

}  // namespace keydrape
