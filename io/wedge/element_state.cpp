#include "io/wedge/element_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

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

void read_summary(const nlohmann::ordered_json& summary, ElementOutcome& outcome) {
  const std::string status = summary.at("status");
  outcome.state = status == "done"     ? ElementState::kDone
                  : status == "missed" ? ElementState::kMissed
                  : status == "failed" ? ElementState::kFailed
                                       : ElementState::kInterrupted;
  if (outcome.state == ElementState::kFailed) outcome.reason = "the simulation failed";
  for (const auto& keyframe : summary.at("keyframes")) {
    ElementFrame& frame = outcome.keyframes.emplace_back();
    frame.frame = whole_number(keyframe.at("frame"));
    frame.rms = keyframe.at("rms_m");
    frame.max = keyframe.at("max_m");
    if (keyframe.contains("tolerance_m") && !keyframe["tolerance_m"].is_null())
      frame.tolerance = keyframe["tolerance_m"].get<double>();
  }
  const auto& effort = summary.at("effort");
  if (effort.at("rms_g").is_number()) outcome.rms_g = effort["rms_g"].get<double>();
  if (effort.at("peak_g").is_number()) outcome.peak_g = effort["peak_g"].get<double>();
  outcome.forward_simulations = whole_number(summary.at("work").at("forward_simulations"));
  outcome.peak_rss_bytes = summary.at("memory_bytes").at("peak_rss");
}

void read_end(const nlohmann::ordered_json& end, ElementOutcome& outcome) {
  outcome.exit_code = whole_number(end.at("exit_code"));
  outcome.seconds = end.at("seconds");
  const int code = *outcome.exit_code;
  if (code == 0 || code == 4 || code == 75) return;  // the summary says it
  outcome.state = ElementState::kFailed;
  outcome.reason = end.at("reason");
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
    throw InputError(fmt::format("{}: damaged: {}; remove the folder, and run the wedge again", file.string(),
                                 shortened(error.what())));
  }
  if (!outcome.is_finished() && fs::exists(folder / kLockFile) && !ElementLock(folder).is_held())
    outcome.state = ElementState::kRunning;
  return outcome;
}

ElementLock::ElementLock(const fs::path& folder) {
  descriptor_ = ::open((folder / kLockFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw OutputError(fmt::format("{}: cannot be written: {}; choose a folder that you may write to (-o)",
                                  (folder / kLockFile).string(), std::strerror(errno)));
  try_again();
}

ElementLock::~ElementLock() { ::close(descriptor_); }

bool ElementLock::try_again() {
  if (!is_held_) is_held_ = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
  return is_held_;
}

}  // namespace keydrape
