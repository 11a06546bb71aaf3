#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/objective.h"
#include "control/shooting_problem.h"
#include "io/shot.h"

// The JSON that a run leaves behind (DESIGN.md section 6): other people's scripts read it, keys never change
// meaning.

namespace keydrape {

// One keyframe, after the run.
struct KeyframeOutcome {
  int frame;
  KeyframeMiss miss;                // [m]
  double uncontrolled_rms;          // [m]
  std::optional<double> tolerance;  // on the RMS distance [m]

  bool reached() const { return !tolerance || miss.rms <= *tolerance; }
};

enum class RunStatus { kDone, kMissed, kFailed, kInterrupted };
std::string_view word(RunStatus status);

// Size of the control accelerations, in units of g_0: largest, and RMS over the vertices and steps on which [control]
// lets forces act.
struct ControlEffort {
  double peak_g = 0.0;
  double rms_g = 0.0;
};
ControlEffort measure_effort(const Shot& shot, const ForceSchedule& forces);

struct RunSummary {
  RunStatus status = RunStatus::kDone;
  std::vector<KeyframeOutcome> keyframes;
  ControlEffort effort;
  std::vector<std::string> obstacles;  // what held the cloth back, a sentence for each keyframe that was missed
  ShootingWork work;
  double total_s = 0.0, io_s = 0.0;  // wall-clock time [s]
};

// summary.json
std::string summary_json(const Shot& shot, const RunSummary& summary);

// One line of convergence.jsonl. All counts and times run from the first start, over resumed runs too.
struct ConvergenceRecord {
  int iteration;
  double objective;
  ObjectiveTerms terms;
  double gradient_norm;
  double step_length;
  int forward_simulations;
  int cg_iterations;
  double time_s;
};
std::string convergence_line(const ConvergenceRecord& record, const Shot& shot,
                             const std::vector<KeyframeMiss>& misses);

// One line of steps.jsonl: step n of a trajectory. `frame`: the step runs within the frame interval that
// starts there.
std::string step_line(const Shot& shot, const Trajectory& trajectory, int n);

}  // namespace keydrape
