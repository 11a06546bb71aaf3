// Preloaded (LD_PRELOAD): lets one kind of system call on files below a folder fail, as a full disk, a broken
// one or too many open files would.
//
//   KEYDRAPE_FAULT_FOLDER  the folder
//   KEYDRAPE_FAULT         "KIND N ERRNO": the N-th call, from 1, fails; "KIND N+ ERRNO": and all later ones
//   KEYDRAPE_FAULT_COUNTS  a file that gains a line "KIND" for each call: what there is to fail

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/faults/next_call.h"

namespace {

bool is_below_folder(const char* path) {
  const char* const folder = std::getenv("KEYDRAPE_FAULT_FOLDER");
  if (!folder || !path) return false;
  if (path[0] != '/') return true;  // the program runs in it
  const std::size_t size = std::strlen(folder);
  return std::strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == '\0');
}

bool is_below_folder(int descriptor) {
  char link[64], path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t size = ::readlink(link, path, sizeof path - 1);
  if (size <= 0 || path[0] != '/') return false;
  path[size] = '\0';
  return is_below_folder(path);
}

void note(const char* kind) {
  const char* const counts = std::getenv("KEYDRAPE_FAULT_COUNTS");
  if (!counts) return;
  static const auto open_it = next<int (*)(const char*, int, ...)>("open");
  static const auto write_it = next<ssize_t (*)(int, const void*, std::size_t)>("write");
  const int file = open_it(counts, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  char line[32];
  const int size = std::snprintf(line, sizeof line, "%s\n", kind);
  if (write_it(file, line, static_cast<std::size_t>(size)) < 0) std::abort();
  ::close(file);
}

// Whether this call of the kind is to fail; sets errno then. One counter is enough: one kind fails in a run.
bool fails(const char* kind) {
  note(kind);
  const char* const fault = std::getenv("KEYDRAPE_FAULT");
  char wanted[16], more = ' ';
  int number = 0, error = 0;
  if (!fault) return false;
  const bool is_for_ever =
      std::sscanf(fault, "%15s %d%c %d", wanted, &number, &more, &error) == 4 && more == '+';
  if (!is_for_ever && std::sscanf(fault, "%15s %d %d", wanted, &number, &error) != 3) return false;
  if (std::strcmp(wanted, kind) != 0) return false;
  static int count = 0;
  ++count;
  if (count != number && !(is_for_ever && count > number)) return false;
  errno = error;
  return true;
}

bool writes(int flags) { return (flags & O_ACCMODE) != O_RDONLY; }

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  static const auto original = next<int (*)(const char*, int, ...)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (writes(flags) && is_below_folder(path) && fails("open")) return -1;
  return original(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open(path, flags, mode);
}

ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  static const auto original = next<ssize_t (*)(int, const void*, std::size_t)>("write");
  if (descriptor > 2 && is_below_folder(descriptor) && fails("write")) return -1;
  return original(descriptor, bytes, size);
}

ssize_t pwrite(int descriptor, const void* bytes, std::size_t size, off_t offset) {
  static const auto original = next<ssize_t (*)(int, const void*, std::size_t, off_t)>("pwrite");
  if (is_below_folder(descriptor) && fails("write")) return -1;
  return original(descriptor, bytes, size, offset);
}

ssize_t pwrite64(int descriptor, const void* bytes, std::size_t size, off_t offset) {
  return pwrite(descriptor, bytes, size, offset);
}

std::size_t fwrite(const void* bytes, std::size_t size, std::size_t count, FILE* file) {
  static const auto original = next<std::size_t (*)(const void*, std::size_t, std::size_t, FILE*)>("fwrite");
  const int descriptor = ::fileno(file);
  if (descriptor > 2 && is_below_folder(descriptor) && fails("write")) return 0;
  return original(bytes, size, count, file);
}

int fsync(int descriptor) {
  static const auto original = next<int (*)(int)>("fsync");
  if (is_below_folder(descriptor) && fails("fsync")) return -1;
  return original(descriptor);
}

int rename(const char* from, const char* to) {
  static const auto original = next<int (*)(const char*, const char*)>("rename");
  if (is_below_folder(to) && fails("rename")) return -1;
  return original(from, to);
}

int mkdir(const char* path, mode_t mode) {
  static const auto original = next<int (*)(const char*, mode_t)>("mkdir");
  if (is_below_folder(path) && fails("mkdir")) return -1;
  return original(path, mode);
}

}  // extern "C"
