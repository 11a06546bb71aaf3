#include "io/wedge/wedge_pool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "io/file/interrupt.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

// In a process that is to become a run: a Ctrl-C reaches it and its wedge, and it goes on only when the wedge
// has told it, or has not in a second.
void interrupt_at_birth() {
  ::kill(::getppid(), SIGINT);
  ::raise(SIGINT);
  sigset_t waiting{};
  for (int k = 0; k < 1000 && ::sigismember(&waiting, SIGTERM) == 0; ++k) {
    ::usleep(1000);
    ::sigpending(&waiting);
  }
}

class WedgePoolEndTest : public testing::Test {
 protected:
  WedgePoolEndTest() { std::filesystem::create_directories(folder_ / "001"); }

  // Of a wedge whose one element runs `script`. In another process: a request to stop stays in this one.
  void expect_end(const std::string& script, PoolEnd expected, bool is_interrupted_early = false,
                  const std::string& interpreter = "/bin/sh") const {
    write_program(script, interpreter);
    EXPECT_EXIT(run_wedge(expected, is_interrupted_early), testing::ExitedWithCode(0), "");
  }
  // The run of `script` kills its wedge, in the folder of its element.
  void expect_killed(const std::string& script) const {
    write_program("cd \"$4\"\n" + script + "\nkill -KILL $PPID; exec sleep 10", "/bin/sh");
    EXPECT_EXIT(run_wedge(PoolEnd::kFinished, false), testing::KilledBySignal(SIGKILL), "");
  }
  ElementOutcome end_of_element() const { return element_outcome(folder_ / "001"); }

  TemporaryFolder folder_;

 private:
  void write_program(const std::string& script, const std::string& interpreter) const {
    std::filesystem::permissions(folder_.write("program", "#!" + interpreter + "\n" + script + "\n"),
                                 std::filesystem::perms::owner_all);
  }
  [[noreturn]] void run_wedge(PoolEnd expected, bool is_interrupted_early) const {
    catch_signals();
    if (is_interrupted_early) ::pthread_atfork(nullptr, nullptr, interrupt_at_birth);
    WedgePlan plan{"/shots/a.toml", WedgeCommand::kSimulate, {}};
    plan.elements.push_back({1, "001", {}});
    const PoolOptions options{.program = folder_ / "program",
                              .jobs = 1,
                              .threads = 1,
                              .one_window = false,
                              .again = false,
                              .memory_gb = 1};
    const PoolEnd end = run_elements(folder_.path(), plan, {0}, options, [](const auto&, const auto&) {});
    std::_Exit(end == expected ? 0 : 1);
  }
};

// That writes the summary of a run that has taken so long.
std::string summary_script(const std::string& status, int seconds) {
  return fmt::format(
      R"(echo '{{"status": "{}", "keyframes": [], "tracks": [], "effort": {{"rms_g": 0, "peak_g": 0}}, )"
      R"("work": {{"forward_simulations": 1}}, "memory_bytes": {{"peak_rss": 1}}, )"
      R"("time_s": {{"total": {}}}}}' > summary.json)",
      status, seconds);
}

// The run of `script` tells the wedge to stop, and ends by the signal that the wedge passes on to it.
TEST_F(WedgePoolEndTest, ARunThatIsToldBeforeItCatchesSignalsIsInterrupted) {
  expect_end("kill -TERM $PPID; exec sleep 60", PoolEnd::kInterrupted);
  EXPECT_EQ(end_of_element().exit_code, 75);
  EXPECT_EQ(end_of_element().reason, "");
  EXPECT_FALSE(end_of_element().is_finished());
  EXPECT_TRUE(is_due(end_of_element(), false));
}

// It has the handlers of its wedge then, which would note the request where nobody looks.
TEST_F(WedgePoolEndTest, ARunThatIsToldBeforeItIsOneIsInterrupted) {
  expect_end("exec sleep 10", PoolEnd::kInterrupted, true);
  EXPECT_EQ(end_of_element().exit_code, 75);
  EXPECT_EQ(end_of_element().reason, "");
  EXPECT_TRUE(is_due(end_of_element(), false));
}

TEST_F(WedgePoolEndTest, WhatAKilledWedgeHasTornIsRemoved) {
  const std::filesystem::path torn = folder_.write("001/.element.json.12-3.tmp", "{"),
                              other = folder_.write("001/.notes.12-3.tmp", "");
  expect_end("exit 0", PoolEnd::kFinished);
  EXPECT_FALSE(std::filesystem::exists(torn));
  EXPECT_TRUE(std::filesystem::exists(other));
}

TEST_F(WedgePoolEndTest, WhatAKilledWedgeHasNotWrittenItsSummarySays) {
  for (const auto& [status, code] : {std::pair("done", 0), std::pair("missed", 4)}) {
    folder_.write("001/element.json", R"({"exit_code": 75, "reason": "", "seconds": 20})");
    std::filesystem::remove(folder_ / "001/summary.json");
    expect_killed(summary_script(status, 30));
    EXPECT_EQ(end_of_element().exit_code, code);
    EXPECT_EQ(word(end_of_element().state), status);
    EXPECT_EQ(end_of_element().seconds, 30);  // of the earlier start, too
    EXPECT_FALSE(is_due(end_of_element(), true));
  }
}

TEST_F(WedgePoolEndTest, OneThatIsKilledInTheMiddleGoesOn) {
  folder_.write("001/element.json", R"({"exit_code": 75, "reason": "", "seconds": 20})");
  expect_killed(summary_script("interrupted", 10));
  EXPECT_EQ(end_of_element().exit_code, std::nullopt);
  EXPECT_EQ(end_of_element().seconds, 20);
  EXPECT_TRUE(is_due(end_of_element(), false));
  expect_end("cd \"$4\"; " + summary_script("missed", 15) + "; exit 4", PoolEnd::kFinished);
  EXPECT_EQ(end_of_element().exit_code, 4);
  EXPECT_GT(end_of_element().seconds, 20);
}

// By hand, after an interrupt.
TEST_F(WedgePoolEndTest, WhatSomebodyElseHasEndedHasItsCode) {
  folder_.write("001/element.json", R"({"exit_code": 75, "reason": "", "seconds": 20})");
  expect_killed(summary_script("done", 10));
  folder_.write("001/element.json", R"({"exit_code": 75, "reason": "", "seconds": 20})");
  EXPECT_EQ(end_of_element().exit_code, 0);
  EXPECT_EQ(end_of_element().state, ElementState::kDone);
}

TEST_F(WedgePoolEndTest, ARunThatEndsByASignalOfAnothersHasFailed) {
  expect_end("kill -TERM $$", PoolEnd::kFinished);
  EXPECT_EQ(end_of_element().exit_code, -15);
  EXPECT_EQ(end_of_element().state, ElementState::kFailed);
}

TEST_F(WedgePoolEndTest, AProgramThatCannotBeStartedIsTheReason) {
  expect_end("exit 0", PoolEnd::kFinished, false, "/nowhere/sh");
  EXPECT_EQ(end_of_element().state, ElementState::kFailed);
  EXPECT_TRUE(says(end_of_element().reason, {"/program: could not be started"}));
}

TEST_F(WedgePoolEndTest, AMissingFolderIsRefusedBeforeAnythingBegins) {
  WedgePlan plan{"/shots/a.toml", WedgeCommand::kSimulate, {}};
  plan.elements.push_back({1, "001", {}});
  plan.elements.push_back({2, "002", {}});
  const PoolOptions options{
      .program = "/bin/true", .jobs = 2, .threads = 1, .one_window = false, .again = false, .memory_gb = 1};
  const std::string told = message_of<InputError>([&] {
    run_elements(folder_.path(), plan, {0, 1}, options, [](const auto&, const auto&) {});
  });
  EXPECT_TRUE(says(told, {"002: is not there", "give the whole command again"}));
  EXPECT_EQ(end_of_element().state, ElementState::kWaiting);
}

}  // namespace
}  // namespace keydrape
