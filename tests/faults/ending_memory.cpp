// Preloaded (LD_PRELOAD): memory that ends. What a program asks of the allocator beyond a budget is refused,
// small or large, until it has given enough back.
//
//   KEYDRAPE_MEMORY_BUDGET  bytes that may be in use at once
//   KEYDRAPE_MEMORY_PEAK    a file that gains a line at the end of each process: the most that were in use

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <limits>

// The allocator behind, as the C library exports it: to look it up (dlsym) would allocate.
// NOLINTBEGIN(bugprone-reserved-identifier): the names are the C library's own
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* block);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

std::atomic<long long> in_use{0}, peak{0};
std::atomic<long long> budget{std::numeric_limits<long long>::max()};

void* counted(void* block) {
  if (!block) return nullptr;
  const long long now = in_use += static_cast<long long>(malloc_usable_size(block));
  for (long long before = peak; now > before && !peak.compare_exchange_weak(before, now);) {
  }
  return block;
}

void uncount(void* block) {
  if (block) in_use -= static_cast<long long>(malloc_usable_size(block));
}

bool is_refused(std::size_t size) {
  if (in_use + static_cast<long long>(size) <= budget) return false;
  errno = ENOMEM;
  return true;
}

__attribute__((constructor)) void begin() {
  if (const char* const bytes = std::getenv("KEYDRAPE_MEMORY_BUDGET")) budget = std::atoll(bytes);
}

__attribute__((destructor)) void end() {
  const char* const name = std::getenv("KEYDRAPE_MEMORY_PEAK");
  if (!name) return;
  char line[32];
  const int size = std::snprintf(line, sizeof line, "%lld\n", peak.load());
  const int file = ::open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (::write(file, line, static_cast<std::size_t>(size)) < 0) std::abort();
  ::close(file);
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) { return is_refused(size) ? nullptr : counted(__libc_malloc(size)); }

void* calloc(std::size_t count, std::size_t size) {
  return is_refused(count * size) ? nullptr : counted(__libc_calloc(count, size));
}

void* realloc(void* block, std::size_t size) {
  const long long before = block ? static_cast<long long>(malloc_usable_size(block)) : 0;
  if (static_cast<long long>(size) > before && is_refused(size - static_cast<std::size_t>(before)))
    return nullptr;
  void* const moved = __libc_realloc(block, size);
  if (moved || size == 0) in_use -= before;
  return counted(moved);
}

void* memalign(std::size_t alignment, std::size_t size) {
  return is_refused(size) ? nullptr : counted(__libc_memalign(alignment, size));
}

void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }

int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  *block = memalign(alignment, size);
  return *block ? 0 : ENOMEM;
}

void free(void* block) {
  uncount(block);
  __libc_free(block);
}

}  // extern "C"
