#pragma once

#include <chrono>

namespace keydrape {

// Wall-clock time since it was made [s].
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Adds the time of its life to a sum [s].
class TimedScope {
 public:
  // `sum` outlives this.
  explicit TimedScope(double& sum) : sum_(sum) {}
  ~TimedScope() { sum_ += watch_.seconds(); }
  TimedScope(const TimedScope&) = delete;
  TimedScope& operator=(const TimedScope&) = delete;

 private:
  double& sum_;
  Stopwatch watch_;
};

}  // namespace keydrape
