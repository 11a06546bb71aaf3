#include "io/perform/running_report.h"

#include <algorithm>
#include <iterator>
#include <new>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/report/page.h"
#include "io/shot/control.h"

namespace keydrape {
namespace {

// A report of 10,000 vertices x 120 frames takes seconds to compress: at most this share of the run's time.
constexpr double kShareOfTime = 0.03;
constexpr std::chrono::seconds kShortestInterval{2}, kLingering{5};

// Of the shot as far as it is known: a window begins with the last frame of what leads to it.
std::vector<VecX> frames_so_far(const SearchPart& part, const Trajectory& best, int substeps) {
  std::vector<VecX> frames = frames_of(best, substeps);
  if (!part.before) return frames;
  std::vector<VecX> before = frames_of(*part.before, substeps);
  frames.insert(frames.begin(), before.begin(), std::prev(before.end()));
  return frames;
}

bool is_main(const ReportTake& take) { return take.name != kUncontrolledTake; }

}  // namespace

void refuse_live_without_pages() {
  if (const auto obstacle = report_obstacle()) throw InputError("--live: " + *obstacle);
}

RunningReport::RunningReport(const RunFolder& folder, int substeps, Live live, RunListener& listener)
    : folder_(folder), listener_(listener), substeps_(substeps), possible_(!report_obstacle()) {
  if (!possible_) listener_.info("no report.html: {}", *report_obstacle());
  if (live == Live::kNo) return;
  server_.emplace();
  listener_.info("live report: {}", server_->url());
}

void RunningReport::refresh(const SearchPart& part, const Trajectory& best) {
  if (possible_ && Clock::now() >= next_) write([&] { return running(part, best); });
}

void RunningReport::finish() {
  if (possible_) write([&] { return finished(); });
  if (possible_ && server_) server_->wait_until_fetched(kLingering);
}

ReportRun RunningReport::running(const SearchPart& part, const Trajectory& best) {
  ReportRun run = read_report_run(folder_.path());
  std::erase_if(run.takes, is_main);
  // A resumed run's folder may hold what its earlier start has come to.
  run.summary = "null";
  run.forces.clear();
  run.contacts.clear();
  run.steps.clear();
  run.takes.insert(run.takes.begin(), {"controlled", "memory", frames_so_far(part, best, substeps_)});
  if (part.kind == SearchPart::Kind::kWindow) {
    run.window = ReportWindow{frames_of(part.range, run.shot.frames), part.window, part.window_count};
    in_window_ = {*run.window, run.takes.front()};
  }
  return run;
}

// A search in windows that was interrupted leaves no cloth in its folder: there is none of the whole shot.
ReportRun RunningReport::finished() const {
  ReportRun run = read_report_run(folder_.path());
  if (in_window_ && std::none_of(run.takes.begin(), run.takes.end(), is_main)) {
    run.window = in_window_->window;
    run.takes.insert(run.takes.begin(), in_window_->cloth);
  }
  return run;
}

void RunningReport::give_up(const char* reason) {
  listener_.warning("no report.html: {}", reason);
  possible_ = false;
}

void RunningReport::write(const std::function<ReportRun()>& make) {
  const Clock::time_point begin = Clock::now();
  try {
    const std::string html = report_html({make()});
    write_file_atomically(folder_ / "report.html", html);
    if (server_) server_->show(live_html(html, server_->version() + 1));
  } catch (const std::bad_alloc&) {
    give_up("out of memory; keydrape report makes one later");
  } catch (const std::runtime_error& error) {  // InputError, OutputError
    give_up(error.what());
  }
  const Clock::duration spent = Clock::now() - begin;
  next_ = Clock::now() +
          std::max<Clock::duration>(kShortestInterval,
                                    std::chrono::duration_cast<Clock::duration>(spent / kShareOfTime));
}

}  // namespace keydrape
