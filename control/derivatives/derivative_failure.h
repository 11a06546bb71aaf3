#pragma once

#include <string>

namespace keydrape {

// Why derivatives could not be had. Numerics that fail are a value: the run itself stands (law 6).
struct DerivativeFailure {
  enum class Cause {
    kSingular,   // H of the step has no factor, not even with pivoting
    kPassed,     // contact or a limit of edges corrects what steps propose (Model::has_passes)
    kNotSmooth,  // a linearised step of this cloth has none (Simulator::has_derivatives)
    kUnrefined,  // a solve by its factor in single precision did not reach double precision
  };
  Cause cause;
  int step;
};
std::string sentence(const DerivativeFailure& failure);

}  // namespace keydrape
