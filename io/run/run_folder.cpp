#include "io/run/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/formats/obj_sequence.h"
#include "io/take/take_files.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

// Everything that a run writes, but for sequences. Those that tell of a run last: they are removed last.
constexpr std::string_view kResults[] = {
    "convergence.jsonl", "steps.jsonl",      "uncontrolled.pc2", "controlled.pc2", "simulated.pc2",
    "controlled.mdd",    "simulated.mdd",    "controlled.glb",   "simulated.glb",  "controlled.usda",
    "simulated.usda",    "controlled.pvd",   "simulated.pvd",    kPositionsFile,   kForcesFile,
    kChannelsFile,       kForcesOfStepsFile, kStepsFile,         "contacts.npy",   "checkpoint_a.npy",
    "checkpoint_b.npy",  "level_a.npy",      "level_b.npy",      "level.json",     "first_guess.npy",
    "first_guess.json",  "report.html",      "shot/scene.toml",  "shot/rest.obj",  "shot/shot.json",
    "summary.json",      "checkpoint.json",  kSimulationFile,    "keydrape.log"};

constexpr std::size_t kLongestFileName = 255;  // of Linux [bytes]

// At least one of these is in a folder from a run's first moment on.
constexpr std::string_view kMarks[] = {"keydrape.log", "summary.json", "checkpoint.json", kSimulationFile,
                                       "shot/shot.json"};

// Folders of sequences, and how files in them are called (a regular expression).
struct Sequence {
  std::string_view folder;
  std::string name;
};

// `shot_name`: a regular expression as well.
std::vector<Sequence> sequences(const std::string& shot_name = ".+") {
  return {{"obj", shot_name + R"(\.-?\d+\.obj)"},
          {"shot", R"(target_\d+\.obj)"},
          {"shot", R"((keyframes|keyframe_weights|mass|collider_\d+)\.npy)"},
          {"ply", R"((controlled|simulated)\.-?\d+\.ply)"},
          {kSimulationFolder, R"(part_\d+\.npy)"},
          {"controlled_vtp", R"(controlled\.-?\d+\.vtp)"},
          {"simulated_vtp", R"(simulated\.-?\d+\.vtp)"}};
}

bool is_of(const Sequence& sequence, const std::string& file_name) {
  return std::regex_match(file_name, std::regex(sequence.name));
}

void create(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) {
    throw OutputError(
        fmt::format("{}: cannot be created: {}; choose an output folder that you may write to (-o)",
                    folder.string(), error ? error.message() : "there is a file of this name"));
  }
}

void remove_file(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) {
    throw OutputError(fmt::format("{}: cannot be removed: {}; choose another output folder (-o)",
                                  file.string(), error.message()));
  }
}

// Whether a killed run has left this behind: AtomicFile's temporary name of a file that runs write.
bool is_leftover(const fs::path& file) {
  static const std::regex kTemporary(R"(\.(.+)\.\d+-\d+\.tmp)");
  std::smatch match;
  const std::string name = file.filename().string();
  if (!std::regex_match(name, match, kTemporary)) return false;
  const fs::path written = match[1].str();
  for (const std::string_view result : kResults)
    if (written == fs::path(result).filename()) return true;
  for (const Sequence& sequence : sequences())
    if (file.parent_path().filename() == sequence.folder && is_of(sequence, written.string())) return true;
  return false;
}

void remove_leftovers(const fs::path& folder) {
  if (!fs::is_directory(folder)) return;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && is_leftover(entry.path())) remove_file(entry.path());
}

// The status in the folder's summary; empty if there is none that can be read.
std::string earlier_status(const fs::path& folder) {
  if (!fs::exists(folder / "summary.json")) return "";
  const auto summary = json_if_any(read_file(folder / "summary.json"));
  const bool says = summary.is_object() && summary.contains("status") && summary["status"].is_string();
  return says ? summary["status"].get<std::string>() : "";
}

// `is_to_go_on`: --resume was given, and there is nothing of its command to go on with.
void refuse_to_replace(const fs::path& folder, const std::string& status, bool is_to_go_on) {
  // One that was killed has no summary yet. One that failed may go on where windows before were done.
  const bool is_finished = status == "done" || status == "missed";
  const bool is_search = !is_finished && fs::exists(folder / "checkpoint.json");
  const bool is_simulation = !is_finished && fs::exists(folder / kSimulationFile);
  if (!is_finished && !is_search && !is_simulation) return;
  std::string_view advice;
  if (is_search) advice = "use solve --resume to continue it, ";
  if (is_simulation) advice = "use simulate --resume to continue it, ";
  throw InputError(fmt::format(
      "{}: {}holds the results of {} run; expected a folder without; {}use --force to replace them, or -o to "
      "choose another folder",
      folder.string(), is_to_go_on ? "there is nothing to resume; " : "",
      is_finished          ? "a finished"
      : status == "failed" ? "a failed"
                           : "an interrupted",
      advice));
}

// The name of the shot that a run in this folder has recorded, as a regular expression; of none, one
// that nothing matches.
std::string recorded_name(const fs::path& folder) {
  const fs::path record = folder / "shot/shot.json";
  if (!fs::is_regular_file(record)) return "$.";
  const auto shot = json_if_any(read_file(record));
  if (!shot.is_object() || !shot.contains("name") || !shot["name"].is_string()) return "$.";
  if (shot["name"].get_ref<const std::string&>().size() > kLongestFileName) return "$.";
  return std::regex_replace(shot["name"].get<std::string>(), std::regex(R"([^A-Za-z0-9_])"), R"(\$&)");
}

// Files of these sequences that are there.
std::vector<fs::path> files_of(const fs::path& folder, const std::vector<Sequence>& all) {
  std::vector<fs::path> files;
  for (const Sequence& sequence : all) {
    if (!fs::is_directory(folder / sequence.folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder / sequence.folder))
      if (entry.is_regular_file() && is_of(sequence, entry.path().filename().string()))
        files.push_back(entry.path());
  }
  return files;
}

// Where no run has been, what is called like a result is somebody's own.
void refuse_files_of_others(const fs::path& folder) {
  std::vector<fs::path> others = files_of(folder, sequences());
  for (const std::string_view name : kResults)
    if (fs::exists(fs::symlink_status(folder / name))) others.push_back(folder / name);
  if (others.empty()) return;
  const fs::path& first = *std::min_element(others.begin(), others.end());
  const std::string more = others.size() > 1 ? fmt::format(" (and {} more)", others.size() - 1) : "";
  throw InputError(
      fmt::format("{}{}: no run has written it, but results are called so; expected a folder without such "
                  "files, or one of an earlier run; choose another folder (-o), or move them",
                  first.string(), more));
}

// What is in these is removed and written: elsewhere, if they led there.
void refuse_linked_folders(const fs::path& folder) {
  for (const Sequence& sequence : sequences()) {
    const fs::path inner = folder / sequence.folder;
    if (!fs::is_symlink(inner)) continue;
    throw InputError(
        fmt::format("{}: leads to {}; expected a folder of the run's own, whose files it "
                    "replaces; remove the link, or choose another folder (-o)",
                    inner.string(), fs::read_symlink(inner).string()));
  }
}

void remove_results(const fs::path& folder, std::span<const std::string_view> kept = {}) {
  for (const fs::path& file : files_of(folder, sequences(recorded_name(folder)))) remove_file(file);
  for (const std::string_view name : kResults)
    if (std::find(kept.begin(), kept.end(), name) == kept.end()) remove_file(folder / name);
}

// What the earlier run, or somebody's own files, have against a run in this folder.
void refuse_contents(const fs::path& folder, EarlierRun earlier, std::string_view mark) {
  refuse_linked_folders(folder);
  if (earlier == EarlierRun::kRefuse) refuse_to_replace(folder, earlier_status(folder), !mark.empty());
  if (!has_run(folder)) refuse_files_of_others(folder);
}

EarlierRun fate(const fs::path& folder, EarlierRun earlier, std::string_view mark) {
  return !mark.empty() && fs::exists(folder / mark) ? EarlierRun::kContinue : earlier;
}

// A folder without a lock is looked at first: what is somebody's own stays without one, too.
FolderLock lock(const fs::path& folder, EarlierRun earlier, std::string_view mark) {
  create(folder);
  if (!fs::exists(folder / kRunLockFile)) refuse_contents(folder, earlier, mark);
  return FolderLock(folder);
}

// Without links in its folder; it may be one itself.
fs::path resolved(const fs::path& file) {
  return fs::weakly_canonical(fs::absolute(file).parent_path()) / file.filename();
}

}  // namespace

bool has_run(const fs::path& folder) {
  return std::any_of(std::begin(kMarks), std::end(kMarks),
                     [&](std::string_view mark) { return fs::exists(folder / mark); });
}

bool is_result_of_run_in(const fs::path& folder, const fs::path& file) {
  if (!fs::exists(file))
    if (const auto pattern = FramePattern::parse(file)) {
      const std::vector<int> frames = pattern->existing_frames();
      return std::any_of(frames.begin(), frames.end(),
                         [&](int frame) { return is_result_of_run_in(folder, pattern->path(frame)); });
    }
  const fs::path results = fs::weakly_canonical(fs::absolute(folder));
  for (const fs::path& place : {resolved(file), fs::weakly_canonical(fs::absolute(file))}) {
    for (const std::string_view name : kResults)
      if (place == results / name) return true;
    for (const Sequence& sequence : sequences())
      if (place.parent_path() == results / sequence.folder && is_of(sequence, place.filename().string()))
        return true;
  }
  return false;
}

RunFolder::RunFolder(fs::path path, EarlierRun earlier, std::string_view mark)
    : path_(std::move(path)),
      lock_(lock(path_, fate(path_, earlier, mark), mark)),
      earlier_(fate(path_, earlier, mark)) {
  refuse_contents(path_, earlier_, mark);
}

void RunFolder::begin(std::string_view command) const {
  lock_.sign(command);
  remove_leftovers(path_);
  for (const Sequence& sequence : sequences()) remove_leftovers(path_ / sequence.folder);
  if (!goes_on()) remove_results(path_);
}

void RunFolder::empty_but(std::span<const std::string_view> kept) const { remove_results(path_, kept); }

void RunFolder::drop(std::span<const std::string_view> names) const {
  for (const std::string_view name : names) {
    std::error_code ignored;
    fs::remove(path_ / name, ignored);
  }
}

void RunFolder::drop_sequence(std::string_view inner) const {
  std::vector<Sequence> all = sequences(recorded_name(path_));
  std::erase_if(all, [&](const Sequence& sequence) { return sequence.folder != inner; });
  for (const fs::path& file : files_of(path_, all)) {
    std::error_code ignored;
    fs::remove(file, ignored);
  }
}

fs::path RunFolder::subfolder(std::string_view name) const {
  create(path_ / name);
  return path_ / name;
}

}  // namespace keydrape
