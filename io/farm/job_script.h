#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "io/farm/farm.h"

namespace keydrape {

// Of an array of Slurm's. `one_window`: a job ends after the next window. Ends with 0 where the element is
// done, or missed its keyframes, which the wedge's table tells; requeues itself where it was told to stop.
std::string slurm_script(const std::filesystem::path& wedge, const WedgePlan& plan,
                         const FarmRequest& request, bool one_window);

// Of one element, for any queue: ends with the element's exit code, 75 where it is to be submitted again.
std::string element_script(const std::filesystem::path& wedge, const WedgeElement& element,
                           const FarmRequest& request);

}  // namespace keydrape
