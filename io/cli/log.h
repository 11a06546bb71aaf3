#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "io/perform/log_level.h"

// What the program says to people. spdlog stays in log.cpp: its calls are templates that take two seconds of
// compilation in every file that has one.

namespace keydrape {

// From now on messages go to stderr: everything, or warnings and errors only.
void open_log(bool quiet);

// And everything to this file, with the time, as well.
void log_to_file(const std::filesystem::path& path);

void log_text(LogLevel level, const std::string& text);

template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_text(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_text(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  log_text(LogLevel::kError, fmt::format(format, std::forward<Args>(args)...));
}

void log_warnings(const std::vector<std::string>& warnings);

}  // namespace keydrape
