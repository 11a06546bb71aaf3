#include "io/run/scratch_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

#include "core/base/page_vector.h"
#include "io/file/available_memory.h"
#include "io/file/file.h"
#include "io/file/short_number.h"

namespace keydrape {

namespace {

// Some kernels read no more than this ahead at a time.
constexpr std::uint64_t kReadAheadBytes = std::uint64_t{1} << 17;
// A file that takes more than this share of the memory that is free goes past the system's cache, which would
// drop every page before the next sweep asks for it.
constexpr double kCachedShare = 0.5;

bool is_aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % kPageBytes == 0; }

[[noreturn]] void fail(const std::filesystem::path& folder, const std::string& what, int error_number) {
  throw OutputError(
      fmt::format("{}: a scratch file cannot be {}: {}; free some space, choose another [solver] "
                  "scratch_dir, or lower scratch_gb",
                  folder.string(), what, std::generic_category().message(error_number)));
}

// Past the cache (O_DIRECT), where the disk allows it, what is appended begins with a page of the file, so
// that whole pages go from memory to the disk and back; the last part of a page goes through the cache.
class UnnamedFile final : public ScratchFile {
 public:
  UnnamedFile(std::filesystem::path folder, double size, bool past_cache) : folder_(std::move(folder)) {
    open_descriptors(past_cache);
    // What is too much for the disk is known now, not after an hour. File systems that cannot
    // tell are believed.
    if (fallocate(descriptor_, 0, 0, static_cast<off_t>(std::max(1.0, size))) != 0 && errno != EOPNOTSUPP) {
      const int error_number = errno;
      close_all();
      fail(folder_, fmt::format("given {} GB", short_number(size / 1e9)), error_number);
    }
    if (direct_ >= 0) try_direct();
  }
  ~UnnamedFile() override { close_all(); }
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;

  std::uint64_t append(std::span<const std::byte> bytes) override {
    const std::uint64_t begin = direct_ >= 0 ? (size_ + kPageBytes - 1) / kPageBytes * kPageBytes : size_;
    size_ = begin + bytes.size();
    std::uint64_t at = begin;
    if (direct_ >= 0 && is_aligned(bytes.data())) {
      const std::span<const std::byte> pages = bytes.first(bytes.size() / kPageBytes * kPageBytes);
      write(direct_, at, pages);
      at += pages.size();
      bytes = bytes.subspan(pages.size());
    }
    write(descriptor_, at, bytes);
    return begin;
  }

  void read(std::uint64_t begin, std::span<std::byte> bytes) const override {
    if (direct_ >= 0 && is_aligned(bytes.data()) && begin % kPageBytes == 0) {
      const std::span<std::byte> pages = bytes.first(bytes.size() / kPageBytes * kPageBytes);
      read(direct_, begin, pages);
      begin += pages.size();
      bytes = bytes.subspan(pages.size());
    } else {
      announce(begin, bytes.size());
    }
    read(descriptor_, begin, bytes);
  }

 private:
  // Some file systems have no files without a name: there it is given one for a moment. Some cannot go past
  // the cache: then that is what there is.
  void open_descriptors(bool past_cache) {
    descriptor_ = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, S_IRUSR | S_IWUSR);
    const bool has_name = descriptor_ < 0;
    std::string path = (folder_ / ".keydrape_scratch_XXXXXX").string();
    if (has_name) descriptor_ = mkostemp(path.data(), O_CLOEXEC);
    if (descriptor_ < 0) fail(folder_, "made", errno);
    if (!has_name) path = fmt::format("/proc/self/fd/{}", descriptor_);
    if (past_cache) direct_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_DIRECT);
    if (has_name) unlink(path.c_str());
  }

  // What can be opened is not always as good as it looks.
  void try_direct() {
    const PageVector<std::byte> page(16 * kPageBytes);
    if (pwrite(direct_, page.data(), page.size(), 0) == static_cast<ssize_t>(page.size())) {
      // Nothing but the last parts of pages passes through the cache.
      posix_fadvise(descriptor_, 0, 0, POSIX_FADV_RANDOM);
    } else {
      close(direct_);
      direct_ = -1;
    }
  }

  void write(int descriptor, std::uint64_t begin, std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t put = pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(begin));
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) fail(folder_, "written", put < 0 ? errno : ENOSPC);
      begin += static_cast<std::uint64_t>(put);
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
  }

  void read(int descriptor, std::uint64_t begin, std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t got = pread(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(begin));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) fail(folder_, "read", got < 0 ? errno : EIO);
      begin += static_cast<std::uint64_t>(got);
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
  }

  // Advice: an answer changes nothing.
  void announce(std::uint64_t begin, std::uint64_t size) const {
    for (std::uint64_t done = 0; done < size; done += kReadAheadBytes)
      posix_fadvise(descriptor_, static_cast<off_t>(begin + done),
                    static_cast<off_t>(std::min(kReadAheadBytes, size - done)), POSIX_FADV_WILLNEED);
  }

  void close_all() {
    close(descriptor_);
    if (direct_ >= 0) close(direct_);
  }

  std::filesystem::path folder_;
  int descriptor_ = -1, direct_ = -1;  // of one file; -1: not opened
  std::uint64_t size_ = 0;
};

}  // namespace

ScratchFolder::ScratchFolder(std::filesystem::path folder, double capacity_bytes, double memory_bytes)
    : folder_(std::move(folder)),
      capacity_bytes_(capacity_bytes),
      cached_bytes_(kCachedShare * (available_memory() - memory_bytes)) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) fail(folder_, "made", error.value());
  if (access(folder_.c_str(), W_OK | X_OK) != 0) fail(folder_, "made", errno);
}

std::unique_ptr<ScratchFile> ScratchFolder::open(double size) {
  return std::make_unique<UnnamedFile>(folder_, size, size > cached_bytes_);
}

}  // namespace keydrape
