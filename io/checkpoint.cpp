#include "io/checkpoint.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.h"
#include "io/file.h"
#include "io/npy.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& found) {
  throw InputError(
      fmt::format("{}: {}; solve without --resume (and with --force) to start again", file.string(), found));
}

}  // namespace

void write_checkpoint(const RunFolder& folder, const Checkpoint& checkpoint) {
  Json uncontrolled = Json::array();
  for (const KeyframeMiss& miss : checkpoint.uncontrolled)
    uncontrolled.push_back({{"rms_m", miss.rms}, {"max_m", miss.max}});
  const Json json = {{"scene", checkpoint.fingerprint},
                     {"iteration", checkpoint.iteration},
                     {"forward_simulations", checkpoint.forward_simulations},
                     {"cg_iterations", checkpoint.cg_iterations},
                     {"time_s", checkpoint.time_s},
                     {"uncontrolled", uncontrolled},
                     {"weight_factors", checkpoint.weight_factors}};
  write_npy(folder / "checkpoint.npy", {{checkpoint.z.size()}, checkpoint.z});
  write_file_atomically(folder / "checkpoint.json", json.dump(2) + "\n");
}

Checkpoint read_checkpoint(const RunFolder& folder, const std::string& fingerprint, int size,
                           int keyframe_count) {
  const std::filesystem::path file = folder / "checkpoint.json";
  if (!std::filesystem::exists(file)) refuse(file, "there is no checkpoint to resume from");
  Checkpoint checkpoint;
  try {
    const Json json = Json::parse(read_file(file));
    checkpoint.fingerprint = json.at("scene");
    checkpoint.iteration = json.at("iteration");
    checkpoint.forward_simulations = json.at("forward_simulations");
    checkpoint.cg_iterations = json.at("cg_iterations");
    checkpoint.time_s = json.at("time_s");
    for (const Json& miss : json.at("uncontrolled"))
      checkpoint.uncontrolled.push_back({miss.at("rms_m"), miss.at("max_m")});
    checkpoint.weight_factors = json.at("weight_factors").get<std::vector<double>>();
  } catch (const nlohmann::json::exception&) {
    refuse(file, "the checkpoint is damaged");
  }
  if (checkpoint.fingerprint != fingerprint)
    refuse(file, "the scene or one of its files has changed since this checkpoint; restore them to resume");
  checkpoint.z = read_npy(folder / "checkpoint.npy").values;
  if (checkpoint.z.size() != size || static_cast<int>(checkpoint.uncontrolled.size()) != keyframe_count ||
      checkpoint.weight_factors.size() != checkpoint.uncontrolled.size())
    refuse(file, "the checkpoint is damaged");
  return checkpoint;
}

std::string earlier_convergence_lines(const RunFolder& folder, const std::optional<Checkpoint>& checkpoint) {
  if (!checkpoint || !std::filesystem::exists(folder / "convergence.jsonl")) return "";
  std::istringstream lines(read_file(folder / "convergence.jsonl"));
  std::string kept, line;
  while (std::getline(lines, line)) {
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_object() && json.value("iteration", checkpoint->iteration + 1) <= checkpoint->iteration)
      kept += line + '\n';
  }
  return kept;
}

}  // namespace keydrape
