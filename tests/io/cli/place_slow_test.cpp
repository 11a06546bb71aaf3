// Two runs that want one folder, the second at any moment of the first.

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <thread>

#include "tests/support/resumed_run.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

class CliTwoRunsTest : public ResumedRun {
 protected:
  using Clock = std::chrono::steady_clock;
  static constexpr int kMoments = 20;

  CliTwoRunsTest() {
    write_scene("", 10);
    const Clock::time_point begin = Clock::now();
    code_ = run({"solve", "scene.toml", "-o", "whole", "--no-report"}).exit_code;
    duration_ = Clock::now() - begin;
    EXPECT_TRUE(code_ == 0 || code_ == 4);
  }

  // Its output goes to NAME.out and NAME.err.
  Process start_as(const std::string& name, const std::vector<std::string>& arguments) const {
    return start(arguments, [&] {
      const auto redirect = [&](const std::string& file, int descriptor) {
        ::dup2(::open((folder_ / file).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), descriptor);
      };
      redirect(name + ".out", STDOUT_FILENO);
      redirect(name + ".err", STDERR_FILENO);
    });
  }
  void pause() { std::this_thread::sleep_for(share_(random_) * duration_); }

  int code_;
  Clock::duration duration_;
  std::mt19937_64 random_{32};
  std::uniform_real_distribution<double> share_{0.0, 0.9};
};

// With --force, with --resume and as it is: the second is refused and the first does not notice.
TEST_F(CliTwoRunsTest, IntoOneFolder) {
  const char* const ways[] = {"--force", "--resume", "--quiet"};
  int met = 0, attempts = 0;
  for (; met < kMoments && attempts < 5 * kMoments; ++attempts) {
    fs::remove_all(folder_ / "out");
    const Process first = start_as("first", {"solve", "scene.toml", "-o", "out", "--no-report"});
    pause();
    const Process second =
        start_as("second", {"solve", "scene.toml", "-o", "out", "--no-report", ways[attempts % 3]});
    const int second_code = finish(second).exit_code, first_code = finish(first).exit_code;
    const std::string first_said = folder_.read("first.err"), second_said = folder_.read("second.err");
    const bool is_first_barred = says(first_said, {"out: found keydrape solve writing there (process"});
    const bool is_second_barred = says(second_said, {"out: found keydrape solve writing there (process"});
    if (!is_first_barred &&
        !is_second_barred) {  // one had ended before the other began: runs are shorter now
      duration_ = duration_ * 9 / 10;
      continue;
    }
    ++met;
    ASSERT_NE(is_first_barred, is_second_barred) << first_said << second_said;
    EXPECT_EQ(is_first_barred ? first_code : second_code, 3);
    EXPECT_EQ(is_first_barred ? second_code : first_code, code_) << first_said << second_said;
    expect_same_results("whole", "out");
    EXPECT_EQ(left_overs("out"), std::vector<std::string>());
  }
  EXPECT_EQ(met, kMoments);
  std::cout << "one of two refused at " << met << " moments, " << attempts - met << " beside each other\n";
}

TEST_F(CliTwoRunsTest, AsTakes) {
  for (int moment = 0; moment < kMoments; ++moment) {
    fs::remove_all(folder_ / "scene_out");
    const Process first = start_as("first", {"solve", "scene.toml", "--no-report"});
    if (moment > 4) pause();  // some begin at once
    const Process second = start_as("second", {"solve", "scene.toml", "--no-report"});
    EXPECT_EQ(finish(first).exit_code, code_) << folder_.read("first.err");
    EXPECT_EQ(finish(second).exit_code, code_) << folder_.read("second.err");
    EXPECT_NE(folder_.read("first.out"), folder_.read("second.out"));
    for (const char* take : {"scene_out/take_001", "scene_out/take_002"}) expect_same_results("whole", take);
    EXPECT_TRUE(fs::exists(folder_ / "scene_out/latest/summary.json"));
  }
}

}  // namespace
}  // namespace keydrape
