#pragma once

#include <string_view>

namespace keydrape {

// How a run ended.
enum class RunStatus { kDone, kMissed, kFailed, kInterrupted };

// As summary.json has it.
constexpr std::string_view word(RunStatus status) {
  switch (status) {
    case RunStatus::kDone:
      return "done";
    case RunStatus::kMissed:
      return "missed";
    case RunStatus::kFailed:
      return "failed";
    case RunStatus::kInterrupted:
      break;
  }
  return "interrupted";
}

}  // namespace keydrape
