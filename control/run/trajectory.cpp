#include "control/run/trajectory.h"

#include <algorithm>

namespace keydrape {

int Trajectory::first_failure() const {
  const auto failed = std::find_if(reports.begin(), reports.end(),
                                   [](const StepReport& report) { return !report.converged(); });
  return static_cast<int>(failed - reports.begin());
}

FastestVertex fastest_vertex(const Trajectory& run) {
  FastestVertex fastest{0.0, 0, 1};
  for (int n = 1; n <= run.step_count(); ++n) {
    Eigen::Index vertex = 0;
    const double speed =
        run.states[n].v.reshaped(3, run.states[n].v.size() / 3).colwise().norm().maxCoeff(&vertex);
    if (speed > fastest.speed) fastest = {speed, static_cast<int>(vertex), n};
  }
  return fastest;
}

}  // namespace keydrape
