#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace keydrape {

// From now on spdlog writes to stderr: everything, or warnings and errors only.
void open_log(bool quiet);

// And everything to this file, with the time, as well.
void log_to_file(const std::filesystem::path& path);

void log_warnings(const std::vector<std::string>& warnings);

}  // namespace keydrape
