#pragma once

#include <filesystem>
#include <string>

#include "core/base/error.h"

namespace keydrape {

// Throws InputError: the file, what is wrong with it, and how to mend it.
[[noreturn]] inline void refuse_file(const std::filesystem::path& path, const std::string& complaint) {
  throw InputError(path.string() + ": " + complaint);
}

}  // namespace keydrape
