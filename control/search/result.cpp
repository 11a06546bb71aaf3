#include "control/search/result.h"

#include <algorithm>
#include <cassert>

namespace keydrape {

SearchEnd search_end(OptimizerEnd end) {
  switch (end) {
    case OptimizerEnd::kGradient:
      return SearchEnd::kGradient;
    case OptimizerEnd::kObjective:
      return SearchEnd::kAtRest;
    case OptimizerEnd::kDone:
      return SearchEnd::kMet;
    case OptimizerEnd::kMaxEvaluations:
      return SearchEnd::kForwardRuns;
    case OptimizerEnd::kMaxIterations:
      return SearchEnd::kIterations;
    case OptimizerEnd::kNoDescent:
      return SearchEnd::kNoDescent;
    case OptimizerEnd::kStopped:
      return SearchEnd::kStopped;
    case OptimizerEnd::kStartFailed:
      return SearchEnd::kStartFailed;
    case OptimizerEnd::kNoGradient:
      return SearchEnd::kNoDerivatives;
    case OptimizerEnd::kFlat:
      break;
  }
  return SearchEnd::kFlat;
}

bool is_met(SearchEnd end) { return end == SearchEnd::kMet || end == SearchEnd::kMetWithoutForces; }

TargetOutcome target_outcome(const Target& target, const KeyframeMiss& miss) {
  return {.number = target.number,
          .target_id = target.keyframe.target_id,
          .miss = miss,
          .tolerance = target.tolerance,
          .velocity_tolerance = target.velocity_tolerance,
          .tolerance_max = target.tolerance_max};
}

std::vector<TargetOutcome> target_outcomes(const std::vector<Target>& targets,
                                           const std::vector<KeyframeMiss>& misses,
                                           const std::vector<KeyframeMiss>& uncontrolled) {
  assert(misses.size() == targets.size() && uncontrolled.size() == targets.size());
  std::vector<TargetOutcome> outcomes;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    outcomes.push_back(target_outcome(targets[k], misses[k]));
    outcomes.back().uncontrolled_rms = uncontrolled[k].rms;
  }
  return outcomes;
}

bool asks_without_weight(const std::vector<Target>& targets) {
  return std::any_of(targets.begin(), targets.end(), [](const Target& target) {
    return target.keyframe.weight <= 0.0 && (target.tolerance || target.tolerance_max);
  });
}

std::string SearchSummary::sentence() const {
  const auto met = [&]() -> std::string {
    if (is_of_part) return "every tolerance within the window is met";
    return is_without_weight ? "every tolerance of what has weight is met" : "every tolerance is met";
  };
  switch (end) {
    case SearchEnd::kMet:
      return met();
    case SearchEnd::kMetWithoutForces:
      return met() + " without any force";
    case SearchEnd::kGradient:
      return std::string(keydrape::sentence(OptimizerEnd::kGradient));
    case SearchEnd::kAtRest:
      return std::string(keydrape::sentence(OptimizerEnd::kObjective));
    case SearchEnd::kForwardRuns:
      return std::string(keydrape::sentence(OptimizerEnd::kMaxEvaluations));
    case SearchEnd::kIterations:
      return std::string(keydrape::sentence(OptimizerEnd::kMaxIterations));
    case SearchEnd::kNoDescent:
      return std::string(keydrape::sentence(OptimizerEnd::kNoDescent));
    case SearchEnd::kStartFailed:
      if (windows_done < window_count)
        return "window " + std::to_string(windows_done + 1) + " of " + std::to_string(window_count) +
               " could not be simulated";
      return window_count > 0 ? "the simulation failed behind the last window"
                              : std::string(keydrape::sentence(OptimizerEnd::kStartFailed));
    case SearchEnd::kFlat:
      return std::string(keydrape::sentence(OptimizerEnd::kFlat));
    case SearchEnd::kNoDerivatives:
      return std::string(keydrape::sentence(OptimizerEnd::kNoGradient)) + ": " + reason;
    case SearchEnd::kRefused:
      return reason;
    case SearchEnd::kStopped:
      break;
  }
  if (window_count > 0)
    return "stopped after " + std::to_string(windows_done) + " of " + std::to_string(window_count) +
           " windows";
  return iterations > 0 ? "stopped on request; this is the best so far"
                        : "stopped on request, in the first run";
}

bool SearchResult::reached() const {
  return best &&
         std::all_of(targets.begin(), targets.end(), [](const TargetOutcome& t) { return t.reached(); });
}

}  // namespace keydrape
