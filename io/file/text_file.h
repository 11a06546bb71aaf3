#pragma once

#include <fmt/compile.h>
#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "io/file/file.h"

namespace keydrape {

// Text on its way to the disk, about a MiB at a time; it appears under its name at `commit`, see AtomicFile.
class TextFile {
 public:
  // Throws OutputError, as do all others.
  explicit TextFile(const std::filesystem::path& path) : file_(path) {}

  // {} prints the shortest digits that read back as the same number, in every locale.
  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() >= kFlushBytes) flush();
  }
  // As print, with a format that is compiled: FMT_COMPILE("{}, "). For the millions of numbers of a cache.
  template <typename Format, typename... Args>
  void print_compiled(const Format& format, const Args&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, args...);
    if (buffer_.size() >= kFlushBytes) flush();
  }
  void write(std::string_view bytes) {
    buffer_.append(bytes.data(), bytes.data() + bytes.size());
    if (buffer_.size() >= kFlushBytes) flush();
  }
  // Call once, last.
  void commit() {
    flush();
    file_.commit();
  }

  const std::filesystem::path& path() const { return file_.path(); }

 private:
  static constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

  void flush() {
    file_.append(buffer_.data(), buffer_.size());
    buffer_.clear();
  }

  AtomicFile file_;
  fmt::memory_buffer buffer_;
};

}  // namespace keydrape
