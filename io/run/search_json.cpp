#include "io/run/search_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace keydrape {

namespace {

using Json = nlohmann::ordered_json;

// The end that a number stands for. Throws nlohmann::json::exception for one that is none.
template <class End>
End end_of(const Json& json, End last) {
  const int end = whole_number(json);
  if (end < 0 || end > static_cast<int>(last))
    throw Json::out_of_range::create(406, "no end of a search", &json);
  return static_cast<End>(end);
}

std::vector<std::pair<int, double>> factors_of(const Json& json) {
  std::vector<std::pair<int, double>> factors;
  for (const Json& factor : json)
    factors.emplace_back(whole_number(factor.at(0)), factor.at(1).get<double>());
  return factors;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

std::optional<int> index_of(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional<int>(whole_number(json));
}

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// JSON knows no NaN and no infinity: null, which is read as `otherwise`.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }
double number(const Json& json, double otherwise) { return json.is_null() ? otherwise : json.get<double>(); }

// Every number of ShootingWork under its name.
template <class Visit>
void visit_work(const Visit& visit) {
  visit("forward_simulations", &ShootingWork::forward_simulations);
  visit("adjoint_sweeps", &ShootingWork::adjoint_sweeps);
  visit("tangent_sweeps", &ShootingWork::tangent_sweeps);
  visit("newton_iterations", &ShootingWork::newton_iterations);
  visit("factorizations", &ShootingWork::factorizations);
  visit("time_steps", &ShootingWork::time_steps);
  visit("forward_s", &ShootingWork::forward_s);
  visit("linearize_s", &ShootingWork::linearize_s);
  visit("adjoint_s", &ShootingWork::adjoint_s);
  visit("tangent_s", &ShootingWork::tangent_s);
  visit("trajectory_bytes", &ShootingWork::trajectory_bytes);
  visit("kept_steps", &ShootingWork::kept);
  visit("indefinite_steps", &ShootingWork::indefinite_steps);
}

Json counted_work(const ShootingWork& work) {
  Json json;
  visit_work([&](const char* name, auto member) { json[name] = work.*member; });
  return json;
}

ShootingWork work_of(const Json& json) {
  ShootingWork work;
  visit_work([&](const char* name, auto member) {
    auto& number = work.*member;
    using Number = std::remove_reference_t<decltype(number)>;
    if constexpr (std::is_integral_v<Number>)
      number = static_cast<Number>(large_number(json.at(name)));
    else if constexpr (std::is_floating_point_v<Number>)
      json.at(name).get_to(number);
    else
      for (std::size_t k = 0; k < number.size(); ++k) number[k] = whole_number(json.at(name).at(k));
  });
  return work;
}

Json misses_json(const std::vector<KeyframeMiss>& misses) {
  Json json = Json::array();
  for (const KeyframeMiss& miss : misses)
    json.push_back({number(miss.rms), number(miss.max), miss.velocity_rms, miss.state});
  return json;
}

std::vector<KeyframeMiss> misses_of(const Json& json) {
  std::vector<KeyframeMiss> misses;
  for (const Json& miss : json)
    misses.push_back(
        {number(miss.at(0), kNoNumber), number(miss.at(1), kNoNumber), miss.at(2), whole_number(miss.at(3))});
  return misses;
}

// null: not known.
Json fastest_json(const FastestVertex& fastest) {
  if (fastest.vertex < 0) return nullptr;
  return {fastest.speed, fastest.vertex, fastest.state};
}
FastestVertex fastest_of(const Json& json) {
  if (json.is_null()) return {};
  return {json.at(0), whole_number(json.at(1)), whole_number(json.at(2))};
}

Json mark_json(const ClosestMisses::Mark& mark) { return {mark.runs, misses_json(mark.least)}; }
ClosestMisses::Mark mark_of(const Json& json) { return {whole_number(json.at(0)), misses_of(json.at(1))}; }

Json closest_json(const ClosestMisses& closest) {
  return {mark_json(closest.now), mark_json(closest.half), mark_json(closest.quarter)};
}
ClosestMisses closest_of(const Json& json) {
  return {mark_of(json.at(0)), mark_of(json.at(1)), mark_of(json.at(2))};
}

Json progress_json(const OptimizerProgress& progress) {
  return {{"iterations", progress.iterations},
          {"evaluations", progress.evaluations},
          {"cg_iterations", progress.cg_iterations},
          {"first_gradient_norm", number(progress.first_gradient_norm)},
          {"end", progress.end ? Json(static_cast<int>(*progress.end)) : Json()},
          {"trust_radius", number(progress.trust_radius)},
          {"model_ratio", progress.model_ratio},
          {"recent_falls", progress.recent_falls},
          {"correction_is_due", progress.correction_is_due},
          {"correction_failed", progress.correction_failed},
          {"best_objective", progress.best_objective},
          {"best_gradient_norm", number(progress.best_gradient_norm)},
          {"small_falls", progress.small_falls},
          {"step", progress.step}};
}

OptimizerProgress progress_of(const Json& json) {
  OptimizerProgress progress;
  progress.iterations = whole_number(json.at("iterations"));
  progress.evaluations = whole_number(json.at("evaluations"));
  progress.cg_iterations = whole_number(json.at("cg_iterations"));
  progress.first_gradient_norm = number(json.at("first_gradient_norm"), kNoNumber);
  if (!json.at("end").is_null()) progress.end = end_of(json.at("end"), OptimizerEnd::kNoGradient);
  progress.trust_radius = number(json.at("trust_radius"), std::numeric_limits<double>::infinity());
  progress.model_ratio = json.at("model_ratio");
  if (json.contains("recent_falls"))  // older ones have none
    for (const Json& fall : json.at("recent_falls")) progress.recent_falls.push_back(fall);
  progress.correction_is_due = json.at("correction_is_due");
  progress.correction_failed = json.at("correction_failed");
  progress.best_objective = json.at("best_objective");
  progress.best_gradient_norm = number(json.at("best_gradient_norm"), kNoNumber);
  progress.small_falls = whole_number(json.at("small_falls"));
  progress.step = json.contains("step") ? json.at("step").get<double>() : 0.0;  // older ones have none
  return progress;
}

Json best_json(const RunRecord& best) {
  return {{"iteration", best.iteration},
          {"merit", best.merit},
          {"objective", best.objective},
          {"keyframe_term", best.terms.keyframes},
          {"effort_term", best.terms.effort},
          {"smoothness_term", best.terms.smoothness},
          {"gradient_norm", number(best.gradient_norm)}};
}

RunRecord best_of(const Json& json) {
  RunRecord best;
  best.iteration = whole_number(json.at("iteration"));
  best.merit = json.at("merit");
  best.objective = json.at("objective");
  best.terms.keyframes = json.at("keyframe_term");
  best.terms.effort = json.at("effort_term");
  best.terms.smoothness = json.at("smoothness_term");
  best.gradient_norm = number(json.at("gradient_norm"), kNoNumber);
  return best;
}

}  // namespace

Json levels_json(const std::vector<LevelOutcome>& levels, const FrameRange& shot) {
  Json list = Json::array();
  for (const LevelOutcome& level : levels) {
    Json keyframes = Json::array();
    for (const KeyframeMiss& miss : level.misses) {
      keyframes.push_back(
          {{"frame", frame_of(level, miss.state, shot)}, {"rms_m", miss.rms}, {"max_m", miss.max}});
      if (miss.velocity_rms > 0.0) keyframes.back()["velocity_rms_m_s"] = miss.velocity_rms;
    }
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

namespace {

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
      const double velocity_rms = k.value("velocity_rms_m_s", 0.0);  // older ones have none
      level.misses.push_back(
          {k.at("rms_m"), k.at("max_m"), velocity_rms, (frame - shot.first) * level.substeps});
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

// None in checkpoints from before it was remembered, too.
std::optional<double> merit_of(const Json& json, const char* key) {
  if (!json.contains(key) || json.at(key).is_null()) return {};
  return json.at(key).get<double>();
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
  const std::optional<MissedAgain>& since_met = memory->since_met;
  return {{"missed_since", since_met ? since_met->count : -1},
          {"nearest_missed", since_met ? or_null(since_met->nearest) : Json()},
          {"met_cost", memory->met_cost},
          {"cost_when_met", memory->cost_when_met},
          {"least_merit", memory->best_met.merit},
          {"least_cost", memory->best_met.cost},
          {"no_better", memory->best_met.no_better},
          {"lost", memory->best_met.lost.count},
          {"nearest_lost", or_null(memory->best_met.lost.nearest)},
          {"after_met", memory->after_met},
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
      .met_cost = json.at("met_cost"),
      .targets = {},
      .farthest = {},
      .prices = {json.at("change_share"), json.at("price_rise")},
      .peaks = {factors_of(json.at("force_prices")), factors_of(json.at("block_prices")),
                json.at("unevenness"), whole_number(json.at("vain_rounds"))}};
  if (const int count = whole_number(json.at("missed_since")); count >= 0)
    memory.since_met = MissedAgain{count, merit_of(json, "nearest_missed")};
  if (json.contains("cost_when_met")) memory.cost_when_met = json.at("cost_when_met");  // as below
  if (json.contains("no_better")) {  // not in checkpoints from before there was such a count
    memory.best_met.merit = json.at("least_merit");
    memory.best_met.no_better = whole_number(json.at("no_better"));
  }
  if (json.contains("after_met")) memory.after_met = whole_number(json.at("after_met"));
  if (json.contains("lost")) {
    memory.best_met.cost = json.at("least_cost");
    memory.best_met.lost = {whole_number(json.at("lost")), merit_of(json, "nearest_lost")};
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
          {"spent", windows->spent},
          {"first_missed", or_null(windows->first_missed)},
          {"end", windows->end ? Json(static_cast<int>(*windows->end)) : Json()},
          {"reason", windows->reason}};
}

std::optional<WindowsDone> windows_of(const Json& json) {
  if (json.is_null()) return {};
  WindowsDone done{.count = whole_number(json.at("count")),
                   .forward_simulations = whole_number(json.at("forward_simulations"))};
  if (!json.contains("budget")) {  // older ones say only whether there was such a window
    if (json.at("out_of_budget")) done.spent = {0};
    if (!json.contains("end")) return done;
    if (json.at("missed")) done.first_missed = 0;
  } else {
    done.budget = whole_number(json.at("budget"));
    if (!json.contains("spent")) {  // older ones know the first alone
      if (const auto first = index_of(json.at("first_spent"))) done.spent = {*first};
    } else {
      for (const Json& window : json.at("spent")) done.spent.push_back(whole_number(window));
    }
    done.first_missed = index_of(json.at("first_missed"));
  }
  if (!json.at("end").is_null()) done.end = end_of(json.at("end"), SearchEnd::kRefused);
  done.reason = json.at("reason");
  return done;
}

}  // namespace

Json state_json(const SearchState& state, const FrameRange& shot) {
  return {{"is_before_search", state.is_before_search},
          {"iteration", state.iteration},
          {"first_iteration", state.first_iteration},
          {"stage_iteration", state.stage_iteration},
          {"forward_simulations", state.work.forward_simulations},
          {"time_s", state.time_s},
          {"work", counted_work(state.work)},
          {"uncontrolled", misses_json(state.uncontrolled)},
          {"uncontrolled_fastest", fastest_json(state.uncontrolled_fastest)},
          {"closest", closest_json(state.closest)},
          {"weight_factors", state.weight_factors},
          {"keyframe_states", state.keyframe_states},
          {"weight_memory", weight_memory_json(state.weight_memory)},
          {"levels", levels_json(state.levels, shot)},
          {"progress", progress_json(state.progress)},
          {"windows", windows_json(state.windows)},
          {"best", best_json(state.best_record)}};
}

SearchState state_of(const Json& json, const FrameRange& shot) {
  SearchState state;
  state.is_before_search = json.at("is_before_search");
  state.iteration = whole_number(json.at("iteration"));
  state.first_iteration = whole_number(json.at("first_iteration"));
  state.stage_iteration = whole_number(json.at("stage_iteration"));
  state.time_s = json.at("time_s");
  state.work = work_of(json.at("work"));
  state.uncontrolled = misses_of(json.at("uncontrolled"));
  state.uncontrolled_fastest = fastest_of(json.at("uncontrolled_fastest"));
  state.closest = closest_of(json.at("closest"));
  state.weight_factors = json.at("weight_factors").get<std::vector<double>>();
  state.keyframe_states = whole_numbers(json.at("keyframe_states"));
  state.weight_memory = weight_memory_of(json.at("weight_memory"));
  state.levels = levels_of(json.at("levels"), shot);
  state.progress = progress_of(json.at("progress"));
  state.windows = windows_of(json.at("windows"));
  state.best_record = best_of(json.at("best"));
  return state;
}

}  // namespace keydrape
