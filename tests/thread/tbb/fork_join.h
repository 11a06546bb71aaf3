#pragma once

#include <tbb/blocked_range.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

// oneTBB's loops for ThreadSanitizer (preset "thread", which has this folder before the system's). Debian's
// libtbb is not instrumented: how it hands work to its threads and waits for them is invisible, so that all
// that one loop wrote and the next one reads is reported as a race, and to suppress what libtbb calls is to
// suppress our own code with it. Here threads are std::threads, whose start and end the sanitizer sees; only
// OpenVDB's are suppressed. Work is cut finer than any grain asks for, and neighbours go to different
// threads, so that small tests find what large cloth would.
//
// What TBB guarantees and this does not: results of parallel_deterministic_reduce that are those of TBB,
// to the bit.

namespace tbb::fork_join {

inline constexpr int kThreads = 4;
inline constexpr int kPieces = 64;  // of a range

// body(0), .., body(count - 1): piece k on thread k % kThreads. Ends when all have; rethrows
// the first exception.
template <class Body>
void run(int count, const Body& body) {
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&](int first) {
    try {
      for (int k = first; k < count; k += kThreads) body(k);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < std::min(count, kThreads); ++t) threads.emplace_back(work, t);
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

template <class Index>
int piece_count(const blocked_range<Index>& range) {
  return static_cast<int>(std::min<std::size_t>(range.size(), kPieces));
}

template <class Index>
blocked_range<Index> piece(const blocked_range<Index>& range, int k) {
  const std::size_t pieces = piece_count(range), at = k;
  const auto bound = [&](std::size_t p) {
    return static_cast<Index>(range.begin() + static_cast<Index>(range.size() * p / pieces));
  };
  return {bound(at), bound(at + 1), range.grainsize()};
}

}  // namespace tbb::fork_join
