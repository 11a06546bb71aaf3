#include "io/wedge/element_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/file/printable.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLockFile = ".lock";
constexpr std::string_view kWriteAgain = "give the whole command again, with its scene and its --set";

using Json = nlohmann::ordered_json;

// A miss over what the target allows; none where it says nothing of that, which is less than any.
std::optional<double> excess(double miss, const Json& target, const char* tolerance) {
  const auto allowed = target.find(tolerance);
  if (allowed == target.end() || allowed->is_null()) return {};
  return miss / allowed->get<double>();
}

void add_target(ElementTarget target, std::vector<ElementTarget>& targets) {
  for (const ElementTarget& each : targets)
    if (each.frames.first == target.frames.first && each.frames.last == target.frames.last) ++target.ordinal;
  targets.push_back(target);
}

void read_targets(const Json& summary, std::vector<ElementTarget>& targets) {
  for (const Json& keyframe : summary.at("keyframes")) {
    const int frame = whole_number(keyframe.at("frame"));
    const double rms = keyframe.at("rms_m"), max = keyframe.at("max_m");
    const double velocity = keyframe.value("velocity_rms_m_s", 0.0);
    add_target(
        {.frames = {frame, frame},
         .rms = rms,
         .max = max,
         .excess = std::max({excess(rms, keyframe, "tolerance_m"), excess(max, keyframe, "tolerance_max_m"),
                             excess(velocity, keyframe, "velocity_tolerance_m_s")})},
        targets);
  }
  for (const Json& track : summary.at("tracks")) {
    add_target({.frames = {whole_number(track.at("range").at(0)), whole_number(track.at("range").at(1))},
                .rms = track.at("rms_m"),
                .max = track.at("max_m"),
                .excess = excess(track.at("worst").at("rms_m"), track, "tolerance_m")},
               targets);
  }
}

// Of a run with such a summary; one that was interrupted may have been killed since.
std::optional<int> exit_code_of(ElementState state) {
  if (state == ElementState::kDone) return 0;
  if (state == ElementState::kMissed) return 4;
  if (state == ElementState::kFailed) return 5;
  return {};
}

void read_summary(const Json& summary, ElementOutcome& outcome) {
  const std::string status = summary.at("status");
  outcome.state = status == "done"     ? ElementState::kDone
                  : status == "missed" ? ElementState::kMissed
                  : status == "failed" ? ElementState::kFailed
                                       : ElementState::kInterrupted;
  outcome.exit_code = exit_code_of(outcome.state);
  if (outcome.state == ElementState::kFailed) outcome.reason = "the simulation failed";
  read_targets(summary, outcome.targets);
  const auto& effort = summary.at("effort");
  if (effort.at("rms_g").is_number()) outcome.rms_g = effort["rms_g"].get<double>();
  if (effort.at("peak_g").is_number()) outcome.peak_g = effort["peak_g"].get<double>();
  outcome.forward_simulations = whole_number(summary.at("work").at("forward_simulations"));
  outcome.peak_rss_bytes = summary.at("memory_bytes").at("peak_rss");
  outcome.seconds = summary.at("time_s").at("total");
}

void read_end(const Json& end, ElementOutcome& outcome) {
  outcome.seconds = std::max(outcome.seconds, end.at("seconds").get<double>());
  const Json& recorded = end.at("exit_code");
  if (recorded.is_null()) return;  // a run has begun since
  const int code = whole_number(recorded);
  if (code == 75 && outcome.is_finished()) return;  // somebody else has ended it since
  outcome.exit_code = code;
  if (code == 0 || code == 4 || code == 75) return;  // the summary says it
  outcome.state = ElementState::kFailed;
  outcome.reason = end.at("reason");
}

// Whether somebody runs it now. Whoever may read the wedge may ask.
bool is_running(const fs::path& folder) {
  const fs::path file = folder / kLockFile;
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) return false;
  if (descriptor < 0)
    throw InputError(fmt::format("{}: cannot be read: {}; ask as somebody who may read it", file.string(),
                                 std::strerror(errno)));
  const bool is_free = ::flock(descriptor, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  ::close(descriptor);
  return !is_free;
}

}  // namespace

std::string_view word(ElementState state) {
  switch (state) {
    case ElementState::kWaiting:
      return "waiting";
    case ElementState::kRunning:
      return "running";
    case ElementState::kInterrupted:
      return "interrupted";
    case ElementState::kDone:
      return "done";
    case ElementState::kMissed:
      return "missed";
    case ElementState::kFailed:
      break;
  }
  return "failed";
}

std::string ElementTarget::name() const {
  const std::string at = frames.count() == 1 ? fmt::format("{}", frames.first) : frames.text();
  return ordinal == 1 ? at : fmt::format("{}_{}", at, ordinal);
}

bool is_due(const ElementOutcome& outcome, bool again) {
  return !outcome.is_finished() || (again && outcome.state == ElementState::kFailed);
}

ElementOutcome element_outcome(const fs::path& folder) {
  ElementOutcome outcome;
  if (!fs::is_directory(folder)) return outcome;
  fs::path file;
  try {
    file = folder / "summary.json";
    if (fs::exists(file))
      read_summary(parse_json(read_file(file)), outcome);
    else if (fs::exists(folder / "keydrape.log"))
      outcome.state = ElementState::kInterrupted;
    file = folder / kElementFile;
    if (fs::exists(file)) read_end(parse_json(read_file(file)), outcome);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: damaged: {}; remove the folder, and {}", file.string(),
                                 shortened(error.what()), kWriteAgain));
  }
  if (!outcome.is_finished() && is_running(folder)) outcome.state = ElementState::kRunning;
  return outcome;
}

void refuse_missing_folder(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw InputError(
        fmt::format("{}: is not there; expected the folder of an element; {}", folder.string(), kWriteAgain));
}

ElementLock::ElementLock(const fs::path& folder) : file_(folder / kLockFile) {
  descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw OutputError(fmt::format("{}: cannot be written: {}; choose a folder that you may write to (-o)",
                                  file_.string(), std::strerror(errno)));
  try {
    try_again();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

ElementLock::~ElementLock() { ::close(descriptor_); }

bool ElementLock::try_again() {
  if (is_held_ || ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return is_held_ = true;
  if (errno != EWOULDBLOCK)
    throw OutputError(fmt::format(
        "{}: cannot be locked: {}; expected a folder of a file system that locks files; choose another (-o)",
        file_.string(), std::strerror(errno)));
  return false;
}

}  // namespace keydrape
