#include "io/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace keydrape {
namespace {

constexpr std::chrono::milliseconds kBarInterval{100}, kLineInterval{2000};
constexpr int kBarWidth = 24;

std::string time_text(double seconds) {
  const int s = static_cast<int>(std::min(seconds, 359'999.0));
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

ProgressStyle resolved(ProgressStyle style, bool quiet) {
  if (style != ProgressStyle::kAuto) return style;
  if (quiet) return ProgressStyle::kNone;
  return ::isatty(STDERR_FILENO) ? ProgressStyle::kBar : ProgressStyle::kLines;
}

}  // namespace

Progress::Progress(ProgressStyle style, bool quiet) : style_(resolved(style, quiet)) {}

void Progress::update(double fraction, const std::string& text) {
  if (style_ == ProgressStyle::kNone) return;
  const Clock::time_point now = Clock::now();
  const double done = std::clamp(fraction, 0.0, 1.0);
  if (done_before_ < 0.0) {
    begin_ = now;
    done_before_ = done;
  }
  if (now - shown_ < (style_ == ProgressStyle::kBar ? kBarInterval : kLineInterval)) return;
  shown_ = now;
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  const double gained = done - done_before_;
  const std::string left =
      gained > 0.0 ? fmt::format(", {} left", time_text(elapsed * (1.0 - done) / gained)) : "";
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

void Progress::clear() {
  if (!bar_stands_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  bar_stands_ = false;
}

}  // namespace keydrape
