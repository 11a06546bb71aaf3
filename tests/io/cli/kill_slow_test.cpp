// Killed at any moment, a search leaves files that are whole, and goes on to the bits of one that was not.

#include <fmt/format.h>
#include <signal.h>
#include <sys/inotify.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <sstream>
#include <thread>

#include "io/formats/npy.h"
#include "io/formats/pc2.h"
#include "tests/support/resumed_run.h"

namespace keydrape {
namespace {

class CliKillTest : public ResumedRun {
 protected:
  using Clock = std::chrono::steady_clock;

  CliKillTest() {
    write_scene("", 10);
    const Clock::time_point begin = Clock::now();
    code_ = run(solve_into("whole")).exit_code;
    duration_ = Clock::now() - begin;
    EXPECT_TRUE(code_ == 0 || code_ == 4);
  }

  void expect_whole_files() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "out")) {
      const std::filesystem::path& file = entry.path();
      SCOPED_TRACE(file.string());
      const std::string text = entry.is_regular_file() ? folder_.read(file.string()) : "";
      const std::string extension = file.extension().string();
      if (extension == ".npy") read_npy(file);  // throws, as the next one
      if (extension == ".pc2") read_pc2(file);
      EXPECT_TRUE(extension != ".json" || nlohmann::json::accept(text));
      if (extension != ".jsonl") continue;
      EXPECT_TRUE(text.empty() || text.back() == '\n');
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) EXPECT_TRUE(nlohmann::json::accept(line)) << line;
    }
  }

  void expect_the_same_bits_when_resumed() {
    const ProgramResult resumed = run(solve_into("out"));
    ASSERT_EQ(resumed.exit_code, code_) << resumed.err;
    expect_same_results("whole", "out");
    EXPECT_EQ(left_overs("out"), std::vector<std::string>());
  }

  // Kills the program when it begins to write the `count`-th file of this name. Whether it was hit before the
  // file had appeared.
  bool kill_while_writing(const std::string& name, int count) {
    std::filesystem::remove_all(folder_ / "out");
    std::filesystem::create_directories(folder_ / "out");
    const int watch = ::inotify_init1(IN_CLOEXEC);
    ::inotify_add_watch(watch, (folder_ / "out").c_str(), IN_CREATE);
    const Process process = start(solve_into("out"));
    alignas(inotify_event) char events[4096];
    for (bool is_seen = false; !is_seen;) {
      const ssize_t size = ::read(watch, events, sizeof events);
      for (const char* at = events; at < events + size;) {
        const auto* event = reinterpret_cast<const inotify_event*>(at);
        const std::string created = event->len > 0 ? event->name : "";
        if (created.starts_with("." + name) && --count == 0) ::kill(process.id, SIGKILL), is_seen = true;
        if (created.starts_with(".summary.json")) is_seen = true;  // the last one: it was not to be
        at += sizeof(inotify_event) + event->len;
      }
    }
    ::close(watch);
    return finish(process).exit_code == -1 && left_overs("out").size() == 1;
  }

  int code_;
  Clock::duration duration_;
};

TEST_F(CliKillTest, AtRandomMoments) {
  std::mt19937_64 random(20);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  int kills = 0, finished = 0;
  while (kills < 20) {
    const Process process = start(solve_into("out"));
    std::this_thread::sleep_for(share(random) * duration_);
    ::kill(process.id, SIGKILL);
    const int code = finish(process).exit_code;
    if (std::filesystem::exists(folder_ / "out")) expect_whole_files();
    if (code == -1) {
      ++kills;
      continue;
    }
    ASSERT_EQ(code, code_);
    expect_same_results("whole", "out");
    std::filesystem::remove_all(folder_ / "out");
    ++finished;
  }
  expect_the_same_bits_when_resumed();
  std::cout << kills << " kills in " << finished + 1 << " searches\n";
}

TEST_F(CliKillTest, WhileWritingEachKindOfFile) {
  const std::pair<const char*, int> writes[] = {
      {"convergence.jsonl", 1}, {"uncontrolled.pc2", 1}, {"checkpoint_a.npy", 1}, {"checkpoint_a.npy", 2},
      {"checkpoint_b.npy", 1},  {"checkpoint.json", 1},  {"checkpoint.json", 2},  {"checkpoint.json", 3},
      {"controlled.pc2", 1},    {"positions.npy", 1},    {"steps.npy", 1},        {"forces.npy", 1},
      {"steps.jsonl", 1},       {"summary.json", 1}};
  for (const auto& [name, count] : writes) {
    SCOPED_TRACE(fmt::format("{}, time {}", name, count));
    bool was_hit = false;  // the program may be faster than we are
    for (int attempt = 0; attempt < 20 && !was_hit; ++attempt) was_hit = kill_while_writing(name, count);
    ASSERT_TRUE(was_hit);
    expect_whole_files();
    expect_the_same_bits_when_resumed();
  }
}

}  // namespace
}  // namespace keydrape
