// A search that was broken off and goes on gives the bits of one that never was.

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>

#include "io/formats/npy.h"
#include "tests/support/resumed_run.h"

namespace keydrape {
namespace {

class CliResumeTest : public ResumedRun {
 protected:
  // Breaks a search off early, half way and late (by its budget, which may be raised), and goes on.
  void expect_the_same_bits(const std::string& control, int budget) {
    write_scene(control, budget);
    std::filesystem::remove_all(folder_ / "whole");
    const ProgramResult whole = run(solve_into("whole"));
    const int code = whole.exit_code;
    ASSERT_TRUE(code == 0 || code == 4) << whole.err;
    const int runs = read_json("whole/summary.json")["work"]["forward_simulations"];
    ASSERT_GE(runs, 4) << "too short a search to be broken";
    EXPECT_LE(runs, budget);
    bool was_shorter = false;
    for (const int spent : {1, 2, runs / 2, runs - 1}) {
      SCOPED_TRACE(fmt::format("{} of {} runs", spent, runs));
      write_scene(control, spent);
      std::filesystem::remove_all(folder_ / "out");
      const int first_code = run(solve_into("out")).exit_code;
      ASSERT_TRUE(first_code == 0 || first_code == 4);
      was_shorter = was_shorter || read_json("out/summary.json")["work"]["forward_simulations"] < runs;
      write_scene(control, budget);
      const ProgramResult resumed = run(solve_into("out"));
      ASSERT_EQ(resumed.exit_code, code) << resumed.err;
      EXPECT_TRUE(says(resumed.err, {"resumed after iteration"}));
      expect_same_results("whole", "out");
    }
    EXPECT_TRUE(was_shorter);
  }
};

TEST_F(CliResumeTest, GaussNewton) { expect_the_same_bits("effort = 1e-8\n", 8); }
TEST_F(CliResumeTest, AutomaticEffort) { expect_the_same_bits("", 10); }
TEST_F(CliResumeTest, Bounded) {
  expect_the_same_bits("effort = 1e-8\nmax_acceleration = 0.5\nstart = \"zero\"\n", 8);
}
TEST_F(CliResumeTest, BoundedWithAutomaticEffort) { expect_the_same_bits("max_acceleration = 2.0\n", 8); }
TEST_F(CliResumeTest, FromZeroByStep) {
  expect_the_same_bits("effort = 1e-8\nstart = \"zero\"\nhold = \"step\"\n", 6);
}
TEST_F(CliResumeTest, SlidingKeyframes) {
  first_keyframe_ += "window = \"1002-1004\"\nvelocity_weight = 0.1\nvelocity_tolerance = 0.05\n";
  expect_the_same_bits("", 10);
  expect_the_same_bits("start = \"zero\"\n", 10);
}
// Its nearest points stay for a stage of L-BFGS; Gauss-Newton finds them anew at every iterate.
TEST_F(CliResumeTest, Surface) {
  first_keyframe_ = "[[keyframe]]\nframe = 1003\nsurface = \"half.obj\"\n";
  expect_the_same_bits("", 10);
  expect_the_same_bits("method = \"lbfgs\"\neffort = 1e-6\n", 16);
}
TEST_F(CliResumeTest, Bdf2) {
  first_keyframe_ += "[solver]\nintegrator = \"bdf2\"\n";
  expect_the_same_bits("", 10);
}
TEST_F(CliResumeTest, Lbfgs) { expect_the_same_bits("method = \"lbfgs\"\neffort = 1e-6\n", 16); }
TEST_F(CliResumeTest, LbfgsWithAutomaticEffort) { expect_the_same_bits("method = \"lbfgs\"\n", 16); }
TEST_F(CliResumeTest, BoundedLbfgs) {
  expect_the_same_bits("method = \"lbfgs\"\neffort = 1e-6\nmax_acceleration = 0.5\n", 14);
}
// Whose unknowns are projected: those that a line search has and those of its points differ by rounding.
TEST_F(CliResumeTest, WithoutNetForce) {
  for (const char* method : {"lbfgs", "descent"})
    expect_the_same_bits(fmt::format("method = \"{}\"\neffort = 1e-6\nnet = \"zero-force\"\n", method), 16);
}

TEST_F(CliResumeTest, CoarseToFine) { expect_the_same_bits("coarse_to_fine = [\"mesh\", \"step\"]\n", 10); }

// A budget of memory is no part of the scene, with or without a table of its own.
TEST_F(CliResumeTest, WithMoreMemory) {
  write_scene("effort = 1e-8\n", 3);
  run(solve_into("out"));
  write_scene("effort = 1e-8\n", 6);
  folder_.write("scene.toml", folder_.read("scene.toml") + "[solver]\nmemory_gb = 2\n");
  const ProgramResult resumed = run(solve_into("out"));
  EXPECT_TRUE(resumed.exit_code == 0 || resumed.exit_code == 4) << resumed.err;
  EXPECT_TRUE(says(resumed.err, {"resumed after iteration"}));
}

// Long enough a search to be met in the middle by a signal.
class CliBrokenOffTest : public ResumedRun {
 protected:
  static constexpr int kFine = 14;

  CliBrokenOffTest() {
    folder_.write("rest.obj", sheet({}, kFine));
    for (const auto& [name, push] : {std::pair{"half.obj", 0.2}, std::pair{"key.obj", 0.4}}) {
      const auto pushed = [p = push](double&, double& y, double& z) { z = -p * y, y *= 1.0 - p / 4; };
      folder_.write(name, sheet(pushed, kFine));
    }
  }

  void write_fine_scene(const std::string& control) {
    folder_.write("scene.toml", shot_text() + "[[pin]]\nvertices = [0, 1, 12, 13]\n" +
                                    "[[keyframe]]\nframe = 1003\nmesh = \"half.obj\"\ntolerance = 1e-4\n" +
                                    keyframe_text("tolerance = 1e-4\n") + "[control]\n" + control +
                                    "max_forward_simulations = 5\n");
  }

  // Ends the search in `out` as soon as its log has the text.
  ProgramResult break_off_at(const std::string& text) {
    const Process process = start(solve_into("out"));
    wait_for(process, "out/keydrape.log", text);
    ::kill(process.id, SIGTERM);
    return finish(process);
  }
};

// Each of two coarser levels, before its first checkpoint and behind it.
TEST_F(CliBrokenOffTest, OnEveryCoarserLevel) {
  write_fine_scene("coarse_to_fine = [\"mesh\", \"step\"]\ncoarse_levels = 2\n");
  const int code = run(solve_into("whole")).exit_code;
  ASSERT_TRUE(code == 0 || code == 4);
  const nlohmann::json whole = read_json("whole/summary.json")["levels"];
  ASSERT_EQ(whole.size(), 2u);
  for (std::size_t level = 0; level < 2; ++level)
    for (const int iteration : {0, 1}) {
      SCOPED_TRACE(fmt::format("level {}, iteration {}", level, iteration));
      const ProgramResult broken = break_off_at(fmt::format("{} vertices, 1 substep: iteration {}",
                                                            whole[level]["vertices"].get<int>(), iteration));
      ASSERT_EQ(broken.exit_code, 75) << broken.err;
      const nlohmann::json levels = read_json("out/summary.json")["levels"];
      ASSERT_EQ(levels.size(), level + 1);
      EXPECT_GE(levels[level]["work"]["forward_simulations"], 1);
    }
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/level.json"));
  const ProgramResult resumed = run(solve_into("out"));
  ASSERT_EQ(resumed.exit_code, code) << resumed.err;
  EXPECT_TRUE(says(resumed.err, {"coarser level of", "resumed after iteration"}));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/level.json"));
  expect_same_results("whole", "out");
  const nlohmann::json levels = read_json("out/summary.json")["levels"];
  ASSERT_EQ(levels.size(), 2u);
  for (std::size_t level = 0; level < 2; ++level) {
    for (const char* key : {"vertices", "substeps", "end", "keyframes"})
      EXPECT_EQ(levels[level][key], whole[level][key]) << level << " " << key;
    for (const char* count : {"forward_simulations", "newton_iterations", "tangent_sweeps"})
      EXPECT_EQ(levels[level]["work"][count], whole[level]["work"][count]) << level << " " << count;
  }
}

// What has been damaged is told of, not left out.
TEST_F(CliBrokenOffTest, DamagedLevelsAreRefused) {
  write_fine_scene("coarse_to_fine = [\"mesh\"]\n");
  ASSERT_EQ(break_off_at("vertices, 2 substeps: iteration 1").exit_code, 75);
  nlohmann::json level = read_json("out/level.json");
  level["counts"]["steps"] = 3;
  folder_.write("out/level.json", level.dump());
  const ProgramResult refused = run(solve_into("out"));
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(says(refused.err, {"level.json: the checkpoint is damaged; solve without --resume"}));
}

TEST_F(CliBrokenOffTest, InEveryWindow) {
  write_fine_scene("windows = {length = 3, overlap = 1}\n");
  const int code = run(solve_into("whole")).exit_code;
  ASSERT_TRUE(code == 0 || code == 4);
  int windows_done = 0;
  for (const char* window : {"window 1001-1004: 1 target\n", "window 1003-1006: 1 target\n"}) {
    const ProgramResult broken = break_off_at(window);
    ASSERT_EQ(broken.exit_code, 75) << broken.err;
    EXPECT_TRUE(says(broken.err, {fmt::format("after {} of 2 windows; --resume goes on", windows_done)}));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out/controlled.pc2"));
    ++windows_done;
  }
  const ProgramResult resumed = run(solve_into("out"));
  ASSERT_EQ(resumed.exit_code, code) << resumed.err;
  EXPECT_TRUE(says(resumed.err, {"resumed after window 1"}));
  expect_same_results("whole", "out");
  EXPECT_EQ(read_json("out/summary.json")["work"], read_json("whole/summary.json")["work"]);
}

// The disk is full when a checkpoint is due: one message, and the checkpoint before loads.
TEST_F(CliResumeTest, AfterAFullDisk) {
  const std::string control = "effort = 1e-8\n";
  write_scene(control, 8);
  const int code = run(solve_into("whole")).exit_code;
  write_scene(control, 3);
  run(solve_into("out"));
  write_scene(control, 8);
  const ProgramResult full = run(solve_into("out"), [] {
    const rlimit limit{8000, 8000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  });
  ASSERT_EQ(full.exit_code, 3);
  EXPECT_TRUE(says(full.err, {"checkpoint_", ".npy: cannot be written", "free some space"}));
  EXPECT_EQ(full.err.find("rror"), full.err.rfind("rror")) << full.err;
  EXPECT_EQ(left_overs("out"), std::vector<std::string>());
  ASSERT_EQ(run(solve_into("out")).exit_code, code);
  expect_same_results("whole", "out");
}

TEST_F(CliResumeTest, ASignalAsksWhereItStands) {
  folder_.write("scene.toml", shot_text() + pin_text() + keyframe_text("tolerance = 1e-9\n") +
                                  "[control]\neffort = 1e-9\nmethod = \"lbfgs\"\n"
                                  "max_forward_simulations = 1000000\n");
  const Process process = start(solve_into("out"));
  wait_for(process, "out/convergence.jsonl", "\"iteration\":2");
  ::kill(process.id, SIGUSR1);
  wait_for(process, "out/keydrape.log", "going on");
  ::kill(process.id, SIGTERM);
  const ProgramResult result = finish(process);
  EXPECT_EQ(result.exit_code, 75);
  EXPECT_TRUE(says(result.err, {"the checkpoint of iteration", "is in", "going on"}));
}

}  // namespace
}  // namespace keydrape
