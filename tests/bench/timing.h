#pragma once

#include <algorithm>
#include <cassert>
#include <chrono>
#include <numeric>
#include <vector>

namespace keydrape::bench {

// Wall-clock time that a call takes [s].
template <class Call>
double seconds_of(const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Requires at least one value, as mean.
inline double median(std::vector<double> values) {
  assert(!values.empty());
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

inline double mean(const std::vector<double>& values) {
  assert(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The median time of several calls, after one that warms up caches and memory [s].
template <class Call>
double median_seconds_of(int calls, const Call& call) {
  call();
  std::vector<double> seconds;
  seconds.reserve(static_cast<size_t>(calls));
  for (int k = 0; k < calls; ++k) seconds.push_back(seconds_of(call));
  return median(std::move(seconds));
}

}  // namespace keydrape::bench
