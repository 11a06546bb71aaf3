#include "io/file/folder_lock.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/file/json_text.h"

namespace keydrape {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// Milliseconds tell runs apart that a script begins one after the other.
std::string utc_now() {
  const auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(now)),
                     now.time_since_epoch().count() % 1000);
}

std::string described(const std::optional<LockHolder>& holder) {
  if (!holder) return "another run writing there";
  const std::string where = holder->host == host_name() ? "" : " on " + holder->host;
  return fmt::format("keydrape {} writing there (process {}{}, since {})", holder->command, holder->process,
                     where, holder->since);
}

[[noreturn]] void fail_to_lock(const std::filesystem::path& file, int error_number) {
  throw OutputError(fmt::format(
      "{}: cannot be written and locked: {}; expected a folder that you may write to, of a file system that "
      "locks files; choose another output folder (-o)",
      file.string(), std::generic_category().message(error_number)));
}

// In place, since the lock is the file's: who reads it meanwhile finds no holder.
void write_holder(int descriptor, const std::filesystem::path& file, std::string_view command) {
  const std::string text = json_text(nlohmann::ordered_json{{"command", command},
                                                            {"process", static_cast<long>(::getpid())},
                                                            {"host", host_name()},
                                                            {"since", utc_now()}}) +
                           "\n";
  if (::ftruncate(descriptor, 0) != 0) fail_to_lock(file, errno);
  const ssize_t written = ::pwrite(descriptor, text.data(), text.size(), 0);
  if (written < 0) fail_to_lock(file, errno);
  if (static_cast<std::size_t>(written) < text.size()) fail_to_lock(file, ENOSPC);
}

}  // namespace

std::optional<LockHolder> lock_holder(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kRunLockFile;
  if (!std::filesystem::is_regular_file(file)) return std::nullopt;
  const auto json = json_if_any(read_file(file));
  try {
    return LockHolder{json.at("command"), large_number(json.at("process")), json.at("host"),
                      json.at("since")};
  } catch (const nlohmann::json::exception&) {  // damaged, or somebody else's
    return std::nullopt;
  }
}

FolderLock::FolderLock(const std::filesystem::path& folder) : file_(folder / kRunLockFile) {
  descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor_ < 0) fail_to_lock(file_, errno);
  try {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) fail_to_lock(file_, errno);
      throw InputError(
          fmt::format("{}: found {}; expected a folder that no run is writing into; wait until "
                      "it has ended, or choose another one (-o, or --take)",
                      folder.string(), described(lock_holder(folder))));
    }
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

void FolderLock::sign(std::string_view command) const { write_holder(descriptor_, file_, command); }

}  // namespace keydrape
