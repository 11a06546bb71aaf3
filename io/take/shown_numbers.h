#pragma once

#include <filesystem>

#include "core/base/types.h"

namespace keydrape {

// Of what is shown of a run, as of scenes: no shot means more, and sums and squares of less are finite.
inline constexpr double kLargestShown = 1e30;

// Throws InputError where one of `values`, which stand in `file`, is beyond that.
void refuse_large(const std::filesystem::path& file, const VecX& values);

}  // namespace keydrape
