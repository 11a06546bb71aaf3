#include "io/take/shown_numbers.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace keydrape {

void refuse_large(const std::filesystem::path& file, const VecX& values) {
  if (values.size() == 0 || values.lpNorm<Eigen::Infinity>() <= kLargestShown) return;
  throw InputError(
      fmt::format("{}: holds a number beyond {:.0e}; expected the results of one run; run the scene again",
                  file.string(), kLargestShown));
}

}  // namespace keydrape
