#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "io/file/limited_process.h"

// The process in which a .vdb file is read, and the limits on it: whatever exceeds them is refused.

namespace keydrape {

inline constexpr std::size_t kMaxVdbBytes = std::size_t{3} << 29;  // 1.5 GiB of memory
inline constexpr std::size_t kMaxVdbAnswerBytes = kMaxVdbBytes / 2;
// Processor time [s]. On a machine of 2026 a body with a band of 16 voxels takes 0.7 s a megabyte, and 1.2 s
// where it is twice as fine: the share is three times that. However long a file is, its reader ends.
inline constexpr double kLeastVdbSeconds = 10, kMostVdbSeconds = 120, kVdbSecondsPerMegabyte = 4;
// Wall clock over processor time, on a machine with other things to do.
inline constexpr double kVdbPatience = 10;

// Throws InputError for a file that is longer than kMaxVdbBytes, or cannot be read.
ProcessLimits vdb_limits(const std::filesystem::path& path);

// run_limited(), with "; expected; remedy" behind what it says itself of time, memory and crashes; what
// `work` throws has them. `smaller`: how a level set is made that takes less of both.
ProcessAnswer run_vdb_reader(const std::function<std::string()>& work, const ProcessLimits& limits,
                             std::string_view smaller);

// Why an answer is refused that is none.
std::string vdb_nonsense();

}  // namespace keydrape
