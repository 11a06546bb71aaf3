#pragma once

namespace keydrape {

// Trials of what a quadratic model proposes, shorter and shorter (Nocedal & Wright 2006, algorithm 4.1, their
// constants). Falls are shares of those that the model predicts.
inline constexpr double kAccept = 1e-4;               // a trial that falls by more is better
inline constexpr double kPoor = 0.25, kGood = 0.75;   // below, and above on its boundary, the region changes
inline constexpr double kShrink = 0.25, kGrow = 2.0;  // by these factors
inline constexpr int kMaxShrinks = 12;                // trials: 0.25^12 of a step is no step

}  // namespace keydrape
