#include "io/run/simulation_checkpoint.h"

#include <fmt/format.h>

#include <cassert>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>

#include "control/run/rollout.h"
#include "core/base/error.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/formats/npy.h"
#include "io/run/checkpoint_values.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

// What a row of a part has: positions, velocities where they do not follow from those, how the step went.
struct StepRow {
  Eigen::Index positions, velocities;

  explicit StepRow(const Shot& shot)
      : positions(shot.start().x.size()), velocities(shot.simulator().ends_as_it_moved() ? 0 : positions) {}
  Eigen::Index width() const { return positions + velocities + kReportValues + 1; }

  VecX of_step(const Trajectory& run, int step) const {
    const State& end = run.states[static_cast<std::size_t>(step) + 1];
    const StepReport& report = run.reports[static_cast<std::size_t>(step)];
    VecX row(width());
    row << end.x, end.v.head(velocities), report_values(report, run.seconds[static_cast<std::size_t>(step)]),
        report.cuts;
    return row;
  }
  // False: it is none of a step's.
  bool append_to(Trajectory& run, const VecX& row, const Simulator& simulator) const {
    const ReportValues report = row.segment(positions + velocities, kReportValues);
    const double cuts = row[row.size() - 1];
    if (!are_report_values(report) || !(cuts >= 0.0 && cuts <= std::numeric_limits<int>::max())) return false;
    append_step(run, row.head(positions), simulator, report);
    if (velocities > 0) run.states.back().v = row.segment(positions, velocities);
    run.reports.back().cuts = static_cast<int>(cuts);
    return true;
  }
};

[[noreturn]] void refuse_state(const fs::path& file, const std::string& found) {
  throw InputError(
      fmt::format("{}: {}; simulate with --force, without --resume, to start again", file.string(), found));
}

}  // namespace

bool is_draft_checkpoint(const fs::path& folder) {
  const auto run = json_if_any(read_file(folder / kSimulationFile));
  return run.is_object() && run.contains(kDraftOption);
}

fs::path SimulationCheckpoint::part(int k) const {
  return folder_ / kSimulationFolder / fmt::format("part_{:04}.npy", k);
}

std::vector<std::string> SimulationCheckpoint::differences() const {
  const fs::path file = folder_ / kSimulationFile;
  try {
    return keydrape::differences(fingerprint_of(parse_json(read_file(file))), run_);
  } catch (const nlohmann::json::exception&) {
    refuse_state(file, "the checkpoint is damaged");
  }
}

void SimulationCheckpoint::read(const Shot& shot, Trajectory& trajectory) {
  assert(trajectory.states.size() == 1 && trajectory.reports.empty() && differences().empty());
  const StepRow row(shot);
  const Eigen::Index width = row.width();
  for (fs::path file = part(1); fs::exists(file); file = part(part_count_ + 1)) {
    const NpyArray array = read_npy(file);
    const bool fits = array.shape.size() == 2 && array.shape.back() == width &&
                      array.shape.front() <= shot.clock.step_count() - step_count_;
    const int steps = fits ? static_cast<int>(array.shape.front()) : 0;
    if (steps == 0 || steps % kStepsBetweenClearStarts != 0)
      refuse_state(file, "this part of the checkpoint is damaged, or of another version of keydrape");
    for (int k = 0; k < steps; ++k)
      if (!row.append_to(trajectory, array.values.segment(k * width, width), shot.simulator()))
        refuse_state(file, "this part of the checkpoint is damaged, or of another version of keydrape");
    step_count_ += steps;
    ++part_count_;
  }
}

void SimulationCheckpoint::write(const Shot& shot, const Trajectory& trajectory) {
  const int end = trajectory.first_failure() / kStepsBetweenClearStarts * kStepsBetweenClearStarts;
  if (end <= step_count_) return;
  if (part_count_ == 0)
    write_file_atomically(folder_ / kSimulationFile, json_text(fingerprint_json(run_), 2) + "\n");
  folder_.subfolder(kSimulationFolder);
  const StepRow row(shot);
  NpyWriter writer(part(part_count_ + 1), {row.width()});
  for (int n = step_count_; n < end; ++n) writer.append(row.of_step(trajectory, n));
  writer.commit();
  step_count_ = end;
  ++part_count_;
}

void SimulationCheckpoint::remove() const {
  std::error_code ignored;  // what stays is refused by nobody and removed by the next run
  fs::remove(folder_ / kSimulationFile, ignored);
  for (int k = 1; k <= part_count_; ++k) fs::remove(part(k), ignored);
  fs::remove(folder_ / kSimulationFolder, ignored);
}

}  // namespace keydrape
