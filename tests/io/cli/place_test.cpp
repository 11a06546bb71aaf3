// One folder holds one run at a time; runs without a folder of their own stand beside each other as takes.

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include "io/report/page.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

class CliPlaceTest : public CliFolder {
 protected:
  // Where the run went, as stdout says; relative to the folder.
  std::string place_of(const std::vector<std::string>& arguments) {
    const ProgramResult result = run(arguments);
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 4) << result.err;
    return fs::path(result.out.substr(0, result.out.find('\n'))).lexically_relative(folder_.path()).string();
  }
  std::string latest() const { return fs::read_symlink(folder_ / "scene_out/latest").string(); }

  void expect_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& because) {
    const ProgramResult refused = run(arguments);
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_TRUE(says(refused.err, because)) << refused.err;
  }

  // As another program holds a run's lock; until it is closed.
  int hold(const std::string& folder) const {
    const int file = ::open((folder_ / (folder + "/run.lock")).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    EXPECT_EQ(::flock(file, LOCK_EX | LOCK_NB), 0);
    return file;
  }
};

TEST_F(CliPlaceTest, RunsWithoutAFolderAreTakes) {
  EXPECT_EQ(place_of({"simulate", "scene.toml"}), "scene_out/take_001");
  EXPECT_EQ(latest(), "take_001");
  EXPECT_EQ(place_of({"solve", "scene.toml", "--no-report"}), "scene_out/take_002");
  EXPECT_EQ(latest(), "take_002");
  EXPECT_EQ(place_of({"simulate", "scene.toml"}), "scene_out/take_003");
  EXPECT_EQ(read_json("scene_out/latest/summary.json")["status"], "done");
  EXPECT_TRUE(fs::exists(folder_ / "scene_out/take_001/simulated.pc2"));
  EXPECT_TRUE(fs::exists(folder_ / "scene_out/take_002/controlled.pc2"));
  fs::remove_all(folder_ / "scene_out/take_001");  // its number does not come back
  EXPECT_EQ(place_of({"simulate", "scene.toml"}), "scene_out/take_004");
  fs::remove_all(folder_ / "scene_out/take_004");  // nor that of the latest
  EXPECT_EQ(place_of({"simulate", "scene.toml"}), "scene_out/take_005");
}

TEST_F(CliPlaceTest, ForceReplacesTheCommandsLatestTake) {
  EXPECT_EQ(place_of({"simulate", "scene.toml", "--force"}), "scene_out/take_001");  // there is none
  EXPECT_EQ(place_of({"solve", "scene.toml", "--no-report"}), "scene_out/take_002");
  EXPECT_EQ(place_of({"simulate", "scene.toml", "--force"}), "scene_out/take_001");
  EXPECT_EQ(latest(), "take_001");
  EXPECT_EQ(place_of({"solve", "scene.toml", "--no-report", "--force"}), "scene_out/take_002");
}

// What is refused has not begun: no take becomes the latest by it, and no result goes.
TEST_F(CliPlaceTest, ARefusedRunLeavesAllAsItWas) {
  const std::vector<std::string> solve = {"solve", "scene.toml", "--no-report"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = solve;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  EXPECT_EQ(place_of(solve), "scene_out/take_001");
  EXPECT_EQ(place_of(solve), "scene_out/take_002");
  const std::string lock = folder_.read("scene_out/take_001/run.lock");
  expect_refused(with({"--take", "take_001"}), {"holds the results of a finished run"});
  EXPECT_EQ(folder_.read("scene_out/take_001/run.lock"), lock);
  EXPECT_EQ(latest(), "take_002");
  folder_.write("scene.toml", scene_text() + "[solver]\nscratch_gb = 0.01\nscratch_dir = \"/proc/none\"\n");
  EXPECT_NE(run(with({"--force", "--take", "take_001"})).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_ / "scene_out/take_001/summary.json"));
  EXPECT_EQ(folder_.read("scene_out/take_001/run.lock"), lock);
  EXPECT_EQ(latest(), "take_002");
  folder_.write("scene.toml", scene_text());
  EXPECT_EQ(place_of(with({"--force"})), "scene_out/take_002");
}

TEST_F(CliPlaceTest, ResumeGoesOnWithTheCommandsLatestTake) {
  write_scene_in_windows();
  const std::vector<std::string> one = {"solve", "scene.toml", "--no-report", "--one-window", "--resume"};
  const ProgramResult first = run(one);
  EXPECT_EQ(first.exit_code, 75) << first.err;
  EXPECT_EQ(latest(), "take_001");
  EXPECT_EQ(place_of({"simulate", "scene.toml"}), "scene_out/take_002");
  const ProgramResult second = run(one);
  EXPECT_TRUE(says(second.err, {"resumed after window 1"})) << second.err;
  EXPECT_EQ(latest(), "take_001");
  EXPECT_FALSE(fs::exists(folder_ / "scene_out/take_003"));
}

TEST_F(CliPlaceTest, ATakeMayBeNamed) {
  EXPECT_EQ(place_of({"simulate", "scene.toml", "--take", "less wind"}), "scene_out/less wind");
  EXPECT_EQ(latest(), "less wind");
  expect_refused({"simulate", "scene.toml", "--take", "less wind"},
                 {"less wind: holds the results", "--force"});
  EXPECT_EQ(place_of({"simulate", "scene.toml", "--take", "less wind", "--force"}), "scene_out/less wind");
  EXPECT_EQ(place_of({"simulate", "scene.toml"}), "scene_out/take_001");
  for (const std::string name : {"latest", "shot", "a/b", "..", ".hidden", "a/"}) {
    const std::string found = "--take: found \"" + name + "\"";
    expect_refused({"simulate", "scene.toml", "--take", name}, {found});
    for (const char* command : {"simulate", "solve"})
      expect_refused({command, "scene.toml", "--dry-run", "--take", name}, {found});
  }
  EXPECT_EQ(run({"simulate", "scene.toml", "--take", "a", "-o", "out"}).exit_code, 2);
}

TEST_F(CliPlaceTest, AFolderThatTheSceneNamesIsNoPlaceOfTakes) {
  folder_.write("scene.toml", scene_text() + "[output]\ndir = \"results\"\n");
  EXPECT_EQ(place_of({"simulate", "scene.toml"}), "results");
  expect_refused({"simulate", "scene.toml"}, {"results: holds the results of a finished run"});
  EXPECT_EQ(place_of({"simulate", "scene.toml", "--take", "a"}), "results/a");
}

TEST_F(CliPlaceTest, AFolderIsOneRunsAtATime) {
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "out"}).exit_code, 0);
  const std::string before = folder_.read("out/summary.json"), log = folder_.read("out/keydrape.log");
  folder_.write("out/run.lock",
                R"({"command":"solve","process":123,"host":"farm7","since":"2026-11-25T10:00:00.000Z"})");
  const int lock = hold("out");
  for (const char* command : {"simulate", "solve"})
    for (const char* how : {"--quiet", "--force", "--resume"})
      expect_refused(
          {command, "scene.toml", "-o", "out", how},
          {"out: found keydrape solve writing there (process 123 on farm7, since 2026-11-25T10:00:00.000Z)",
           "-o, or --take"});
  EXPECT_EQ(folder_.read("out/summary.json"), before);
  EXPECT_EQ(folder_.read("out/keydrape.log"), log);
  ::close(lock);  // a lock that nobody holds is none, whatever it says
  EXPECT_EQ(run({"simulate", "scene.toml", "-o", "out", "--force"}).exit_code, 0);
}

// What a lock file says is for people: whatever stands in it bars no run and no report.
TEST_F(CliPlaceTest, ADamagedLockFileSaysNothing) {
  place_of({"simulate", "scene.toml"});
  for (const char* text : {"", "{\"command\": 3}", "[1]", "null",
                           "{\"command\":\"solve\",\"process\":\"x\",\"host\":1,\"since\":[]}"}) {
    folder_.write("scene_out/take_001/run.lock", text);
    EXPECT_EQ(run({"report", "scene_out", "-o", "page.html", "--force"}).exit_code, 0) << text;
  }
  EXPECT_EQ(place_of({"simulate", "scene.toml"}), "scene_out/take_002");
}

// The next number, while the one before is being made; and the latest take is not replaced under its run.
TEST_F(CliPlaceTest, TakesAreLockedLikeAnyFolder) {
  EXPECT_EQ(place_of({"simulate", "scene.toml"}), "scene_out/take_001");
  const int lock = hold("scene_out/take_001");
  expect_refused({"simulate", "scene.toml", "--force"},
                 {"take_001: found keydrape simulate writing there (process"});
  expect_refused({"simulate", "scene.toml", "--resume"},
                 {"take_001: found keydrape simulate writing there (process"});
  EXPECT_EQ(place_of({"simulate", "scene.toml"}), "scene_out/take_002");
  ::close(lock);
}

TEST_F(CliPlaceTest, AKilledRunBarsNobody) {
  folder_.write("scene.toml", "[shot]\nframes = \"1001-9000\"\n[cloth]\nrest = \"rest.obj\"\n" + pin_text());
  const Process process = start({"simulate", "scene.toml", "-o", "out"});
  wait_for(process, "out/keydrape.log", "frames 1001-9000");
  const ProgramResult refused = run({"simulate", "scene.toml", "-o", "out", "--force"}, [&] {
    ::dup2(::open((folder_ / "second").c_str(), O_WRONLY | O_CREAT, 0666), STDERR_FILENO);
  });
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(says(folder_.read("second"),
                   {fmt::format("keydrape simulate writing there (process {}, since", process.id)}));
  EXPECT_TRUE(is_running(process)) << "it has ended before it could be killed";
  ::kill(process.id, SIGKILL);
  ASSERT_EQ(finish(process).exit_code, -1);
  folder_.write("scene.toml", scene_text());
  EXPECT_EQ(run({"simulate", "scene.toml", "-o", "out"}).exit_code, 0);
}

TEST_F(CliPlaceTest, ALinkThatCannotBeIsSaid) {
  fs::create_directories(folder_ / "scene_out/latest");
  const ProgramResult result = run({"simulate", "scene.toml"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(says(result.err, {"warning: ", "scene_out/latest: is no link, and stays as it is"}))
      << result.err;
  EXPECT_TRUE(fs::is_directory(fs::symlink_status(folder_ / "scene_out/latest")));
}

TEST_F(CliPlaceTest, AFileNamedByTheLinkIsOneThatMoves) {
  ASSERT_EQ(run({"solve", "scene.toml", "--no-report"}).exit_code, 0);
  folder_.write("scene.toml", scene_text() + "[control]\nrelative_to = \"scene_out/latest/forces.npy\"\n");
  const ProgramResult result = run({"solve", "scene.toml", "--no-report"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(
      says(result.err, {"warning: ", "[control] relative_to: found ", "scene_out/latest/forces.npy, which",
                        "name the take itself, ", "scene_out/take_001/forces.npy"}))
      << result.err;
  folder_.write("scene.toml", scene_text() + "[control]\nrelative_to = \"scene_out/take_001/forces.npy\"\n");
  EXPECT_FALSE(says(run({"solve", "scene.toml", "--no-report"}).err, {"name the take itself"}));
}

// Results that lie in the folder itself, as runs without -o left them before there were takes.
TEST_F(CliPlaceTest, ResultsOfBeforeStayWhereTheyAre) {
  ASSERT_EQ(run({"solve", "scene.toml", "-o", "scene_out", "--no-report"}).exit_code, 0);
  const std::string before = folder_.read("scene_out/summary.json");
  EXPECT_EQ(place_of({"simulate", "scene.toml"}), "scene_out/take_001");
  EXPECT_EQ(folder_.read("scene_out/summary.json"), before);
  EXPECT_EQ(place_of({"solve", "scene.toml", "--no-report", "--resume"}), "scene_out");
}

// Their numbers are free, and the next file that is opened would get them.
TEST_F(CliPlaceTest, NothingIsSaidIntoFilesWhereStderrIsClosed) {
  const std::vector<std::string> solve = {"solve", "scene.toml", "--no-report"};
  ASSERT_EQ(run(solve, [] { ::close(STDERR_FILENO); }).exit_code, 0);
  EXPECT_EQ(read_json("scene_out/take_001/run.lock")["command"], "solve");
  EXPECT_FALSE(read_json_lines("scene_out/take_001/convergence.jsonl").empty());
  EXPECT_EQ(latest(), "take_001");
  EXPECT_EQ(place_of({"solve", "scene.toml", "--no-report", "--force"}), "scene_out/take_001");
  const ProgramResult silent = run(solve, [] {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(descriptor);
  });
  EXPECT_EQ(silent.exit_code, 3);  // its results cannot be told
  EXPECT_EQ(read_json("scene_out/take_002/run.lock")["command"], "solve");
  EXPECT_FALSE(read_json_lines("scene_out/take_002/convergence.jsonl").empty());
  EXPECT_FALSE(read_json_lines("scene_out/take_002/steps.jsonl").empty());
}

TEST_F(CliPlaceTest, ReportsOfTakesAndOfFolders) {
  if (const auto obstacle = report_obstacle()) GTEST_SKIP() << "SKIPPED: " << *obstacle;
  EXPECT_EQ(place_of({"simulate", "scene.toml", "--take", "b"}), "scene_out/b");
  EXPECT_EQ(place_of({"simulate", "scene.toml", "--take", "a"}), "scene_out/a");
  ASSERT_EQ(run({"report", "scene_out"}).exit_code, 0);
  const std::string page = folder_.read("scene_out/report.html");
  const std::size_t b = page.find("scene_out/b\""), a = page.find("scene_out/a\"");
  EXPECT_TRUE(b != std::string::npos && a != std::string::npos && b < a)
      << "in the order in which they began";
  const ProgramResult again = run({"report", "scene_out"});  // it is the takes' own page
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_TRUE(says(again.err, {"scene_out/report.html: replaces the page that was there"}));

  const std::vector<std::string> two = {"report", "scene_out/a", "scene_out/b"};
  ASSERT_EQ(run(two).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_ / "report.html"));
  expect_refused(two, {"report.html: found an earlier page of that name", "-o", "--force"});
  EXPECT_EQ(run({"report", "scene_out/a", "scene_out/b", "--force"}).exit_code, 0);
  EXPECT_EQ(run({"report", "scene_out/a", "scene_out/b", "-o", "report.html"}).exit_code, 0);
  expect_refused({"report", "scene_out/a", "scene_out/b", "-o", "scene.toml"}, {"scene.toml: found a file"});
  fs::create_directory(folder_ / "empty");
  expect_refused({"report", "empty"}, {"empty: found no run in it"});
}

}  // namespace
}  // namespace keydrape
