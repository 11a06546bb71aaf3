#include "io/file/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "io/file/nearest_file.h"

namespace keydrape {
namespace {

// Linux moves at most 0x7ffff000 bytes a call; pieces of 1 GiB stay below that.
constexpr std::size_t kMaxTransferBytes = std::size_t{1} << 30;
// Other runs may be writing into the same folder, and a killed one may have left its temporary file.
constexpr int kMaxTemporaryNames = 100;

std::string reason(int error_number) { return std::generic_category().message(error_number); }

const char* input_remedy(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return "check the name and the folder";
    case EACCES:
    case EPERM:
      return "ask for permission to read it";
    case EISDIR:
      return "name a file inside of this folder";
    default:
      return "check the disk and try again";
  }
}

const char* output_remedy(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space or raise the limit, or choose another output folder";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose an output folder that you may write to";
    case ENOENT:
    case ENOTDIR:
      return "create the output folder first, or check its name";
    case ENAMETOOLONG:
      return "choose a shorter name";
    default:
      return "check the disk and try again";
  }
}

[[noreturn]] void fail_reading(const std::filesystem::path& path, int error_number) {
  const std::string hint = error_number == ENOENT ? missing_file_hint(path) : "";
  throw InputError(fmt::format("{}: cannot be read: {}; expected a readable file; {}", path.string(),
                               reason(error_number), hint.empty() ? input_remedy(error_number) : hint));
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// Network file systems may refuse to sync a folder: nothing is lost by their answer.
bool sync_is_unsupported(int error_number) { return error_number == EINVAL || error_number == ENOTSUP; }

// 0, or the errno of the failure.
int sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int error_number = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  return sync_is_unsupported(error_number) ? 0 : error_number;
}

}  // namespace

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  // O_NONBLOCK: a named pipe without a writer would make open() wait for ever.
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) fail_reading(path_, errno);

  struct stat status {};
  const int error_number = ::fstat(descriptor_, &status) == 0 ? 0 : errno;
  const bool regular = S_ISREG(status.st_mode);
  if (error_number == 0 && regular) {
    size_ = static_cast<std::uint64_t>(status.st_size);
    return;
  }
  ::close(descriptor_);
  if (error_number != 0) fail_reading(path_, error_number);
  if (S_ISDIR(status.st_mode)) fail_reading(path_, EISDIR);
  throw InputError(
      fmt::format("{}: is a device, a pipe or a socket; expected a regular file; save it to a file first",
                  path_.string()));
}

InputFile::~InputFile() { ::close(descriptor_); }

void InputFile::read(void* bytes, std::size_t size) {
  char* at = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t got = ::read(descriptor_, at, std::min(size, kMaxTransferBytes));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_reading(path_, errno);
    if (got == 0) {
      throw InputError(
          fmt::format("{}: ends {} bytes too early; expected {} bytes; was it cut off, or is it still "
                      "being written? Write it again",
                      path_.string(), size, size_));
    }
    at += got;
    position_ += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
}

std::string read_file(const std::filesystem::path& path) {
  InputFile file(path);
  if (file.size() > kMaxTextBytes) {
    throw InputError(fmt::format("{}: has {} bytes; expected at most {}; split it into smaller files",
                                 path.string(), file.size(), kMaxTextBytes));
  }
  std::string bytes(static_cast<std::size_t>(file.size()), '\0');
  file.read(bytes.data(), bytes.size());
  return bytes;
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  // A rename would replace a device or a pipe by a file: as root, even /dev/null.
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw OutputError(
        fmt::format("{}: cannot be written: it is a folder or a device; expected a file; choose another "
                    "name",
                    path_.string()));
  }
  for (int i = 0; i < kMaxTemporaryNames && descriptor_ < 0; ++i) {
    // Hidden: patterns such as *.obj must not find it.
    temporary_ = folder_of(path_) / fmt::format(".{}.{}-{}.tmp", path_.filename().string(), ::getpid(), i);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) fail(errno);
  }
  if (descriptor_ < 0) fail(EEXIST);
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::append(const void* bytes, std::size_t size) {
  const std::uint64_t offset = size_;
  size_ += size;
  overwrite(offset, bytes, size);
}

void AtomicFile::overwrite(std::uint64_t offset, const void* bytes, std::size_t size) {
  assert(descriptor_ >= 0 && "written after commit");
  assert(offset + size <= size_);
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t put =
        ::pwrite(descriptor_, at, std::min(size, kMaxTransferBytes), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(errno);
    at += put;
    offset += static_cast<std::uint64_t>(put);
    size -= static_cast<std::size_t>(put);
  }
}

void AtomicFile::commit() {
  assert(descriptor_ >= 0 && "committed twice");
  if (::fsync(descriptor_) != 0 && !sync_is_unsupported(errno)) fail(errno);
  // close() gives the descriptor back even where it reports a failed write (NFS, quotas): never
  // close it twice.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  temporary_.clear();
  if (const int error_number = sync_folder(folder_of(path_))) fail(error_number);
}

void AtomicFile::fail(int error_number) const {
  throw OutputError(fmt::format("{}: cannot be written: {}; {}", path_.string(), reason(error_number),
                                output_remedy(error_number)));
}

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

std::filesystem::path short_path(const std::filesystem::path& path) {
  std::filesystem::path way;
  for (const std::filesystem::path& part : path) {
    if (part == ".") continue;
    std::error_code none;  // what cannot be looked at is no link
    if (part == ".." && std::filesystem::is_symlink(way, none))
      if (auto behind = std::filesystem::canonical(way, none); !none) way = std::move(behind);
    if (part == ".." && way.has_filename() && way.filename() != "..")
      way = way.parent_path();
    else
      way /= part;
  }
  return way.empty() && !path.empty() ? "." : way.lexically_normal();
}

void refuse_to_replace(const std::vector<std::filesystem::path>& files) {
  for (const std::filesystem::path& file : files)
    if (std::filesystem::exists(file))
      throw InputError(
          fmt::format("{}: exists; expected a new name; use --force to replace it", file.string()));
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.append(bytes.data(), bytes.size());
  file.commit();
}

}  // namespace keydrape
