#include "io/run/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
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

[[noreturn]] void refuse_checkpoint(const std::filesystem::path& file, const std::string& found) {
  throw InputError(
      fmt::format("{}: {}; solve without --resume (and with --force) to start again", file.string(), found));
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

bool fits(const ValueCounts& counts, const PreparedTask& searched) {
  return counts.unknowns == searched.layout->size() && counts.state == searched.start().x.size() &&
         counts.steps == searched.task.grid.step_count() && counts.pairs >= 0 && counts.matched >= 0;
}

// A part of the task, from its first frame on.
bool fits_in_part(const ValueCounts& counts, const PreparedTask& searched) {
  ValueCounts whole = counts;
  whole.steps = searched.task.grid.step_count();
  return fits(whole, searched) && counts.steps >= 0 && counts.steps <= whole.steps;
}

// Factors of some of so many things, none below 1.
bool fit(const std::vector<std::pair<int, double>>& factors, std::int64_t count) {
  return std::all_of(factors.begin(), factors.end(), [&](const std::pair<int, double>& f) {
    return f.first >= 0 && f.first < count && f.second >= 1.0;
  });
}

bool fits(const ToleranceWeights::Memory& memory, std::size_t targets, std::size_t keyframes,
          const PreparedTask& searched) {
  if (memory.targets.size() != targets || memory.farthest.size() != keyframes) return false;
  const std::int64_t blocks = searched.block_count();
  return fit(memory.peaks.forces, blocks * searched.layout->active_count()) &&
         fit(memory.peaks.blocks, blocks) &&
         std::all_of(memory.farthest.begin(), memory.farthest.end(), [&](const auto& keyframe) {
           return fit(keyframe.factors, searched.task.vertex_count());
         });
}

// Whether it is searched in so many windows, or not in any, and no more are done than there are.
bool has_windows(const SearchState& state, std::size_t count) {
  if (!state.windows) return count == 0;
  const WindowsDone& done = *state.windows;
  const auto is_one = [&](int window) { return window >= 0 && window <= done.count; };
  return count > 0 && is_one(done.count) && static_cast<std::size_t>(done.count) <= count &&
         std::is_sorted(done.spent.begin(), done.spent.end()) &&
         std::all_of(done.spent.begin(), done.spent.end(), is_one) && is_one(done.first_missed.value_or(0));
}

// Whether what is said of targets fits those of the task.
bool has_targets(const SearchState& state, const ValueCounts& counts, const PreparedTask& searched) {
  const std::vector<Target>& targets = searched.task.targets;
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
  return !state.weight_memory || fits(*state.weight_memory, ids.size(), count, searched);
}

constexpr std::string_view kForcesFit =
    "or begin a new search at the checkpoint's forces, with --resume --force";
constexpr std::string_view kForcesDoNotFit =
    "its forces do not fit any more, which push other vertices or steps: solve with --force to start again";

// Of windows, where the scene does not ask for any now.
std::string run_is_short(int last_frame) {
  return fmt::format(
      "or keep [control] window or windows, and begin a new search at the checkpoint's forces with --resume "
      "--force. A search of the whole shot at once cannot begin at them: their run ends at frame {}, up to "
      "which windows have been searched; for that solve with --force to start again",
      last_frame);
}

// What differs, and what can still be used.
[[noreturn]] void refuse_other_scene(const std::filesystem::path& file, const std::vector<std::string>& lines,
                                     std::string_view rest) {
  throw InputError(fmt::format(
      "{}: the scene or one of its files has changed since this checkpoint: {}. Restore it to go on where "
      "the search was; {}",
      file.string(), in_short(lines), rest));
}

// Under these names. `head`: what comes first.
void write(const RunFolder& folder, const CheckpointNames& names, const FrameRange& frames, Json head,
           const SearchStand& stand) {
  const Json before = read_json(folder / names[0]);
  const bool a_is_used = before.is_object() && before.contains("values") && before["values"] == names[1];
  const std::string_view values = names[a_is_used ? 2 : 1];
  head["values"] = values;
  head["counts"] = counts_json(count_values(stand));
  head.update(state_json(stand.state, frames));
  write_values(folder / values, stand);
  write_file_atomically(folder / names[0], json_text(head, 2) + "\n");
  std::error_code ignored;  // a file that stays is used by nobody and overwritten by the next checkpoint
  std::filesystem::remove(folder / names[a_is_used ? 1 : 2], ignored);
}

// What a checkpoint says, without its values.
struct Words {
  Checkpoint checkpoint;
  ValueCounts counts;
  std::string values;  // the file that has them
  int level = 0;       // SearchPart::level
};

Words read_words(const std::filesystem::path& file, const CheckpointNames& names, const FrameRange& frames) {
  Words words;
  try {
    const Json json = read_json(file);
    words.checkpoint.scene = fingerprint_of(json.at("scene"));
    words.checkpoint.layout = json.at("layout");
    words.checkpoint.search.state = state_of(json, frames);
    words.counts = counts_of(json.at("counts"));
    words.values = json.at("values");
    if (json.contains("level")) words.level = whole_number(json.at("level"));
  } catch (const nlohmann::json::exception&) {
    refuse_checkpoint(file, "the checkpoint is damaged");
  }
  if (words.values != names[1] && words.values != names[2])
    refuse_checkpoint(file, "the checkpoint is damaged");
  return words;
}

// False: they are damaged.
bool read_values_of(Words& words, const std::filesystem::path& values, const PreparedTask& searched) {
  return read_values(values, words.counts, *searched.simulator, searched.start().exempt,
                     words.checkpoint.search);
}

}  // namespace

void write_checkpoint(const RunFolder& folder, const SceneFingerprint& scene, const Shot& shot,
                      const SearchStand& stand) {
  write(folder, kCheckpointFiles, shot.clock.frames,
        {{"scene", fingerprint_json(scene)}, {"layout", layout_fingerprint(shot.layout())}}, stand);
}

void write_level_checkpoint(const RunFolder& folder, const SceneFingerprint& scene, const Shot& shot,
                            const SearchPart& part, const SearchStand& stand) {
  write(folder, kLevelFiles, shot.clock.frames,
        {{"scene", fingerprint_json(scene)},
         {"layout", layout_fingerprint(*part.task.layout)},
         {"level", part.level}},
        stand);
}

Checkpoint read_checkpoint(const std::filesystem::path& file, const std::filesystem::path& values,
                           const SceneFingerprint& scene, const Shot& shot, CheckpointOf which) {
  Words words = read_words(file, kCheckpointFiles, shot.clock.frames);
  Checkpoint& checkpoint = words.checkpoint;
  const SearchState& state = checkpoint.search.state;
  const ValueCounts& counts = words.counts;
  const PreparedTask& searched = shot.prepared;
  const std::vector<std::string> changes = differences(checkpoint.scene, scene);
  const bool is_same_layout = changes.empty() || checkpoint.layout == layout_fingerprint(shot.layout());
  const bool has_forces =
      is_same_layout && (state.windows ? fits_in_part(counts, searched) : fits(counts, searched));
  const bool needs_run = !state.windows || (!changes.empty() && shot.options.windows.empty());
  const bool fit = has_forces && (!needs_run || fits(counts, searched));
  if (!changes.empty() && !(fit && which == CheckpointOf::kAnyScene))
    refuse_other_scene(file, changes,
                       fit          ? std::string(kForcesFit)
                       : has_forces ? run_is_short(shot.clock.frame_of_step(counts.steps))
                                    : std::string(kForcesDoNotFit));
  if (!fit ||
      (changes.empty() &&
       !(has_targets(state, counts, searched) && has_windows(state, shot.options.windows.size()))) ||
      !read_values_of(words, values.empty() ? file.parent_path() / words.values : values, searched))
    refuse_checkpoint(file, "the checkpoint is damaged");
  return std::move(words.checkpoint);
}

Checkpoint read_checkpoint(const RunFolder& folder, const SceneFingerprint& scene, const Shot& shot,
                           CheckpointOf which) {
  const std::filesystem::path file = folder / kCheckpointFiles[0];
  if (!std::filesystem::exists(file)) refuse_checkpoint(file, "there is no checkpoint to resume from");
  return read_checkpoint(file, {}, scene, shot, which);
}

std::optional<SearchCheckpoint> read_level_checkpoint(const RunFolder& folder, const SceneFingerprint& scene,
                                                      const Shot& shot, const SearchPart& part) {
  const std::filesystem::path file = folder / kLevelFiles[0];
  if (!std::filesystem::exists(file)) return {};
  Words words = read_words(file, kLevelFiles, shot.clock.frames);
  if (words.level != part.level) return {};
  const Checkpoint& checkpoint = words.checkpoint;
  if (const auto changes = differences(checkpoint.scene, scene); !changes.empty())
    refuse_other_scene(file, changes, kForcesDoNotFit);
  if (checkpoint.layout != layout_fingerprint(*part.task.layout) || !fits(words.counts, part.task) ||
      !has_targets(checkpoint.search.state, words.counts, part.task) ||
      !has_windows(checkpoint.search.state, 0) || !read_values_of(words, folder / words.values, part.task))
    refuse_checkpoint(file, "the checkpoint is damaged");
  return std::move(words.checkpoint.search);
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
