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

#include "control/search/tolerance_weights.h"
#include "core/base/error.h"
#include "io/file/file.h"
#include "io/run/checkpoint_values.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

// They take turns.
constexpr std::array<std::string_view, 2> kValueFiles = {"checkpoint_a.npy", "checkpoint_b.npy"};

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& found) {
  throw InputError(
      fmt::format("{}: {}; solve without --resume (and with --force) to start again", file.string(), found));
}

// JSON knows no NaN and no infinity: null, which is read as `otherwise`.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }
double number(const Json& json, double otherwise) { return json.is_null() ? otherwise : json.get<double>(); }

Json work_json(const ShootingWork& w) {
  return {w.forward_simulations, w.adjoint_sweeps, w.tangent_sweeps,  w.newton_iterations,
          w.factorizations,      w.time_steps,     w.forward_s,       w.linearize_s,
          w.adjoint_s,           w.tangent_s,      w.trajectory_bytes};
}

Json misses_json(const std::vector<KeyframeMiss>& misses) {
  Json json = Json::array();
  for (const KeyframeMiss& miss : misses)
    json.push_back({number(miss.rms), number(miss.max), miss.velocity_rms, miss.state});
  return json;
}

std::vector<KeyframeMiss> misses_of(const Json& json) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<KeyframeMiss> misses;
  for (const Json& miss : json)
    misses.push_back({number(miss.at(0), unknown), number(miss.at(1), unknown), miss.at(2), miss.at(3)});
  return misses;
}

Json mark_json(const ClosestMisses::Mark& mark) { return {mark.runs, misses_json(mark.least)}; }
ClosestMisses::Mark mark_of(const Json& json) { return {json.at(0), misses_of(json.at(1))}; }

Json closest_json(const ClosestMisses& closest) {
  return {mark_json(closest.now), mark_json(closest.half), mark_json(closest.quarter)};
}
ClosestMisses closest_of(const Json& json) {
  return {mark_of(json.at(0)), mark_of(json.at(1)), mark_of(json.at(2))};
}

ShootingWork work_of(const Json& json) {
  ShootingWork w;
  w.forward_simulations = json.at(0), w.adjoint_sweeps = json.at(1), w.tangent_sweeps = json.at(2);
  w.newton_iterations = json.at(3), w.factorizations = json.at(4), w.time_steps = json.at(5);
  w.forward_s = json.at(6), w.linearize_s = json.at(7), w.adjoint_s = json.at(8), w.tangent_s = json.at(9);
  w.trajectory_bytes = json.at(10);
  return w;
}

Json progress_json(const OptimizerProgress& progress) {
  return {{"iterations", progress.iterations},
          {"evaluations", progress.evaluations},
          {"cg_iterations", progress.cg_iterations},
          {"first_gradient_norm", progress.first_gradient_norm},
          {"end", progress.end ? Json(static_cast<int>(*progress.end)) : Json()},
          {"trust_radius", number(progress.trust_radius)},
          {"model_ratio", progress.model_ratio},
          {"correction_is_due", progress.correction_is_due},
          {"correction_failed", progress.correction_failed},
          {"best_objective", progress.best_objective},
          {"best_gradient_norm", progress.best_gradient_norm},
          {"small_falls", progress.small_falls}};
}

OptimizerProgress progress_of(const Json& json) {
  OptimizerProgress progress;
  progress.iterations = json.at("iterations");
  progress.evaluations = json.at("evaluations");
  progress.cg_iterations = json.at("cg_iterations");
  progress.first_gradient_norm = json.at("first_gradient_norm");
  if (!json.at("end").is_null()) progress.end = static_cast<OptimizerEnd>(json.at("end").get<int>());
  progress.trust_radius = number(json.at("trust_radius"), std::numeric_limits<double>::infinity());
  progress.model_ratio = json.at("model_ratio");
  progress.correction_is_due = json.at("correction_is_due");
  progress.correction_failed = json.at("correction_failed");
  progress.best_objective = json.at("best_objective");
  progress.best_gradient_norm = json.at("best_gradient_norm");
  progress.small_falls = json.at("small_falls");
  return progress;
}

Json best_json(const BestRecord& best) {
  return {{"iteration", best.iteration},        {"merit", best.merit},
          {"objective", best.objective},        {"keyframe_term", best.terms.keyframes},
          {"effort_term", best.terms.effort},   {"smoothness_term", best.terms.smoothness},
          {"gradient_norm", best.gradient_norm}};
}

BestRecord best_of(const Json& json) {
  BestRecord best;
  best.iteration = json.at("iteration");
  best.merit = json.at("merit");
  best.objective = json.at("objective");
  best.terms.keyframes = json.at("keyframe_term");
  best.terms.effort = json.at("effort_term");
  best.terms.smoothness = json.at("smoothness_term");
  best.gradient_norm = json.at("gradient_norm");
  return best;
}

Json counts_json(const ValueCounts& counts) {
  return {{"unknowns", counts.unknowns},
          {"state", counts.state},
          {"steps", counts.steps},
          {"has_best", counts.has_best},
          {"has_variables", counts.has_variables},
          {"pairs", counts.pairs}};
}

ValueCounts counts_of(const Json& json) {
  return {json.at("unknowns"), json.at("state"),         json.at("steps"),
          json.at("has_best"), json.at("has_variables"), json.at("pairs")};
}

Json read_json(const std::filesystem::path& file) {
  return std::filesystem::exists(file) ? Json::parse(read_file(file), nullptr, false) : Json();
}

Json windows_json(const std::optional<WindowsDone>& windows) {
  if (!windows) return {};
  return {{"count", windows->count},
          {"forward_simulations", windows->forward_simulations},
          {"out_of_budget", windows->out_of_budget}};
}

std::optional<WindowsDone> windows_of(const Json& json) {
  if (json.is_null()) return {};
  return WindowsDone{json.at("count"), json.at("forward_simulations"), json.at("out_of_budget")};
}

bool fits(const ValueCounts& counts, const Shot& shot) {
  return counts.unknowns == shot.layout().size() && counts.state == shot.start().x.size() &&
         counts.steps == shot.clock.step_count() && counts.pairs >= 0;
}

// A part of the shot, from its first frame on.
bool fits_in_part(const ValueCounts& counts, const Shot& shot) {
  ValueCounts whole = counts;
  whole.steps = shot.clock.step_count();
  return fits(whole, shot) && counts.steps >= 0 && counts.steps <= whole.steps;
}

// Whether what is said of keyframes fits those of the shot.
bool has_keyframes(const Checkpoint& checkpoint, const Shot& shot) {
  const std::size_t count = shot.keyframes.size();
  if (checkpoint.uncontrolled.size() != count || checkpoint.weight_factors.size() != count ||
      checkpoint.keyframe_states.size() != count)
    return false;
  for (const ClosestMisses::Mark* mark :
       {&checkpoint.closest.now, &checkpoint.closest.half, &checkpoint.closest.quarter})
    if (!mark->least.empty() && mark->least.size() != count) return false;
  std::set<int> goals;
  for (std::size_t k = 0; k < count; ++k) {
    const Keyframe& keyframe = shot.keyframes[k].goal;
    const std::vector<int>& candidates = keyframe.candidates;
    const int state = checkpoint.keyframe_states[k];
    if (state != keyframe.state && std::find(candidates.begin(), candidates.end(), state) == candidates.end())
      return false;
    goals.insert(keyframe.goal);
  }
  return checkpoint.weight_memory.empty() ||
         checkpoint.weight_memory.size() ==
             ToleranceWeights::kMemory + ToleranceWeights::kMemoryOfGoal * goals.size();
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

void write_checkpoint(const RunFolder& folder, const Checkpoint& checkpoint, const RunView& at,
                      const RunView* best) {
  const Json before = read_json(folder / "checkpoint.json");
  const bool a_is_used = before.is_object() && before.value("values", "") == kValueFiles[0];
  const std::string_view values = kValueFiles[a_is_used ? 1 : 0];
  const Json json = {{"scene", fingerprint_json(checkpoint.scene)},
                     {"layout", checkpoint.layout},
                     {"values", values},
                     {"counts", counts_json(count_values(checkpoint, at, best))},
                     {"is_before_search", checkpoint.is_before_search},
                     {"iteration", checkpoint.iteration},
                     {"first_iteration", checkpoint.first_iteration},
                     {"stage_iteration", checkpoint.stage_iteration},
                     {"forward_simulations", checkpoint.work.forward_simulations},
                     {"time_s", checkpoint.time_s},
                     {"work", work_json(checkpoint.work)},
                     {"uncontrolled", misses_json(checkpoint.uncontrolled)},
                     {"closest", closest_json(checkpoint.closest)},
                     {"weight_factors", checkpoint.weight_factors},
                     {"keyframe_states", checkpoint.keyframe_states},
                     {"weight_memory", checkpoint.weight_memory},
                     {"levels", levels_json(checkpoint.levels)},
                     {"progress", progress_json(checkpoint.progress)},
                     {"windows", windows_json(checkpoint.windows)},
                     {"best", best_json(checkpoint.best_record)}};
  write_values(folder / values, checkpoint, at, best);
  write_file_atomically(folder / "checkpoint.json", json.dump(2) + "\n");
  std::error_code ignored;  // a file that stays is used by nobody and overwritten by the next checkpoint
  std::filesystem::remove(folder / kValueFiles[a_is_used ? 0 : 1], ignored);
}

Checkpoint read_checkpoint(const RunFolder& folder, const SceneFingerprint& scene, const Shot& shot,
                           bool any_scene) {
  const std::filesystem::path file = folder / "checkpoint.json";
  if (!std::filesystem::exists(file)) refuse(file, "there is no checkpoint to resume from");
  Checkpoint checkpoint;
  ValueCounts counts;
  std::string values;
  try {
    const Json json = read_json(file);
    checkpoint.scene = fingerprint_of(json.at("scene"));
    checkpoint.layout = json.at("layout");
    checkpoint.is_before_search = json.at("is_before_search");
    checkpoint.iteration = json.at("iteration");
    checkpoint.first_iteration = json.at("first_iteration");
    checkpoint.stage_iteration = json.at("stage_iteration");
    checkpoint.time_s = json.at("time_s");
    checkpoint.work = work_of(json.at("work"));
    checkpoint.uncontrolled = misses_of(json.at("uncontrolled"));
    checkpoint.closest = closest_of(json.at("closest"));
    checkpoint.weight_factors = json.at("weight_factors").get<std::vector<double>>();
    checkpoint.keyframe_states = json.at("keyframe_states").get<std::vector<int>>();
    checkpoint.weight_memory = json.at("weight_memory").get<std::vector<double>>();
    checkpoint.levels = levels_of(json.at("levels"));
    checkpoint.progress = progress_of(json.at("progress"));
    checkpoint.windows = windows_of(json.at("windows"));
    checkpoint.best_record = best_of(json.at("best"));
    counts = counts_of(json.at("counts"));
    values = json.at("values");
  } catch (const nlohmann::json::exception&) {
    refuse(file, "the checkpoint is damaged");
  }
  const std::vector<std::string> changes = differences(checkpoint.scene, scene);
  const bool is_in_windows = checkpoint.windows && changes.empty();
  const bool is_same_layout = changes.empty() || checkpoint.layout == layout_fingerprint(shot.layout());
  const bool fit = is_same_layout && (is_in_windows ? fits_in_part(counts, shot) : fits(counts, shot));
  if (!changes.empty() && !(fit && any_scene)) refuse_other_scene(file, changes, fit);
  const bool is_known = values == kValueFiles[0] || values == kValueFiles[1];
  if (!is_known || !fit || (changes.empty() && !has_keyframes(checkpoint, shot)) ||
      !read_values(folder / values, counts, shot.simulator().dt(), checkpoint))
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
