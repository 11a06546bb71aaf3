#include "io/wedge/wedge_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

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
    std::filesystem::permissions(folder_.write("program", "#!" + interpreter + "\n" + script + "\n"),
                                 std::filesystem::perms::owner_all);
    const auto run = [&] {
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
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
  }
  ElementOutcome end_of_element() const { return element_outcome(folder_ / "001"); }

  TemporaryFolder folder_;
};

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
