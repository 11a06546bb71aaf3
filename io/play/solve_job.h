#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "io/perform/run_listener.h"
#include "io/play/protocol.h"
#include "io/run/run_records.h"

namespace keydrape {

// What a search came to, for whoever looks at the page.
struct SolveVerdict {
  std::string text;
  std::optional<bool> is_reached{};  // as SolveStatus has it
};
SolveVerdict verdict_of(const RunSummary& summary);

// A search that goes on beside the stage, in a thread of its own.
class SolveJob final : public RunListener {
 public:
  // Solves the scene in that file into the folder; `on_change` is called from its thread whenever there is
  // something new, ten times a second at most, and outlives it. What goes wrong is its last word.
  SolveJob(std::filesystem::path scene, std::filesystem::path folder, int number,
           std::function<void(const SolveStatus&)> on_change);
  ~SolveJob() override;  // ends it with what there is
  SolveJob(const SolveJob&) = delete;
  SolveJob& operator=(const SolveJob&) = delete;

  void stop();  // a scene that is being opened is opened to its end before
  SolveStatus status();
  const std::filesystem::path& folder() const { return folder_; }

  void on_folder(const RunFolder&) override {}
  void on_text(LogLevel level, const std::string& text) override;
  void on_progress(double fraction, const std::string& text) override;
  bool should_stop() override { return stop_; }

 private:
  void solve();
  void tell(const std::function<void(SolveStatus&)>& change, bool at_once);

  std::filesystem::path scene_, folder_;
  int number_;
  std::function<void(const SolveStatus&)> on_change_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  SolveStatus status_;
  std::chrono::steady_clock::time_point told_{};
  std::thread thread_;
};

}  // namespace keydrape
