#include "control/run/trajectory.h"

#include <algorithm>

namespace keydrape {

int Trajectory::first_failure() const {
  const auto failed = std::find_if(reports.begin(), reports.end(),
                                   [](const StepReport& report) { return !report.converged(); });
  return static_cast<int>(failed - reports.begin());
}

}  // namespace keydrape
