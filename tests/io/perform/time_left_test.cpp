#include "io/perform/time_left.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace keydrape {
namespace {

int seconds(const std::string& text) {
  const std::size_t colon = text.find(':');
  return colon == std::string::npos ? -1
                                    : 60 * std::stoi(text.substr(text.find_first_of("0123456789"))) +
                                          std::stoi(text.substr(colon + 1));
}

TEST(TimeLeft, ASteadyRunIsToldWhatItTakes) {
  TimeLeft left;
  left.update(0.0, 0.0);
  EXPECT_EQ(left.text(), "");
  left.update(0.01, 1.0);
  EXPECT_EQ(left.text(), "") << "too early to say";
  left.update(0.25, 25.0);
  EXPECT_EQ(left.text(), "about 1:15 left");
  left.update(1.0, 100.0);
  EXPECT_EQ(left.text(), "about 0:00 left");
}

// A search that is set back, and becomes slower: as a run that is rejected, and cloth that folds.
TEST(TimeLeft, NothingIsTakenBack) {
  TimeLeft left;
  double done = 0.0;
  int told = 1'000'000;
  bool has_exceeded = false;
  const std::vector<double> fractions = {0.0, 0.1, 0.31, 0.28, 0.25, 0.31, 0.33, 0.34, 0.4, 0.8, 0.9};
  const std::vector<double> times = {0, 10, 31, 40, 50, 60, 90, 150, 200, 210, 220};
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    left.update(fractions[i], times[i]);
    EXPECT_GE(left.done(), done);
    done = left.done();
    if (left.text().empty()) continue;
    EXPECT_LE(seconds(left.text()), told) << i;
    told = seconds(left.text());
    has_exceeded = has_exceeded || left.text().starts_with("more than ");
  }
  EXPECT_TRUE(has_exceeded);
  EXPECT_TRUE(left.text().starts_with("about ")) << left.text();
  EXPECT_EQ(done, 0.9);
}

}  // namespace
}  // namespace keydrape
