#pragma once

#include <chrono>
#include <optional>

#include "control/run/trajectory.h"
#include "io/perform/run_listener.h"
#include "io/report/live_server.h"
#include "io/run/run_folder.h"

namespace keydrape {

// The report of a run that goes on: report.html in its folder, written again and again, and served with
// --live. What cannot be reported never ends a run: the reason is a warning, once.
class RunningReport {
 public:
  enum class Live { kNo, kYes };

  // `substeps` of the shot; folder and listener outlive it. With kYes says where to look; throws OutputError
  // if no port can be had, InputError if this program cannot write reports.
  RunningReport(const RunFolder& folder, int substeps, Live live, RunListener& listener);

  // The best trajectory so far: writes the report unless that would take more than a few percent of
  // the run's time.
  void refresh(const Trajectory& best);
  // The run's files are complete. With `live` waits a moment, until open pages have the end.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void write(const Trajectory* best);

  const RunFolder& folder_;
  RunListener& listener_;
  int substeps_;
  bool possible_;
  std::optional<LiveServer> server_;
  Clock::time_point next_{};
};

}  // namespace keydrape
