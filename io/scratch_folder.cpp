#include "io/scratch_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include "io/file.h"

namespace keydrape {

namespace {

// Some kernels read no more than this ahead at a time.
constexpr std::uint64_t kReadAheadBytes = std::uint64_t{1} << 17;

[[noreturn]] void fail(const std::filesystem::path& folder, const std::string& what, int error_number) {
  throw OutputError(
      fmt::format("{}: a scratch file cannot be {}: {}; free some space, choose another [solver] "
                  "scratch_dir, or lower scratch_gb",
                  folder.string(), what, std::generic_category().message(error_number)));
}

class UnnamedFile final : public ScratchFile {
 public:
  UnnamedFile(std::filesystem::path folder, double size) : folder_(std::move(folder)) {
    std::string path = (folder_ / ".keydrape_scratch_XXXXXX").string();
    descriptor_ = mkostemp(path.data(), O_CLOEXEC);
    if (descriptor_ < 0) fail(folder_, "made", errno);
    unlink(path.c_str());
    // What is too much for the disk is known now, not after an hour. File systems that cannot tell are
    // believed.
    if (fallocate(descriptor_, 0, 0, static_cast<off_t>(std::max(1.0, size))) != 0 && errno != EOPNOTSUPP) {
      const int error_number = errno;
      close(descriptor_);
      fail(folder_, fmt::format("given {:.3g} GB", size / 1e9), error_number);
    }
  }
  ~UnnamedFile() override { close(descriptor_); }
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;

  std::uint64_t append(std::span<const std::byte> bytes) override {
    const std::uint64_t begin = size_;
    while (!bytes.empty()) {
      const ssize_t put = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) fail(folder_, "written", put < 0 ? errno : ENOSPC);
      size_ += static_cast<std::uint64_t>(put);
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
    return begin;
  }

  void read(std::uint64_t begin, std::span<std::byte> bytes) const override {
    announce(begin, bytes.size());
    while (!bytes.empty()) {
      const ssize_t got = pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(begin));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) fail(folder_, "read", got < 0 ? errno : EIO);
      begin += static_cast<std::uint64_t>(got);
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
  }

 private:
  // Advice: an answer changes nothing.
  void announce(std::uint64_t begin, std::uint64_t size) const {
    for (std::uint64_t done = 0; done < size; done += kReadAheadBytes)
      posix_fadvise(descriptor_, static_cast<off_t>(begin + done),
                    static_cast<off_t>(std::min(kReadAheadBytes, size - done)), POSIX_FADV_WILLNEED);
  }

  std::filesystem::path folder_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace

ScratchFolder::ScratchFolder(std::filesystem::path folder, double capacity_bytes)
    : folder_(std::move(folder)), capacity_bytes_(capacity_bytes) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) fail(folder_, "made", error.value());
  if (access(folder_.c_str(), W_OK | X_OK) != 0) fail(folder_, "made", errno);
}

std::unique_ptr<ScratchFile> ScratchFolder::open(double size) {
  return std::make_unique<UnnamedFile>(folder_, size);
}

}  // namespace keydrape
