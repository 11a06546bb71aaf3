#pragma once

namespace keydrape {

// Forward runs that a search may make where its options name no number: where the objective has come to rest
// on the examples; an iteration of Gauss-Newton needs one or two.
inline constexpr int kGaussNewtonRuns = 12;
inline constexpr int kAutomaticEffortRuns = 24;  // Gauss-Newton that finds the effort, too
inline constexpr int kLbfgsRuns = 150;

}  // namespace keydrape
