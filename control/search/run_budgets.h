#pragma once

namespace keydrape {

// Forward runs that a search may make where its options name no number: where the objective has come to rest
// on the examples; an iteration of Gauss-Newton needs one or two.
inline constexpr int kGaussNewtonRuns = 12;
inline constexpr int kAutomaticEffortRuns = 24;  // Gauss-Newton that finds the effort, too
inline constexpr int kLbfgsRuns = 150;

// A run of so many vertices times steps is cheap. Of dearer ones a search makes fewer iterations for less
// effort, once all that was asked for is met, so that they take about as long, but these at least.
inline constexpr double kCheapRun = 1e6;
inline constexpr int kLeastForLess = 3;

}  // namespace keydrape
