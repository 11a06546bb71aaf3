#include "io/cache/float_vector.h"

#include <fmt/format.h>

#include <cmath>

#include "io/file/file.h"

namespace keydrape {

std::vector<float> to_floats(const VecX& numbers, const FloatTarget& target) {
  std::vector<float> floats(static_cast<std::size_t>(numbers.size()));
  for (Eigen::Index i = 0; i < numbers.size(); ++i) {
    const float value = static_cast<float>(numbers[i]);
    if (!std::isfinite(value)) {
      throw OutputError(
          fmt::format("{}: not written: number {} of frame {} (counted from 0, three a vertex) is "
                      "{}, which no float32 holds; look for the frame in which the cloth fails",
                      target.path.string(), i, target.frame, numbers[i]));
    }
    floats[static_cast<std::size_t>(i)] = value;
  }
  return floats;
}

}  // namespace keydrape
