#include "io/file/limited_process.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

TEST(LimitedProcess, ReturnsTheAnswer) {
  EXPECT_EQ(run_limited([] { return std::string(); }, {}).bytes, "");
  std::string large(5'000'000, 'x');
  EXPECT_EQ(run_limited([&] { return large; }, {}).bytes, large);
}

TEST(LimitedProcess, SaysWhyThereIsNone) {
  const auto failure = [](const std::function<std::string()>& work, const ProcessLimits& limits = {}) {
    const ProcessAnswer answer = run_limited(work, limits);
    EXPECT_FALSE(answer.bytes);
    return answer.failure;
  };
  EXPECT_EQ(failure([]() -> std::string { throw std::runtime_error("holds no grid"); }), "holds no grid");
  EXPECT_TRUE(says(failure([]() -> std::string {
                     std::raise(SIGKILL);
                     return {};
                   }),
                   {"crashes its reader (Killed)"}));
  EXPECT_TRUE(says(failure([]() -> std::string { std::_Exit(3); }), {"without a reason"}));
  EXPECT_TRUE(
      says(failure([] { return std::string(2000, 'x'); }, {.answer_bytes = 1000}), {"takes more than"}));
}

// Right behind a loop of the parent's, whose threads the child has not.
TEST(LimitedProcess, LoopsWaitForNoThreadOfTheParent) {
  const auto sum = [](int count) {
    std::atomic<int> counted{0};
    tbb::parallel_for(0, count, [&](int i) { counted += i % 2; });
    return counted.load();
  };
  const tbb::global_control two_threads(tbb::global_control::max_allowed_parallelism, 2);
  for (int run = 0; run < 200; ++run) {
    EXPECT_EQ(sum(10'000 + 200 * run), 5000 + 100 * run);
    const ProcessAnswer answer =
        run_limited([&] { return std::to_string(sum(20'000)); }, {.wall_seconds = 10.0});
    ASSERT_EQ(answer.bytes, "10000") << answer.failure;
  }
}

// Ctrl-C reaches everybody on the terminal; what becomes of the program is its own to say.
TEST(LimitedProcess, InterruptsAreNotTheChilds) {
  const ProcessAnswer answer = run_limited(
      []() -> std::string {
        std::raise(SIGINT), std::raise(SIGTERM);
        return "read";
      },
      {});
  EXPECT_EQ(answer.bytes, "read") << answer.failure;
}

// A busy machine lets a process wait: what counts is the processor time that it has had.
TEST(LimitedProcess, WaitingIsNotWorking) {
  const ProcessAnswer answer = run_limited(
      [] {
        std::this_thread::sleep_for(std::chrono::milliseconds(1200));
        return std::string("read");
      },
      {.processor_seconds = 1});
  EXPECT_EQ(answer.bytes, "read") << answer.failure;
  EXPECT_LT(answer.processor_seconds, 1);
}

TEST(LimitedProcess, EndsWhatWorksTooLong) {
  const ProcessAnswer answer = run_limited(
      []() -> std::string {
        for (volatile unsigned i = 0;;) i = i + 1;
      },
      {.processor_seconds = 1});
  EXPECT_FALSE(answer.bytes);
  EXPECT_EQ(answer.end, ProcessEnd::kTime);
  EXPECT_TRUE(says(answer.failure, {"takes longer than 1 s of processor time"}));
  EXPECT_GE(answer.processor_seconds, 0.9);
}

TEST(LimitedProcess, EndsWhatHangs) {
  const auto start = std::chrono::steady_clock::now();
  const ProcessAnswer answer = run_limited(
      []() -> std::string {
        for (;;) ::pause();
      },
      {.wall_seconds = 0.3});
  EXPECT_FALSE(answer.bytes);
  EXPECT_EQ(answer.end, ProcessEnd::kHang);
  EXPECT_TRUE(says(answer.failure, {"is not read after 0.3 s"}));
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 5.0);
}

TEST(LimitedProcess, EndsWhatTakesTooMuchMemory) {
  const ProcessAnswer answer = run_limited(
      [] {
        std::vector<std::string> blocks;
        blocks.reserve(64);
        for (int i = 0; i < 64; ++i) blocks.emplace_back(std::size_t{1} << 24, 'x');
        return blocks.back();
      },
      {.memory_bytes = std::size_t{1} << 28});
  EXPECT_FALSE(answer.bytes);  // the address sanitizer ends the process itself
  EXPECT_FALSE(answer.failure.empty());
}

}  // namespace
}  // namespace keydrape
