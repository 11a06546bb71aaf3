#include "io/run/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <system_error>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/run/checkpoint_values.h"
#include "io/run/search_json.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

// They take turns.
constexpr std::array<std::string_view, 2> kValueFiles = {kCheckpointFiles[1], kCheckpointFiles[2]};

[[noreturn]] void refuse_checkpoint(const std::filesystem::path& file, const std::string& found) {
  throw InputError(
      fmt::format("{}: {}; solve without --resume (and with --force) to start again", file.string(), found));
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

Json counts_json(const ValueCounts& counts) {
  return {{"unknowns", counts.unknowns},
          {"state", counts.state},
          {"steps", counts.steps},
          {"has_best", counts.has_best},
          {"has_variables", counts.has_variables},
          {"pairs", counts.pairs},
          {"matched", counts.matched}};
}

ValueCounts counts_of(const Json& json) {
  return {large_number(json.at("unknowns")),
          large_number(json.at("state")),
          whole_number(json.at("steps")),
          json.at("has_best"),
          json.at("has_variables"),
          whole_number(json.at("pairs")),
          json.contains("matched") ? whole_number(json["matched"]) : 0};
}

Json read_json(const std::filesystem::path& file) {
  return std::filesystem::exists(file) ? json_if_any(read_file(file)) : Json();
}

bool fits(const ValueCounts& counts, const Shot& shot) {
  return counts.unknowns == shot.layout().size() && counts.state == shot.start().x.size() &&
         counts.steps == shot.clock.step_count() && counts.pairs >= 0 && counts.matched >= 0;
}

// A part of the shot, from its first frame on.
bool fits_in_part(const ValueCounts& counts, const Shot& shot) {
  ValueCounts whole = counts;
  whole.steps = shot.clock.step_count();
  return fits(whole, shot) && counts.steps >= 0 && counts.steps <= whole.steps;
}

// Factors of some of so many things, none below 1.
bool fit(const std::vector<std::pair<int, double>>& factors, std::int64_t count) {
  return std::all_of(factors.begin(), factors.end(), [&](const std::pair<int, double>& f) {
    return f.first >= 0 && f.first < count && f.second >= 1.0;
  });
}

bool fits(const ToleranceWeights::Memory& memory, std::size_t targets, std::size_t keyframes,
          const Shot& shot) {
  if (memory.targets.size() != targets || memory.farthest.size() != keyframes) return false;
  const std::int64_t blocks = shot.layout().block_count();
  return fit(memory.peaks.forces, blocks * shot.layout().active_count()) &&
         fit(memory.peaks.blocks, blocks) &&
         std::all_of(memory.farthest.begin(), memory.farthest.end(),
                     [&](const auto& keyframe) { return fit(keyframe.factors, shot.rest().vertex_count()); });
}

// Whether both are searched in windows, or neither, and no more are done than there are.
bool has_windows(const SearchState& state, const Shot& shot) {
  const std::size_t count = shot.options.windows.size();
  if (!state.windows) return count == 0;
  const WindowsDone& done = *state.windows;
  const auto is_one = [&](int window) { return window >= 0 && window <= done.count; };
  return count > 0 && is_one(done.count) && static_cast<std::size_t>(done.count) <= count &&
         is_one(done.first_spent.value_or(0)) && is_one(done.first_missed.value_or(0));
}

// Whether what is said of targets fits those of the shot.
bool has_targets(const SearchState& state, const ValueCounts& counts, const Shot& shot) {
  const std::vector<Target>& targets = shot.task().targets;
  const auto surfaces = std::count_if(targets.begin(), targets.end(), [](const Target& target) {
    return target.keyframe.surface != nullptr;
  });
  if (counts.matched != (state.windows ? 0 : surfaces)) return false;
  const std::size_t count = targets.size();
  if (state.uncontrolled.size() != count || state.weight_factors.size() != count ||
      state.keyframe_states.size() != count)
    return false;
  for (const ClosestMisses::Mark* mark : {&state.closest.now, &state.closest.half, &state.closest.quarter})
    if (!mark->least.empty() && mark->least.size() != count) return false;
  std::set<int> ids;
  for (std::size_t k = 0; k < count; ++k) {
    const std::vector<int>& candidates = targets[k].keyframe.candidates;
    const int at = state.keyframe_states[k];
    if (at != targets[k].keyframe.state &&
        std::find(candidates.begin(), candidates.end(), at) == candidates.end())
      return false;
    ids.insert(targets[k].keyframe.target_id);
  }
  return !state.weight_memory || fits(*state.weight_memory, ids.size(), count, shot);
}

// What differs, and what can still be used.
[[noreturn]] void refuse_other_scene(const std::filesystem::path& file, const std::vector<std::string>& lines,
                                     bool fit) {
  throw InputError(fmt::format(
      "{}: the scene or one of its files has changed since this checkpoint: {}. Restore it to go on where "
      "the search was; {}",
      file.string(), in_short(lines),
      fit ? "or begin a new search at the checkpoint's forces, with --resume --force"
          : "its forces do not fit any more, which push other vertices or steps: solve with --force to start "
            "again"));
}

}  // namespace

void write_checkpoint(const RunFolder& folder, const SceneFingerprint& scene, const Shot& shot,
                      const SearchStand& stand) {
  const auto& [state, at, best] = stand;
  const Json before = read_json(folder / "checkpoint.json");
  const bool a_is_used =
      before.is_object() && before.contains("values") && before["values"] == kValueFiles[0];
  const std::string_view values = kValueFiles[a_is_used ? 1 : 0];
  const Json json = {{"scene", fingerprint_json(scene)},
                     {"layout", layout_fingerprint(shot.layout())},
                     {"values", values},
                     {"counts", counts_json(count_values(stand))},
                     {"is_before_search", state.is_before_search},
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
                     {"levels", levels_json(state.levels, shot.clock.frames)},
                     {"progress", progress_json(state.progress)},
                     {"windows", windows_json(state.windows)},
                     {"best", best_json(state.best_record)}};
  write_values(folder / values, stand);
  write_file_atomically(folder / "checkpoint.json", json_text(json, 2) + "\n");
  std::error_code ignored;  // a file that stays is used by nobody and overwritten by the next checkpoint
  std::filesystem::remove(folder / kValueFiles[a_is_used ? 0 : 1], ignored);
}

Checkpoint read_checkpoint(const std::filesystem::path& file, const std::filesystem::path& values,
                           const SceneFingerprint& scene, const Shot& shot, CheckpointOf which) {
  Checkpoint checkpoint;
  SearchState& state = checkpoint.search.state;
  ValueCounts counts;
  std::string values_named;
  try {
    const Json json = read_json(file);
    checkpoint.scene = fingerprint_of(json.at("scene"));
    checkpoint.layout = json.at("layout");
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
    state.levels = levels_of(json.at("levels"), shot.clock.frames);
    state.progress = progress_of(json.at("progress"));
    state.windows = windows_of(json.at("windows"));
    state.best_record = best_of(json.at("best"));
    counts = counts_of(json.at("counts"));
    values_named = json.at("values");
  } catch (const nlohmann::json::exception&) {
    refuse_checkpoint(file, "the checkpoint is damaged");
  }
  const std::vector<std::string> changes = differences(checkpoint.scene, scene);
  const bool is_in_windows = state.windows && changes.empty();
  const bool is_same_layout = changes.empty() || checkpoint.layout == layout_fingerprint(shot.layout());
  const bool fit = is_same_layout && (is_in_windows ? fits_in_part(counts, shot) : fits(counts, shot));
  if (!changes.empty() && !(fit && which == CheckpointOf::kAnyScene)) refuse_other_scene(file, changes, fit);
  const bool is_known = values_named == kValueFiles[0] || values_named == kValueFiles[1];
  if (!is_known || !fit ||
      (changes.empty() && !(has_targets(state, counts, shot) && has_windows(state, shot))) ||
      !read_values(values.empty() ? file.parent_path() / values_named : values, counts, shot.simulator(),
                   shot.start().exempt, checkpoint.search))
    refuse_checkpoint(file, "the checkpoint is damaged");
  return checkpoint;
}

Checkpoint read_checkpoint(const RunFolder& folder, const SceneFingerprint& scene, const Shot& shot,
                           CheckpointOf which) {
  const std::filesystem::path file = folder / "checkpoint.json";
  if (!std::filesystem::exists(file)) refuse_checkpoint(file, "there is no checkpoint to resume from");
  return read_checkpoint(file, {}, scene, shot, which);
}

std::string earlier_convergence_lines(const RunFolder& folder, const std::optional<Checkpoint>& checkpoint) {
  if (!checkpoint || !std::filesystem::exists(folder / "convergence.jsonl")) return "";
  std::istringstream lines(read_file(folder / "convergence.jsonl"));
  std::string kept, line;
  while (std::getline(lines, line)) {
    const Json json = json_if_any(line);
    const bool is_numbered = json.is_object() && json.contains("iteration") && json["iteration"].is_number();
    if (is_numbered && json["iteration"].get<double>() <= checkpoint->search.state.iteration)
      kept += line + '\n';
  }
  return kept;
}

}  // namespace keydrape
