#include "io/run/simulation_checkpoint.h"

#include <fmt/format.h>

#include <cassert>
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
  const Eigen::Index n = shot.start().x.size(), width = n + kReportValues;
  for (fs::path file = part(1); fs::exists(file); file = part(part_count_ + 1)) {
    const NpyArray array = read_npy(file);
    const bool fits = array.shape.size() == 2 && array.shape.back() == width &&
                      array.shape.front() <= shot.clock.step_count() - step_count_;
    const int steps = fits ? static_cast<int>(array.shape.front()) : 0;
    if (steps == 0 || steps % kStepsBetweenClearStarts != 0)
      refuse_state(file, "this part of the checkpoint is damaged");
    for (int k = 0; k < steps; ++k) {
      const auto row = array.values.segment(k * width, width);
      if (!are_report_values(row.tail(kReportValues)))
        refuse_state(file, "this part of the checkpoint is damaged");
      append_step(trajectory, row.head(n), shot.simulator(), row.tail(kReportValues));
    }
    step_count_ += steps;
    ++part_count_;
  }
}

void SimulationCheckpoint::write(const Trajectory& trajectory) {
  const int end = trajectory.first_failure() / kStepsBetweenClearStarts * kStepsBetweenClearStarts;
  if (end <= step_count_) return;
  if (part_count_ == 0)
    write_file_atomically(folder_ / kSimulationFile, json_text(fingerprint_json(run_), 2) + "\n");
  folder_.subfolder(kSimulationFolder);
  NpyWriter writer(part(part_count_ + 1), {trajectory.back().x.size() + kReportValues});
  VecX row(trajectory.back().x.size() + kReportValues);
  for (int n = step_count_; n < end; ++n) {
    row << trajectory.states[n + 1].x, report_values(trajectory.reports[n], trajectory.seconds[n]);
    writer.append(row);
  }
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
