#pragma once

#include "io/run/run_status.h"

namespace keydrape {

// What the program tells the shell (io/OUTPUTS.md); scripts rely on the numbers.
enum class ExitCode : int {
  kDone = 0,          // every keyframe within its tolerance
  kUsage = 2,         // the command line
  kBadInput = 3,      // the scene or a file of it; a file that cannot be written, too
  kMissed = 4,        // done, but a keyframe missed its tolerance; everything is written
  kFailed = 5,        // the simulation failed; what there is until then is written
  kInterrupted = 75,  // SIGINT or SIGTERM; the best so far is written
};

constexpr ExitCode exit_code(RunStatus status) {
  switch (status) {
    case RunStatus::kMissed:
      return ExitCode::kMissed;
    case RunStatus::kFailed:
      return ExitCode::kFailed;
    case RunStatus::kInterrupted:
      return ExitCode::kInterrupted;
    case RunStatus::kDone:
      break;
  }
  return ExitCode::kDone;
}

}  // namespace keydrape
