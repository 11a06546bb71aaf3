#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace keydrape {

// Past the system's cache, files are read by pages of this size, into memory that begins with one [bytes].
inline constexpr std::size_t kPageBytes = 4096;

// Allocates from the beginning of a page where that is little beside the whole.
template <class T>
struct PageAllocator {
  using value_type = T;

  PageAllocator() = default;
  template <class U>
  PageAllocator(const PageAllocator<U>&) {}  // NOLINT(google-explicit-constructor): allocators convert

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), alignment(count)));
  }
  void deallocate(T* values, std::size_t count) { ::operator delete(values, alignment(count)); }
  friend bool operator==(const PageAllocator&, const PageAllocator&) { return true; }

 private:
  static std::align_val_t alignment(std::size_t count) {
    return std::align_val_t(count * sizeof(T) < 16 * kPageBytes ? __STDCPP_DEFAULT_NEW_ALIGNMENT__
                                                                : kPageBytes);
  }
};

// Numbers that a file may be read into.
template <class T>
using PageVector = std::vector<T, PageAllocator<T>>;

}  // namespace keydrape
