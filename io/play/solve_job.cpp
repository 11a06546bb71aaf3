#include "io/play/solve_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "io/file/interrupt.h"
#include "io/perform/solve_run.h"

namespace keydrape {
namespace {

constexpr std::chrono::milliseconds kBetweenWords{100};
constexpr std::size_t kMostNamed = 4;

// "1020: 0.31 mm off, ..": of tracks the first frames.
std::string misses_text(const RunSummary& summary) {
  std::string text;
  std::size_t count = 0;
  for (const KeyframeOutcome& keyframe : summary.keyframes) {
    if (++count > kMostNamed)
      return text + fmt::format(" and {} more", summary.keyframes.size() - kMostNamed);
    text +=
        fmt::format("{}{}: {:.2f} mm off", text.empty() ? "" : ", ", keyframe.frame, 1e3 * keyframe.miss.rms);
  }
  return text;
}

}  // namespace

SolveVerdict verdict_of(const RunSummary& summary) {
  const std::vector<KeyframeOutcome>& outcomes = summary.keyframes;
  const auto is_of_track = [](const KeyframeOutcome& outcome) { return outcome.track.has_value(); };
  const auto has_tolerance = [](const KeyframeOutcome& outcome) {
    return outcome.tolerance || outcome.velocity_tolerance || outcome.tolerance_max;
  };
  const bool are_tracks = !outcomes.empty() && std::all_of(outcomes.begin(), outcomes.end(), is_of_track);
  const char* what = are_tracks ? "track" : "keyframe";
  switch (summary.status) {
    case RunStatus::kDone:
      if (const auto asked = std::count_if(outcomes.begin(), outcomes.end(), has_tolerance); asked > 0)
        return {
            fmt::format("every {}{} is met", what, asked == std::ssize(outcomes) ? "" : " with a tolerance"),
            true};
      return {fmt::format("done; no {} has a tolerance", what), {}};
    case RunStatus::kMissed:
      return {fmt::format("a {} missed its tolerance", what), false};
    case RunStatus::kFailed:
      return {"the simulation failed", {}};
    case RunStatus::kInterrupted:
      break;
  }
  return {"ended before its time, with the best so far", {}};
}

SolveJob::SolveJob(std::filesystem::path scene, std::filesystem::path folder, int number,
                   std::function<void(const SolveStatus&)> on_change)
    : scene_(std::move(scene)),
      folder_(std::move(folder)),
      number_(number),
      on_change_(std::move(on_change)) {
  status_.is_running = true;
  status_.text = "opening the scene";
  thread_ = std::thread([this] { solve(); });
}

SolveJob::~SolveJob() {
  stop();
  thread_.join();
}

void SolveJob::stop() {
  if (stop_.exchange(true) || !status().is_running) return;
  tell([](SolveStatus& status) { status.text += "; to stop"; }, true);
}

SolveStatus SolveJob::status() {
  const std::lock_guard lock(mutex_);
  return status_;
}

void SolveJob::tell(const std::function<void(SolveStatus&)>& change, bool at_once) {
  SolveStatus status;
  {
    const std::lock_guard lock(mutex_);
    change(status_);
    const auto now = std::chrono::steady_clock::now();
    if (!at_once && now - told_ < kBetweenWords) return;
    told_ = now;
    status = status_;
  }
  on_change_(status);
}

void SolveJob::on_text(LogLevel level, const std::string& text) {
  if (level == LogLevel::kError) tell([&](SolveStatus& status) { status.text = text; }, true);
}

void SolveJob::on_progress(double fraction, const std::string& text) {
  const bool has_report = std::filesystem::exists(folder_ / "report.html");
  tell(
      [&](SolveStatus& status) {
        status.fraction = fraction;
        status.text = text;
        if (has_report) status.report = number_;
      },
      false);
}

void SolveJob::solve() {
  SolveVerdict verdict;
  std::string& text = verdict.text;
  try {
    const SolvedRun run = solve_in_folder(read_scene(scene_), {.place = {.folder = folder_}}, *this);
    verdict = verdict_of(run.summary);
    if (const std::string misses = misses_text(run.summary); !misses.empty()) text += "; " + misses;
  } catch (const Interrupted&) {
    text = "ended before there was anything";
  } catch (const std::bad_alloc&) {
    text = "out of memory";
  } catch (const std::exception& error) {
    text = error.what();
  }
  const bool has_report = std::filesystem::exists(folder_ / "report.html");
  tell(
      [&](SolveStatus& status) {
        status.is_running = false;
        status.fraction = 1.0;
        status.text = text;
        status.is_reached = verdict.is_reached;
        if (has_report) status.report = number_;
      },
      true);
}

}  // namespace keydrape
