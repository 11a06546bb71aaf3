#include "io/run/checkpoint_values.h"

#include <cassert>
#include <limits>
#include <utility>

#include "io/formats/npy.h"

namespace keydrape {
namespace {

void append(NpyWriter& writer, const RunView& run) {
  const Trajectory& trajectory = run.trajectory;
  writer.append(run.z);
  writer.append(trajectory.states.front().v);
  for (const State& state : trajectory.states) writer.append(state.x);
  for (int n = 0; n < trajectory.step_count(); ++n)
    writer.append(report_values(trajectory.reports[n], trajectory.seconds[n]));
}

// Takes values off the front of an array.
class Values {
 public:
  explicit Values(VecX values) : values_(std::move(values)) {}

  VecX take(Eigen::Index count) {
    assert(at_ + count <= values_.size());
    at_ += count;
    return values_.segment(at_ - count, count);
  }

  // None: a report in it is none.
  std::optional<SavedRun> take_run(const ValueCounts& counts, const Simulator& simulator,
                                   const ExemptionsPointer& exempt) {
    SavedRun run{take(counts.unknowns), {}};
    Trajectory& trajectory = run.trajectory;
    VecX v = take(counts.state);
    trajectory.states.push_back({take(counts.state), std::move(v), exempt});
    std::vector<VecX> ends;
    ends.reserve(static_cast<std::size_t>(counts.steps));
    for (int n = 0; n < counts.steps; ++n) ends.push_back(take(counts.state));
    for (VecX& x : ends) {
      const ReportValues report = take(kReportValues);
      if (!are_report_values(report)) return {};
      append_step(trajectory, std::move(x), simulator, report);
    }
    return run;
  }

 private:
  VecX values_;
  Eigen::Index at_ = 0;
};

}  // namespace

ReportValues report_values(const StepReport& report, double seconds) {
  ReportValues values;
  values << static_cast<double>(report.end), report.iterations, report.factorizations, report.cg_iterations,
      report.violations, report.retries, report.residual, report.rounding, seconds;
  return values;
}

bool are_report_values(const ReportValues& values) {
  const auto counts = values.head<6>().array();
  return (counts >= 0.0).all() && (counts <= std::numeric_limits<int>::max()).all() &&
         values[0] <= static_cast<double>(NewtonEnd::kTooLong);
}

void append_step(Trajectory& trajectory, VecX x, const Simulator& simulator, const ReportValues& values) {
  assert(are_report_values(values));
  trajectory.states.push_back(simulator.end_state(trajectory.from(trajectory.step_count()), std::move(x)));
  StepReport report;
  report.end = static_cast<NewtonEnd>(static_cast<int>(values[0]));
  report.iterations = static_cast<int>(values[1]);
  report.factorizations = static_cast<int>(values[2]);
  report.cg_iterations = static_cast<int>(values[3]);
  report.violations = static_cast<int>(values[4]);
  report.retries = static_cast<int>(values[5]);
  report.residual = values[6];
  report.rounding = values[7];
  trajectory.reports.push_back(report);
  trajectory.seconds.push_back(values[8]);
}

Eigen::Index ValueCounts::total() const {
  const Eigen::Index run = unknowns + (steps + 2) * state + steps * kReportValues;
  return run * (has_best ? 2 : 1) + unknowns * 2 * ((has_variables ? 1 : 0) + Eigen::Index{pairs}) +
         state * matched;
}

ValueCounts count_values(const SearchStand& stand) {
  const auto& [search, at, best] = stand;
  const OptimizerProgress& progress = search.progress;
  return {.unknowns = at.z.size(),
          .state = at.trajectory.back().x.size(),
          .steps = at.trajectory.step_count(),
          .has_best = best != nullptr,
          .has_variables = progress.variables.size() > 0,
          .pairs = static_cast<int>(progress.pairs.size()),
          .matched = static_cast<int>(search.matched.size())};
}

void write_values(const std::filesystem::path& path, const SearchStand& stand) {
  const auto& [search, at, best] = stand;
  const OptimizerProgress& progress = search.progress;
  NpyWriter writer(path, {});
  append(writer, at);
  if (best) append(writer, *best);
  if (progress.variables.size() > 0) {
    writer.append(progress.variables);
    writer.append(progress.best_variables);
  }
  for (const CorrectionPair& pair : progress.pairs) {
    writer.append(pair.s);
    writer.append(pair.y);
  }
  for (const VecX& x : search.matched) writer.append(x);
  assert(writer.frame_count() == count_values(stand).total());
  writer.commit();
}

bool read_values(const std::filesystem::path& path, const ValueCounts& counts, const Simulator& simulator,
                 const ExemptionsPointer& exempt, SearchCheckpoint& checkpoint) {
  NpyArray array = read_npy(path);
  if (array.values.size() != counts.total()) return false;
  Values values(std::move(array.values));
  std::optional<SavedRun> at = values.take_run(counts, simulator, exempt);
  if (!at) return false;
  checkpoint.at = std::move(*at);
  if (counts.has_best && !(checkpoint.best = values.take_run(counts, simulator, exempt))) return false;
  OptimizerProgress& progress = checkpoint.state.progress;
  if (counts.has_variables) {
    progress.variables = values.take(counts.unknowns);
    progress.best_variables = values.take(counts.unknowns);
  }
  for (int k = 0; k < counts.pairs; ++k) {
    VecX s = values.take(counts.unknowns);
    progress.pairs.push_back({std::move(s), values.take(counts.unknowns)});
  }
  for (int k = 0; k < counts.matched; ++k) checkpoint.state.matched.push_back(values.take(counts.state));
  return true;
}

}  // namespace keydrape
