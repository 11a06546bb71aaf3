#pragma once

#include <filesystem>
#include <vector>

#include "core/base/types.h"

namespace keydrape {

// What mends a number that no file is given: it may be of a run, or of what somebody has made elsewhere.
inline constexpr const char* kMendNumber =
    "repair it where it comes from: in the mesh or cache that was read, or look for the first frame in which "
    "the simulation fails";

// Where numbers are headed, for messages: "cloth.mdd: not written: number 10 of frame 1001 ...".
struct FloatTarget {
  const std::filesystem::path& path;
  int frame;
};

// As single precision: 24 bits, 6e-8 of the size. Throws OutputError for a number that is not finite
// or beyond float32.
std::vector<float> to_floats(const VecX& numbers, const FloatTarget& target);
// The same of texture coordinates, u and v of each; `path`: where they are headed.
std::vector<float> to_floats(const std::vector<Vec2>& uvs, const std::filesystem::path& path);

}  // namespace keydrape
