#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "control/search/observer.h"
#include "io/perform/run_listener.h"
#include "io/report/live_server.h"
#include "io/report/run.h"
#include "io/run/run_folder.h"

namespace keydrape {

// Throws InputError where this program has no page for --live to show.
void refuse_live_without_pages();

// The report of a run that goes on: report.html in its folder, written again and again, and served with
// --live. What cannot be reported never ends a run: the reason is a warning, once.
class RunningReport {
 public:
  enum class Live { kNo, kYes };

  // `substeps` of the shot; folder and listener outlive it. With kYes says where to look; throws OutputError
  // if no port can be had. Requires with kYes that there are pages (refuse_live_without_pages).
  RunningReport(const RunFolder& folder, int substeps, Live live, RunListener& listener);

  // The best run so far of the part that is searched, not of a coarser level: writes the report unless that
  // would take more than a few percent of the run's time. Of a window it shows the cloth up to its end.
  void refresh(const SearchPart& part, const Trajectory& best);
  // The run's files are complete. With `live` waits a moment, until open pages have the end.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  struct InWindow {
    ReportWindow window;
    ReportTake cloth;
  };

  // The run as its folder has it, with the best cloth so far, which no file holds yet.
  ReportRun running(const SearchPart& part, const Trajectory& best);
  ReportRun finished() const;
  // `make` says what; what it throws, too, is why there is no report.
  void write(const std::function<ReportRun()>& make);
  void give_up(const char* reason);

  const RunFolder& folder_;
  RunListener& listener_;
  int substeps_;
  bool possible_;
  std::optional<InWindow> in_window_{};  // as it was shown last
  std::optional<LiveServer> server_;
  Clock::time_point next_{};
};

}  // namespace keydrape
