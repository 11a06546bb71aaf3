#include "io/cache/float_vector.h"

#include <fmt/format.h>

#include <cmath>

#include "io/file/file.h"

namespace keydrape {
namespace {

// `place`: what the number is called, once it is refused.
template <typename Place>
float to_float(double number, const std::filesystem::path& path, const Place& place) {
  const float value = static_cast<float>(number);
  if (std::isfinite(value)) return value;
  throw OutputError(fmt::format("{}: not written: {} is {}, which no float32 holds; {}", path.string(),
                                place(), number, kMendNumber));
}

}  // namespace

std::vector<float> to_floats(const VecX& numbers, const FloatTarget& target) {
  std::vector<float> floats(static_cast<std::size_t>(numbers.size()));
  for (Eigen::Index i = 0; i < numbers.size(); ++i) {
    const auto place = [&] {
      return fmt::format("number {} of frame {} (counted from 0, three a vertex)", i, target.frame);
    };
    floats[static_cast<std::size_t>(i)] = to_float(numbers[i], target.path, place);
  }
  return floats;
}

std::vector<float> to_floats(const std::vector<Vec2>& uvs, const std::filesystem::path& path) {
  std::vector<float> floats;
  floats.reserve(2 * uvs.size());
  for (std::size_t i = 0; i < uvs.size(); ++i)
    for (const double number : uvs[i])
      floats.push_back(to_float(number, path, [&] {
        return fmt::format("a number of texture coordinate {} (counted from 0)", i);
      }));
  return floats;
}

}  // namespace keydrape
