#pragma once

#include <filesystem>
#include <vector>

#include "core/base/types.h"

namespace keydrape {

// Where numbers are headed, for messages: "cloth.mdd: not written: number 10 of frame 1001 ...".
struct FloatTarget {
  const std::filesystem::path& path;
  int frame;
};

// As single precision: 24 bits, 6e-8 of the size. Throws OutputError for a number that is not finite
// or beyond float32.
std::vector<float> to_floats(const VecX& numbers, const FloatTarget& target);

}  // namespace keydrape
