// Killed at any moment, a wedge leaves elements that go on to the bits of runs that were not.

#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <thread>

#include "tests/support/resumed_run.h"

namespace keydrape {
namespace {

class CliWedgeKillTest : public ResumedRun {
 protected:
  static std::vector<std::string> wedge_into(const std::string& folder) {
    return {"wedge",     "scene.toml",
            "--set",     "control.smooth_time=0,0.1",
            "--set",     "control.effort=1e-6,1e-5",
            "-o",        folder,
            "--jobs",    "2",
            "--threads", "1"};
  }
};

TEST_F(CliWedgeKillTest, AtRandomMoments) {
  constexpr int kKills = 10;
  write_scene("", 40);
  const auto begin = std::chrono::steady_clock::now();
  const int code = run(wedge_into("whole")).exit_code;
  const auto duration = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(code == 0 || code == 4);
  std::mt19937_64 random(20);
  std::uniform_real_distribution<double> share(0.0, 2.0 / kKills);
  int kills = 0;
  while (kills < kKills) {
    const Process process = start(wedge_into("w"));
    std::this_thread::sleep_for(share(random) * duration);
    ::kill(process.id, SIGKILL);
    if (finish(process).exit_code == -1) {
      ++kills;
      continue;
    }
    std::filesystem::remove_all(folder_ / "w");  // it had ended: from the start once more
  }
  ASSERT_EQ(run(wedge_into("w")).exit_code, code);
  const ProgramResult status = run({"wedge", "w", "--status", "--json"});
  for (const nlohmann::json& element : nlohmann::json::parse(status.out)["elements"])
    EXPECT_EQ(element["exit_code"], element["status"] == "done" ? 0 : 4) << element;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "whole")) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory()) continue;
    SCOPED_TRACE(name);
    expect_same_results("whole/" + name, "w/" + name);
    EXPECT_EQ(left_overs("w/" + name), std::vector<std::string>());
  }
}

}  // namespace
}  // namespace keydrape
