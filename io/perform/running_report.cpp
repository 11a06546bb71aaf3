#include "io/perform/running_report.h"

#include <algorithm>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/report/page.h"

namespace keydrape {
namespace {

// A report of 10,000 vertices x 120 frames takes seconds to compress: at most this share of the run's time.
constexpr double kShareOfTime = 0.03;
constexpr std::chrono::seconds kShortestInterval{2}, kLingering{5};

// The run as its folder has it, with the best cloth so far, which no file holds yet.
ReportRun running(const RunFolder& folder, const Trajectory& best, int substeps) {
  ReportRun run = read_report_run(folder.path());
  const auto is_main = [](const ReportTake& take) { return take.name != kUncontrolledTake; };
  std::erase_if(run.takes, is_main);
  run.contacts.clear();  // a resumed run's folder may hold those of another take
  run.takes.insert(run.takes.begin(), {"controlled", "memory", frames_of(best, substeps)});
  return run;
}

}  // namespace

RunningReport::RunningReport(const RunFolder& folder, int substeps, Live live, RunListener& listener)
    : folder_(folder), listener_(listener), substeps_(substeps), possible_(!report_obstacle()) {
  if (!possible_ && live == Live::kYes) throw InputError("--live: " + *report_obstacle());
  if (!possible_) listener_.info("no report.html: {}", *report_obstacle());
  if (live == Live::kNo) return;
  server_.emplace();
  listener_.info("live report: {}", server_->url());
}

void RunningReport::refresh(const Trajectory& best) {
  if (possible_ && Clock::now() >= next_) write(&best);
}

void RunningReport::finish() {
  if (possible_) write(nullptr);
  if (possible_ && server_) server_->wait_until_fetched(kLingering);
}

void RunningReport::write(const Trajectory* best) {
  const Clock::time_point begin = Clock::now();
  try {
    const std::string html =
        report_html({best ? running(folder_, *best, substeps_) : read_report_run(folder_.path())});
    write_file_atomically(folder_ / "report.html", html);
    if (server_) server_->show(live_html(html, server_->version() + 1));
  } catch (const std::runtime_error& error) {  // InputError, OutputError
    listener_.warning("no report.html: {}", error.what());
    possible_ = false;
  }
  const Clock::duration spent = Clock::now() - begin;
  next_ = Clock::now() +
          std::max<Clock::duration>(kShortestInterval,
                                    std::chrono::duration_cast<Clock::duration>(spent / kShareOfTime));
}

}  // namespace keydrape
