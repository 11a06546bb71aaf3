#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace keydrape {

// In every folder of a run from its first moment on, and never removed: whoever removed it would let two runs
// hold "the" lock, one of the old file and one of the new. What it says is about the run that began last: one
// that was refused has not.
inline constexpr std::string_view kRunLockFile = "run.lock";

// What a lock file says of the run that has locked it, or had.
struct LockHolder {
  std::string command;  // "simulate", "solve", "wedge"
  long process = 0;
  std::string host;   // on which that process runs
  std::string since;  // UTC, "2026-11-25T19:21:03.125Z": texts in the order of time
};

// Of a folder's lock file; none: there is no such file, or it does not say.
std::optional<LockHolder> lock_holder(const std::filesystem::path& folder);

// The right to write into a run's folder, held as long as this lives. The kernel holds it (flock), for one
// run, also of several in one process, and gives it back however the process ends: a lock that a killed run
// has left bars nobody.
class FolderLock {
 public:
  // Requires that the folder exists. Throws InputError, which names the process, where another run holds it;
  // OutputError where the file cannot be opened for writing, or files cannot be locked.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;

  // Writes into the file that this process begins a run of the command. Throws OutputError where it cannot.
  void sign(std::string_view command) const;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace keydrape
