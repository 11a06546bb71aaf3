#include "io/perform/run_place.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "io/run/scene_files.h"
#include "io/run/simulation_checkpoint.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStem = "take_";
constexpr int kMostTakes = 1'000'000;
// What a run whose folder is SHOT_out itself would call its own folders.
constexpr std::string_view kFoldersOfRuns[] = {"shot",           "obj",          "ply", "simulation",
                                               "controlled_vtp", "simulated_vtp"};

std::string numbered(int number) { return fmt::format("{}{:03}", kStem, number); }

// Of "take_012" 12; of other names 0.
int number_of(const std::string& name) {
  if (!name.starts_with(kStem)) return 0;
  int number = 0;
  const char *begin = name.data() + kStem.size(), *end = name.data() + name.size();
  const auto [at, error] = std::from_chars(begin, end, number);
  return error == std::errc{} && at == end && number < kMostTakes ? number : 0;
}

// The number of the next take: more than any that is there, and than the latest, which may have been removed.
int next_number(const fs::path& takes) {
  int last = 0;
  if (fs::is_directory(takes))
    for (const auto& entry : fs::directory_iterator(takes)) {
      last = std::max(last, number_of(entry.path().filename().string()));
      if (entry.is_symlink())
        last = std::max(last, number_of(fs::read_symlink(entry.path()).filename().string()));
    }
  return last + 1;
}

struct TakeFolder {
  fs::path folder;
  LockHolder begun;
};

// In the order in which they began; those of before there were locks first, by name.
std::vector<TakeFolder> takes_in(const fs::path& folder) {
  std::vector<TakeFolder> takes;
  if (!fs::is_directory(folder)) return takes;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_directory() || entry.is_symlink() || !has_run(entry.path())) continue;
    takes.push_back({entry.path(), lock_holder(entry.path()).value_or(LockHolder{})});
  }
  std::sort(takes.begin(), takes.end(), [](const TakeFolder& a, const TakeFolder& b) {
    return std::pair(a.begun.since, a.folder) < std::pair(b.begun.since, b.folder);
  });
  return takes;
}

// The file by which a run of the command can be gone on with.
std::string_view mark_of(RunCommand command) {
  return command == RunCommand::kSolve ? "checkpoint.json" : kSimulationFile;
}

// Whether a run of the command was broken off there, or a search ended that may go on, of these steps.
bool can_go_on(const fs::path& folder, RunCommand command, bool is_draft) {
  if (!fs::exists(folder / mark_of(command))) return false;
  return command == RunCommand::kSolve || is_draft == is_draft_checkpoint(folder);
}

// Where the command was last; with --resume what can be gone on with, if there is any, before what was begun
// later. Of before there were takes: in the folder itself, what can be gone on with.
std::optional<fs::path> latest_of(RunCommand command, const fs::path& folder, const PlaceOrder& order) {
  const std::vector<TakeFolder> takes = takes_in(folder);
  const auto last_where = [&](const auto& is_meant) -> std::optional<fs::path> {
    const auto last = std::find_if(takes.rbegin(), takes.rend(), [&](const TakeFolder& take) {
      return take.begun.command == word(command) && is_meant(take.folder);
    });
    return last == takes.rend() ? std::nullopt : std::optional(last->folder);
  };
  const auto goes_on = [&](const fs::path& take) { return can_go_on(take, command, order.is_draft); };
  if (order.resume)
    if (auto last = last_where(goes_on)) return last;
  if (auto last = last_where([](const fs::path&) { return true; })) return last;
  if (fs::exists(folder / mark_of(command))) return folder;
  return std::nullopt;
}

void refuse_name(const std::string& take) {
  const bool is_one_name = fs::path(take).filename().string() == take && !take.starts_with('.');
  const bool is_taken =
      std::find(std::begin(kFoldersOfRuns), std::end(kFoldersOfRuns), take) != std::end(kFoldersOfRuns);
  if (is_one_name && !is_taken && take != kLatestTake) return;
  throw InputError(fmt::format(
      "--take: found \"{}\"; expected the name of one folder that does not begin with a dot{}; call it "
      "otherwise, such as {}, or name a folder by -o",
      take,
      is_one_name ? fmt::format(", and none of {}, {}", kLatestTake, fmt::join(kFoldersOfRuns, ", ")) : "",
      numbered(1)));
}

// Points `latest` at a take. Why it could not; empty: it does.
std::string link_latest(const fs::path& take) {
  const fs::path link = take.parent_path() / kLatestTake;
  const fs::path temporary = take.parent_path() / fmt::format(".{}.{}.tmp", kLatestTake, ::getpid());
  std::error_code error;
  if (fs::exists(fs::symlink_status(link)) && !fs::is_symlink(link))
    return fmt::format("{}: is no link, and stays as it is; what runs began last is {}", link.string(),
                       take.string());
  fs::remove(temporary, error);
  fs::create_directory_symlink(take.filename(), temporary, error);
  if (!error) fs::rename(temporary, link, error);
  if (!error) return "";
  return fmt::format("{}: no link to the latest take: {}; it is {}", link.string(), error.message(),
                     take.string());
}

// A sentence for each file that the scene names by way of the link in `takes`.
std::vector<std::string> moving_files(const Scene& scene, const fs::path& takes) {
  const fs::path link = takes / kLatestTake;
  std::vector<std::string> sentences;
  if (!fs::is_symlink(link)) return sentences;
  for (const SceneFile& file : scene_files(scene)) {
    const fs::path within = fs::absolute(file.path).lexically_normal().lexically_relative(link);
    if (within.empty() || *within.begin() == "..") continue;
    sentences.push_back(fmt::format(
        "{}: {}: found {}, which is another take's file now that this run begins; name the take itself, {}",
        file.source.where(), file.key, file.path.string(),
        (takes / fs::read_symlink(link) / within).string()));
  }
  return sentences;
}

}  // namespace

std::string_view word(RunCommand command) { return command == RunCommand::kSolve ? "solve" : "simulate"; }

RunPlace::RunPlace(const Scene& scene, const PlaceOrder& order, RunCommand command)
    : command_(command), earlier_(order.earlier), resume_(order.resume) {
  if (!order.folder.empty() && !order.take.empty())
    throw InputError(fmt::format("--take {}: found together with the folder {}; expected one of the two",
                                 order.take, order.folder.string()));
  const fs::path& folder = scene.output.dir;
  if (!order.take.empty()) {
    refuse_name(order.take);
    takes_ = folder;
    path_ = takes_ / order.take;
  } else if (!order.folder.empty() || !scene.output.holds_takes) {
    path_ = order.folder.empty() ? folder : order.folder;
  } else {
    const bool is_anew = !order.resume && order.earlier != EarlierRun::kReplace;
    const std::optional<fs::path> latest = is_anew ? std::nullopt : latest_of(command, folder, order);
    if (latest != folder) takes_ = folder;
    is_new_ = !latest;
    path_ = latest ? *latest : takes_ / numbered(next_number(takes_));
  }
  if (!takes_.empty()) warnings_ = moving_files(scene, takes_);
}

RunFolder RunPlace::open() const {
  return is_new_ ? open_new_take()
                 : RunFolder(path_, earlier_, resume_ ? mark_of(command_) : std::string_view{});
}

std::vector<std::string> RunPlace::begin(const RunFolder& folder) const {
  folder.begin(word(command_));
  if (takes_.empty()) return {};
  std::vector<std::string> warnings = warnings_;
  if (resume_ && !folder.goes_on())
    warnings.push_back(
        fmt::format("{}: no {} was broken off there: --resume has nothing to go on with, and begins "
                    "anew in {}",
                    takes_.string(), word(command_), folder.path().string()));
  if (std::string why = link_latest(folder.path()); !why.empty()) warnings.push_back(std::move(why));
  return warnings;
}

// Whoever makes a folder has it: of two runs that want the same number, one takes the next.
RunFolder RunPlace::open_new_take() const {
  std::error_code error;
  fs::create_directories(takes_, error);
  for (int number = next_number(takes_); number < kMostTakes; ++number) {
    const fs::path take = takes_ / numbered(number);
    const bool is_made = fs::create_directory(take, error);
    if (is_made || error) return RunFolder(take, EarlierRun::kRefuse);  // which says what is wrong
  }
  throw InputError(
      fmt::format("{}: found {} takes; expected fewer; remove some", takes_.string(), kMostTakes));
}

fs::path take_behind(const fs::path& folder) {
  const fs::path link = folder.filename().empty() ? folder.parent_path() : folder;
  if (link.filename() != kLatestTake || !fs::is_symlink(link)) return folder;
  return link.parent_path() / fs::read_symlink(link);
}

std::vector<fs::path> runs_in(const fs::path& folder) {
  if (has_run(folder)) return {folder};
  std::vector<fs::path> runs;
  for (TakeFolder& take : takes_in(folder)) runs.push_back(std::move(take.folder));
  if (runs.empty())
    throw InputError(fmt::format(
        "{}: {}; expected a folder that keydrape simulate or solve has written, or one with takes in "
        "it; check the name",
        folder.string(),
        fs::is_directory(folder) ? "found no run in it, no shot/shot.json" : "is no folder"));
  return runs;
}

}  // namespace keydrape
