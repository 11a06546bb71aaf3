// Preloaded (LD_PRELOAD): a clock of the day that jumps, as a machine's that wakes up or is set.
//
//   KEYDRAPE_CLOCK_JUMP  seconds, signed: each second reading of the clock is off by as much

#include <sys/time.h>

#include <atomic>
#include <cstdlib>
#include <ctime>

#include "tests/faults/next_call.h"

namespace {

std::time_t jump() {
  static const char* const seconds = std::getenv("KEYDRAPE_CLOCK_JUMP");
  static std::atomic<int> readings{0};
  return seconds && readings++ % 2 == 1 ? static_cast<std::time_t>(std::atoll(seconds)) : 0;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static const auto original = next<int (*)(clockid_t, timespec*)>("clock_gettime");
  const int result = original(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += jump();
  return result;
}

int gettimeofday(timeval* now, void* zone) noexcept {
  static const auto original = next<int (*)(timeval*, void*)>("gettimeofday");
  const int result = original(now, zone);
  if (result == 0) now->tv_sec += jump();
  return result;
}

std::time_t time(std::time_t* now) noexcept {
  timeval of_day;
  gettimeofday(&of_day, nullptr);
  if (now) *now = of_day.tv_sec;
  return of_day.tv_sec;
}

}  // extern "C"
