#include "io/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace keydrape {
namespace {

constexpr std::chrono::milliseconds kBarInterval{100}, kLineInterval{2000};
constexpr int kBarWidth = 24;

ProgressStyle resolved(ProgressStyle style, bool quiet) {
  if (quiet) return ProgressStyle::kNone;
  if (style != ProgressStyle::kAuto) return style;
  return ::isatty(STDERR_FILENO) ? ProgressStyle::kBar : ProgressStyle::kLines;
}

}  // namespace

Progress::Progress(ProgressStyle style, bool quiet) : style_(resolved(style, quiet)) {}

void Progress::update(double fraction, const std::string& text) {
  if (style_ == ProgressStyle::kNone) return;
  time_left_.update(fraction, std::chrono::duration<double>(Clock::now() - begin_).count());
  if (!is_due()) return;
  const double done = time_left_.done();
  const std::string time_left = time_left_.text();
  const std::string left = time_left.empty() ? "" : ", " + time_left;
  if (style_ == ProgressStyle::kLines) {
    fmt::print(stderr, "progress {:.0f} % {}{}\n", 100.0 * done, text, left);
  } else {
    const int filled = static_cast<int>(done * kBarWidth);
    fmt::print(stderr, "\r\x1b[K[{:=<{}}{: <{}}] {:3.0f} % {}{}", "", filled, "", kBarWidth - filled,
               100.0 * done, text, left);
    bar_stands_ = true;
  }
  std::fflush(stderr);
}

void Progress::update(const std::string& text) {
  if (style_ == ProgressStyle::kNone || !is_due()) return;
  if (style_ == ProgressStyle::kLines) {
    fmt::print(stderr, "progress {}\n", text);
  } else {
    fmt::print(stderr, "\r\x1b[K{}", text);
    bar_stands_ = true;
  }
  std::fflush(stderr);
}

bool Progress::is_due() {
  const Clock::time_point now = Clock::now();
  if (now - shown_ < (style_ == ProgressStyle::kBar ? kBarInterval : kLineInterval)) return false;
  shown_ = now;
  return true;
}

void Progress::clear() {
  if (!bar_stands_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  bar_stands_ = false;
}

}  // namespace keydrape
