#include "io/run/search_json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace keydrape {

namespace {

using Json = nlohmann::ordered_json;

std::vector<std::pair<int, double>> factors_of(const Json& json) {
  std::vector<std::pair<int, double>> factors;
  for (const Json& factor : json)
    factors.emplace_back(whole_number(factor.at(0)), factor.at(1).get<double>());
  return factors;
}

Json index_json(const std::optional<int>& index) { return index ? Json(*index) : Json(); }

std::optional<int> index_of(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional<int>(whole_number(json));
}

}  // namespace

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
    level.vertices = whole_number(entry.at("vertices"));
    level.substeps = whole_number(entry.at("substeps"));
    const int most = std::numeric_limits<int>::max() / (shot.last - shot.first + 1);
    if (level.substeps < 1 || level.substeps > most)
      throw Json::out_of_range::create(406, "no number of substeps", &entry);
    level.end = entry.at("end");
    for (const Json& k : entry.at("keyframes")) {
      const int frame = std::clamp(whole_number(k.at("frame")), shot.first, shot.last);
      level.misses.push_back({k.at("rms_m"), k.at("max_m"), 0.0, (frame - shot.first) * level.substeps});
    }
    const Json& work = entry.at("work");
    level.work.forward_simulations = whole_number(work.at("forward_simulations"));
    level.work.adjoint_sweeps = whole_number(work.at("adjoint_sweeps"));
    level.work.tangent_sweeps = whole_number(work.at("tangent_sweeps"));
    level.work.newton_iterations = large_number(work.at("newton_iterations"));
    level.work.factorizations = large_number(work.at("factorizations"));
    level.work.time_steps = large_number(work.at("time_steps"));
    level.time_s = entry.at("time_s");
  }
  return levels;
}

Json weight_memory_json(const std::optional<ToleranceWeights::Memory>& memory) {
  if (!memory) return {};
  Json targets = Json::array();
  for (const WeightCourse::Memory& target : memory->targets)
    targets.push_back({{"lowered_at", target.lowered_at},
                       {"vain_raises", target.vain_raises},
                       {"vain_at", target.vain_at},
                       {"vain_from", target.vain_from}});
  Json farthest = Json::array();
  for (const FarthestVertices::Memory& keyframe : memory->farthest)
    farthest.push_back({{"factors", keyframe.factors},
                        {"farthest", keyframe.farthest},
                        {"vain_rounds", keyframe.vain_rounds}});
  return {{"missed_since", memory->missed_since},
          {"met_cost", memory->met_cost},
          {"least_merit", memory->least_merit},
          {"no_better", memory->no_better},
          {"targets", targets},
          {"farthest", farthest},
          {"change_share", memory->prices.share},
          {"price_rise", memory->prices.rise},
          {"force_prices", memory->peaks.forces},
          {"block_prices", memory->peaks.blocks},
          {"unevenness", memory->peaks.unevenness},
          {"vain_rounds", memory->peaks.vain_rounds}};
}

std::optional<ToleranceWeights::Memory> weight_memory_of(const Json& json) {
  if (json.is_null()) return {};
  ToleranceWeights::Memory memory{
      .missed_since = whole_number(json.at("missed_since")),
      .met_cost = json.at("met_cost"),
      .targets = {},
      .farthest = {},
      .prices = {json.at("change_share"), json.at("price_rise")},
      .peaks = {factors_of(json.at("force_prices")), factors_of(json.at("block_prices")),
                json.at("unevenness"), whole_number(json.at("vain_rounds"))}};
  if (json.contains("no_better")) {  // not in checkpoints from before there was such a count
    memory.least_merit = json.at("least_merit");
    memory.no_better = whole_number(json.at("no_better"));
  }
  for (const Json& target : json.at("targets"))
    memory.targets.push_back({target.at("lowered_at"), whole_number(target.at("vain_raises")),
                              target.at("vain_at"), target.at("vain_from")});
  for (const Json& keyframe : json.at("farthest"))
    memory.farthest.push_back({factors_of(keyframe.at("factors")), keyframe.at("farthest"),
                               whole_number(keyframe.at("vain_rounds"))});
  return memory;
}

Json windows_json(const std::optional<WindowsDone>& windows) {
  if (!windows) return {};
  return {{"count", windows->count},
          {"forward_simulations", windows->forward_simulations},
          {"budget", windows->budget},
          {"first_spent", index_json(windows->first_spent)},
          {"first_missed", index_json(windows->first_missed)},
          {"end", windows->end ? Json(static_cast<int>(*windows->end)) : Json()},
          {"reason", windows->reason}};
}

std::optional<WindowsDone> windows_of(const Json& json) {
  if (json.is_null()) return {};
  WindowsDone done{.count = whole_number(json.at("count")),
                   .forward_simulations = whole_number(json.at("forward_simulations"))};
  if (!json.contains("budget")) {  // older ones say only whether there was such a window
    if (json.at("out_of_budget")) done.first_spent = 0;
    if (!json.contains("end")) return done;
    if (json.at("missed")) done.first_missed = 0;
  } else {
    done.budget = whole_number(json.at("budget"));
    done.first_spent = index_of(json.at("first_spent"));
    done.first_missed = index_of(json.at("first_missed"));
  }
  if (!json.at("end").is_null()) done.end = end_of(json.at("end"), SearchEnd::kRefused);
  done.reason = json.at("reason");
  return done;
}

}  // namespace keydrape
