#include "io/run/level_json.h"

#include <nlohmann/json.hpp>

namespace keydrape {

using Json = nlohmann::ordered_json;

Json levels_json(const std::vector<LevelOutcome>& levels, const FrameRange& shot) {
  Json list = Json::array();
  for (const LevelOutcome& level : levels) {
    Json keyframes = Json::array();
    for (const KeyframeMiss& miss : level.misses)
      keyframes.push_back(
          {{"frame", frame_of(level, miss.state, shot)}, {"rms_m", miss.rms}, {"max_m", miss.max}});
    list.push_back({{"vertices", level.vertices},
                    {"substeps", level.substeps},
                    {"end", level.end},
                    {"keyframes", keyframes},
                    {"work",
                     {{"forward_simulations", level.work.forward_simulations},
                      {"adjoint_sweeps", level.work.adjoint_sweeps},
                      {"tangent_sweeps", level.work.tangent_sweeps},
                      {"newton_iterations", level.work.newton_iterations},
                      {"factorizations", level.work.factorizations},
                      {"time_steps", level.work.time_steps}}},
                    {"time_s", level.time_s}});
  }
  return list;
}

std::vector<LevelOutcome> levels_of(const Json& json, const FrameRange& shot) {
  std::vector<LevelOutcome> levels;
  for (const Json& entry : json) {
    LevelOutcome& level = levels.emplace_back();
    level.vertices = entry.at("vertices");
    level.substeps = entry.at("substeps");
    level.end = entry.at("end");
    for (const Json& k : entry.at("keyframes")) {
      const int frame = k.at("frame");
      level.misses.push_back({k.at("rms_m"), k.at("max_m"), 0.0, (frame - shot.first) * level.substeps});
    }
    const Json& work = entry.at("work");
    level.work.forward_simulations = work.at("forward_simulations");
    level.work.adjoint_sweeps = work.at("adjoint_sweeps");
    level.work.tangent_sweeps = work.at("tangent_sweeps");
    level.work.newton_iterations = work.at("newton_iterations");
    level.work.factorizations = work.at("factorizations");
    level.work.time_steps = work.at("time_steps");
    level.time_s = entry.at("time_s");
  }
  return levels;
}

}  // namespace keydrape
