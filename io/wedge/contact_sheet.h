#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/wedge/comparison.h"

namespace keydrape {

// contact_sheet.png: of each element that has run the cloth at its keyframes (at most six of them;
// without any, at the last frame), all in one view, with the rim of the pose that it is to have
// there, its number, its verdict and its misses. None: nothing has run. Throws InputError where
// results are damaged, OutputError.
std::optional<std::string> contact_sheet(const std::filesystem::path& wedge,
                                         const std::vector<WedgeRow>& rows);

}  // namespace keydrape
