#include "io/file/json_lines.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <string>
#include <system_error>

#include "io/file/file.h"

namespace keydrape {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error_number) {
  throw OutputError(fmt::format("{}: cannot be written: {}; check the disk and the folder's permissions",
                                path.string(), std::generic_category().message(error_number)));
}

}  // namespace

JsonLines::JsonLines(std::filesystem::path path, std::string_view text) : path_(std::move(path)) {
  write_file_atomically(path_, text);
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) fail(path_, errno);
}

JsonLines::~JsonLines() { ::close(descriptor_); }

void JsonLines::append(std::string_view object) {
  assert(object.find('\n') == std::string_view::npos);
  struct stat before {};
  if (::fstat(descriptor_, &before) != 0) fail(path_, errno);
  const std::string line = std::string(object) + '\n';
  ssize_t put = -1;
  do put = ::write(descriptor_, line.data(), line.size());
  while (put < 0 && errno == EINTR);
  if (put == static_cast<ssize_t>(line.size())) return;
  const int error_number = put < 0 ? errno : ENOSPC;
  if (::ftruncate(descriptor_, before.st_size) != 0) fail(path_, errno);
  fail(path_, error_number);
}

}  // namespace keydrape
