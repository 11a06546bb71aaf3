#include "io/run/level_outcome.h"

#include <nlohmann/json.hpp>

namespace keydrape {

using Json = nlohmann::ordered_json;

Json levels_json(const std::vector<LevelOutcome>& levels) {
  Json list = Json::array();
  for (const LevelOutcome& level : levels) {
    Json keyframes = Json::array();
    for (const LevelOutcome::Miss& miss : level.misses)
      keyframes.push_back({{"frame", miss.frame}, {"rms_m", miss.rms}, {"max_m", miss.max}});
    list.push_back({{"vertices", level.vertices},
                    {"substeps", level.substeps},
                    {"end", level.end},
                    {"keyframes", keyframes},
                    {"work",
                     {{"forward_simulations", level.forward_simulations},
                      {"adjoint_sweeps", level.adjoint_sweeps},
                      {"tangent_sweeps", level.tangent_sweeps},
                      {"newton_iterations", level.newton_iterations},
                      {"factorizations", level.factorizations},
                      {"time_steps", level.time_steps}}},
                    {"time_s", level.time_s}});
  }
  return list;
}

std::vector<LevelOutcome> levels_of(const Json& json) {
  std::vector<LevelOutcome> levels;
  for (const Json& entry : json) {
    LevelOutcome& level = levels.emplace_back();
    level.vertices = entry.at("vertices");
    level.substeps = entry.at("substeps");
    level.end = entry.at("end");
    for (const Json& k : entry.at("keyframes"))
      level.misses.push_back({k.at("frame"), k.at("rms_m"), k.at("max_m")});
    const Json& work = entry.at("work");
    level.forward_simulations = work.at("forward_simulations");
    level.adjoint_sweeps = work.at("adjoint_sweeps");
    level.tangent_sweeps = work.at("tangent_sweeps");
    level.newton_iterations = work.at("newton_iterations");
    level.factorizations = work.at("factorizations");
    level.time_steps = work.at("time_steps");
    level.time_s = entry.at("time_s");
  }
  return levels;
}

}  // namespace keydrape
