// The twin experiment from end to end, by the program as a user runs it.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

TEST(TwinExample, FindsForcesThatMeetTheKeyframes) {
  const TemporaryFolder folder;
  const std::filesystem::path out = folder / "out";
  const std::string command = std::string(KEYDRAPE_BINARY) + " solve " + KEYDRAPE_EXAMPLES +
                              "/twin/twin.toml --quiet --progress none -o " + out.string();
  ASSERT_EQ(std::system(command.c_str()), 0);
  const nlohmann::json summary = nlohmann::json::parse(std::ifstream(out / "summary.json"));
  ASSERT_FALSE(summary.at("keyframes").empty());
  constexpr double kSize = 0.732;  // diagonal of the curtain [m]
  for (const auto& keyframe : summary.at("keyframes")) {
    EXPECT_LE(keyframe.at("rms_m").get<double>(), 1e-4 * kSize);
    EXPECT_LE(keyframe.at("rms_m").get<double>(), 0.01 * keyframe.at("uncontrolled_rms_m").get<double>());
  }
  double first = 0.0, before = 0.0;
  std::string line;
  for (std::ifstream log(out / "convergence.jsonl"); std::getline(log, line);) {
    const double objective = nlohmann::json::parse(line).at("objective");
    if (first == 0.0)
      first = objective;
    else
      EXPECT_LT(objective, before);  // accepted iterates never rise
    before = objective;
  }
  EXPECT_LT(before, 1e-8 * first);
  // The truth costs 0.354 g RMS: what is found costs no more.
  EXPECT_LT(summary.at("effort").at("rms_g").get<double>(), 0.354);
}

}  // namespace
}  // namespace keydrape
