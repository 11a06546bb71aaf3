#include "io/perform/time_left.h"

#include <fmt/format.h>

#include <algorithm>

namespace keydrape {
namespace {

constexpr double kEnoughToTell = 0.03;  // of all work: what came before says too little. Not tuned
constexpr double kSurely = 1.1;         // times as long as was said, before "about" becomes "more than"

std::string clock_text(double seconds) {
  const int s = static_cast<int>(std::min(seconds, 359'999.0));
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace

void TimeLeft::update(double fraction, double seconds) {
  done_ = std::max(done_, std::clamp(fraction, 0.0, 1.0));
  if (!first_fraction_) {
    first_fraction_ = done_;
    first_seconds_ = seconds;
  }
  const double gained = done_ - *first_fraction_;
  if (gained < kEnoughToTell) return;
  const double estimate = (seconds - first_seconds_) * (1.0 - done_) / gained;
  is_exceeded_ = left_ && estimate > kSurely * *left_;
  left_ = std::min(left_.value_or(estimate), estimate);
}

std::string TimeLeft::text() const {
  if (!left_) return "";
  return fmt::format("{} {} left", is_exceeded_ ? "more than" : "about", clock_text(*left_));
}

}  // namespace keydrape
