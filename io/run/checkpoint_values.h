#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "io/run/checkpoint.h"

// The numbers of a checkpoint in one array: z, trajectory; the same of the best run; the vectors and pairs of
// L-BFGS; the cloth that surfaces were matched with. A trajectory is v_0, x_0 .. x_N and, for each step, its
// report; later velocities follow from positions by (2) of core, to the bit.

namespace keydrape {

// A step's report and its time [s] as numbers.
inline constexpr Eigen::Index kReportValues = 9;
using ReportValues = Eigen::Matrix<double, kReportValues, 1>;
ReportValues report_values(const StepReport& report, double seconds);
// Whether they may be those of a step: read_npy knows finite numbers only.
bool are_report_values(const ReportValues& values);
// The next step of a trajectory: where it ends [m] (3n), and its report_values, which are some.
void append_step(Trajectory& trajectory, VecX x, const Simulator& simulator, const ReportValues& report);

// How many of what there are.
struct ValueCounts {
  Eigen::Index unknowns = 0;  // z
  Eigen::Index state = 0;     // x: three times the vertices
  int steps = 0;              // of a trajectory
  bool has_best = false;
  bool has_variables = false;  // of L-BFGS
  int pairs = 0;
  int matched = 0;  // SearchState::matched

  Eigen::Index total() const;
};
ValueCounts count_values(const SearchStand& stand);

// Throws OutputError.
void write_values(const std::filesystem::path& path, const SearchStand& stand);

// Fills the checkpoint's runs and vectors. False if the array is not of this size, or a step's report is not
// one. `exempt`: of the shot's start; what later states have follows from positions, as velocities do.
// Throws InputError where the file cannot be read.
bool read_values(const std::filesystem::path& path, const ValueCounts& counts, const Simulator& simulator,
                 const ExemptionsPointer& exempt, SearchCheckpoint& checkpoint);

}  // namespace keydrape
