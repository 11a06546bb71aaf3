#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Bytes in and out. Every error names the path, the system's reason and what to do about it.

namespace keydrape {

// The result could not be written: disk full, no permission, not a finite number. The message names the path.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Longest text that is read in one piece [bytes]. Any count of things in such a text fits an int.
inline constexpr std::uint64_t kMaxTextBytes = (std::uint64_t{1} << 31) - 1;

// A regular file open for reading.
class InputFile {
 public:
  // Throws InputError: missing, no permission, a folder or a device.
  explicit InputFile(std::filesystem::path path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }          // when it was opened [bytes]
  std::uint64_t position() const { return position_; }  // bytes read so far

  // The next `size` bytes. Throws InputError if the file ends before, or on a read error.
  void read(void* bytes, std::size_t size);

 private:
  std::filesystem::path path_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
  int descriptor_ = -1;
};

// The whole file. Throws InputError as InputFile does, and for a file of more than kMaxTextBytes.
std::string read_file(const std::filesystem::path& path);

// The path in short, without "." and "NAME/..", that leads where the system takes `path`: behind a link to a
// folder ".." is not the folder that holds the link.
std::filesystem::path short_path(const std::filesystem::path& path);

// Without --force nothing is replaced: throws InputError for the first of the files that exists.
void refuse_to_replace(const std::vector<std::filesystem::path>& files);

// A file that appears under its name whole or not at all (io/decisions/0008-files-whole-or-not-at-all.md):
// the bytes go into a hidden temporary file of the same folder; `commit` syncs it to the disk, renames it
// and syncs the folder. Without a commit the destructor removes the temporary file and an older file of
// that name stays as it was.
class AtomicFile {
 public:
  // Throws OutputError: no such folder, no permission, or `path` is something other than a regular file.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Unbuffered: hand over large pieces. Throws OutputError, e.g. when the disk is full.
  void append(const void* bytes, std::size_t size);
  // Replaces bytes that were appended before (a header whose counts are known only at the end).
  void overwrite(std::uint64_t offset, const void* bytes, std::size_t size);
  // Call once, last. Throws OutputError; then nothing has appeared under the name, unless only the sync of
  // the folder failed: then the whole file has.
  void commit();

 private:
  [[noreturn]] void fail(int error_number) const;
  void discard() noexcept;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
};

// AtomicFile for bytes that are at hand already. Throws OutputError.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace keydrape
