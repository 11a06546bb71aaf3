// Shots that are solved in parts: one window of an accepted take, or overlapping windows one after the other.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/base/types.h"
#include "io/formats/npy.h"
#include "io/formats/pc2.h"
#include "io/perform/solve_run.h"
#include "io/shot/control.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

constexpr int kWindowFrames = 21;

class CliWindowsTest : public CliFolder {
 protected:
  CliWindowsTest() {
    folder_.write("back.obj", swung_sheet(-0.3));
    folder_.write("further.obj", swung_sheet(0.5));
  }

  static std::string scene(const std::string& control, const std::string& middle = "back.obj") {
    std::string text =
        "[shot]\nframes = \"1001-1021\"\nsubsteps = 2\n[cloth]\nrest = \"rest.obj\"\n" + pin_text();
    for (const auto& [frame, mesh] :
         {std::pair<int, std::string>{1007, "key.obj"}, {1014, middle}, {1021, "key.obj"}})
      text += fmt::format("[[keyframe]]\nframe = {}\nmesh = \"{}\"\ntolerance = 0.003\n", frame, mesh);
    return text + "[control]\n" + control;
  }

  ProgramResult solve(const std::string& text, const std::string& out) {
    folder_.write("scene.toml", text);
    return run({"solve", "scene.toml", "-o", out, "--no-report"});
  }

  ProgramResult resume_forced(const std::string& text, const std::string& out) {
    folder_.write("scene.toml", text);
    return run({"solve", "scene.toml", "-o", out, "--no-report", "--resume", "--force"});
  }

  VecX array(const std::string& name) const { return read_npy(folder_ / name).values; }

  // Of the vertices that no pin holds, in so many frames, as an acceleration [g_0].
  static double rms_of(const VecX& forces, const VecX& mass, int first, int count) {
    double sum = 0.0;
    for (int f = first; f < first + count; ++f)
      for (int i = kSide; i < kVertices; ++i)
        sum += forces.segment<3>(3 * (f * kVertices + i)).squaredNorm() / (mass[i] * mass[i]);
    return std::sqrt(sum / (count * (kVertices - kSide))) / kStandardGravity;
  }

  // How much of a search is said to be done, just as each of its windows begins.
  std::vector<double> done_before_windows(const std::string& control) {
    class Listener final : public RunListener {
     public:
      void on_folder(const RunFolder&) override {}
      void on_text(LogLevel, const std::string& text) override {
        const bool is_begin = text.starts_with("window ") && text.find(" target") != std::string::npos;
        is_next_ = is_next_ || is_begin;
      }
      void on_progress(double fraction, const std::string&) override {
        if (std::exchange(is_next_, false)) done.push_back(fraction);
      }
      bool should_stop() override { return false; }
      std::vector<double> done;

     private:
      bool is_next_ = false;
    } listener;
    folder_.write("scene.toml", scene(control));
    solve_in_folder(read_scene(folder_ / "scene.toml"),
                    {.place = {.folder = folder_ / "told", .earlier = EarlierRun::kReplace}, .report = false},
                    listener);
    return listener.done;
  }
};

// However little of the shot is left.
TEST(ControlWindows, TheLastIsHalfAsLongAsTheOthersAtLeast) {
  const auto windows = [](int length, int overlap, const FrameRange& shot) {
    scene::Control control;
    control.windows = scene::Windows{length, overlap, {}};
    std::string text;
    for (const FrameRange& window : control_windows(control, shot)) text += window.text() + " ";
    return text;
  };
  EXPECT_EQ(windows(10, 0, {1, 22}), "1-11 11-21 12-22 ");
  EXPECT_EQ(windows(10, 0, {1, 21}), "1-11 11-21 ");
  EXPECT_EQ(windows(9, 4, {1, 21}), "1-10 6-15 11-20 16-21 ");
  EXPECT_EQ(windows(9, 8, {1, 12}), "1-10 2-11 3-12 ");
  EXPECT_EQ(windows(9, 4, {1, 20}), "1-10 6-15 11-20 ");
  EXPECT_EQ(windows(9, 0, {1, 14}), "1-10 5-14 ");
  EXPECT_EQ(windows(10, 2, {1, 5}), "1-5 ");
}

TEST_F(CliWindowsTest, ANoteInAWindowLeavesTheRestOfTheTake) {
  ASSERT_EQ(solve(scene(""), "take").exit_code, 0);
  const std::string note = "relative_to = \"take/forces.npy\"\nwindow = \"1009-1016\"\n";
  // Every keyframe is met already: nothing is changed.
  ASSERT_EQ(solve(scene(note), "same").exit_code, 0);
  EXPECT_EQ(array("same/forces.npy"), array("take/forces.npy"));
  const ProgramResult result = solve(scene(note, "further.obj"), "out");
  // The last keyframe is after the window.
  ASSERT_TRUE(result.exit_code == 0 || result.exit_code == 4) << result.err;
  const VecX take = array("take/forces.npy"), forces = array("out/forces.npy");
  const VecX before = array("take/positions.npy"), after = array("out/positions.npy");
  constexpr int kFirst = 8, kLast = 15;  // of the window, from 0
  const auto frames = [](const VecX& values, int first, int count) {
    return VecX(values.segment(3 * kVertices * first, 3 * kVertices * count));
  };
  EXPECT_EQ(frames(forces, 0, kFirst), frames(take, 0, kFirst));
  EXPECT_EQ(frames(forces, kLast, kWindowFrames - kLast), frames(take, kLast, kWindowFrames - kLast));
  EXPECT_NE(frames(forces, kFirst, kLast - kFirst), frames(take, kFirst, kLast - kFirst));
  EXPECT_EQ(frames(after, 0, kFirst + 1), frames(before, 0, kFirst + 1));
  EXPECT_EQ(result.err.find("it is outside of [control] window") != std::string::npos, result.exit_code == 4);
  EXPECT_TRUE(says(result.err, {"every tolerance within [control] window is met"}));
  // Misses are those of the whole shot.
  const nlohmann::json keyframes = read_json("out/summary.json")["keyframes"];
  ASSERT_EQ(keyframes.size(), 3u);
  EXPECT_TRUE(keyframes[0]["reached"]);
  EXPECT_TRUE(keyframes[1]["reached"]);
  EXPECT_GT(keyframes[1]["uncontrolled_rms_m"], 0.05);
  for (const nlohmann::json& line : read_json_lines("out/convergence.jsonl"))
    EXPECT_EQ(line["window"], (std::vector<int>{1009, 1016}));
  // The take from its first frame, and then windows only: no step before is simulated again.
  const nlohmann::json work = read_json("out/summary.json")["work"];
  const int runs = work["forward_simulations"], steps = work["time_steps"];
  constexpr int kShot = 2 * (kWindowFrames - 1), kWindow = 2 * (kLast - kFirst),
                kRest = 2 * (kWindowFrames - 1 - kLast);
  const int simulated = kShot + (runs - 2) * kWindow + kRest;
  EXPECT_GE(steps, simulated);
  EXPECT_LE(steps, simulated + (2 * 3 + 1) * kWindow)
      << "that much two runs from behind and a landing may have tried";
}

TEST_F(CliWindowsTest, OverlappingWindowsMeetEveryKeyframe) {
  const ProgramResult whole = solve(scene(""), "whole");
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const ProgramResult result = solve(scene("windows = {length = 9, overlap = 4}\n"), "out");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err.find("the result is"), std::string::npos) << "of no one iteration: " << result.err;
  for (const char* window : {"1001-1010", "1016-1021"})
    EXPECT_TRUE(says(result.err, {fmt::format("window {}: within every tolerance", window)})) << result.err;
  const nlohmann::json summary = read_json("out/summary.json");
  for (const nlohmann::json& keyframe : summary["keyframes"]) {
    EXPECT_TRUE(keyframe["reached"]);
    EXPECT_LE(keyframe["rms_m"], 0.003);
  }
  std::set<std::vector<int>> windows;
  int iteration = -1;
  for (const nlohmann::json& line : read_json_lines("out/convergence.jsonl")) {
    windows.insert(line["window"].get<std::vector<int>>());
    EXPECT_GT(line["iteration"], iteration);
    iteration = line["iteration"];
  }
  EXPECT_EQ(windows, (std::set<std::vector<int>>{{1001, 1010}, {1006, 1015}, {1011, 1020}, {1016, 1021}}));
  const double in_parts = read_json("out/summary.json")["effort"]["rms_g"],
               at_once = read_json("whole/summary.json")["effort"]["rms_g"];
  EXPECT_LE(in_parts, 2.0 * at_once);
  // Its forces alone repeat it.
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "again", "--forces", "out/forces.npy"}).exit_code, 0);
  const VecX difference = array("again/positions.npy") - array("out/positions.npy");
  EXPECT_LE(difference.cwiseAbs().maxCoeff(), 1e-4);
}

// A step of BDF2 knows two states: the first of a window has that of the window before, too. Only where every
// step solves the equation of motion of the whole does --along repeat it to the bit.
TEST_F(CliWindowsTest, WindowsOfBdf2AreOneRun) {
  const ProgramResult result =
      solve(scene("windows = {length = 9, overlap = 4}\n[solver]\nintegrator = \"bdf2\"\n"), "out");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "again", "--along", "out"}).exit_code, 0);
  EXPECT_EQ(array("again/positions.npy"), array("out/positions.npy"));
}

// A keyframe that may slide over several windows is met once, and what comes after is left alone.
TEST_F(CliWindowsTest, ASlidingKeyframeIsMetOnce) {
  const std::string text =
      "[shot]\nframes = \"1001-1021\"\nsubsteps = 2\n[cloth]\nrest = \"rest.obj\"\n" + pin_text() +
      "[wind]\nvelocity = [0, 0, 3]\n[[keyframe]]\nframe = 1009\nwindow = \"1006-1020\"\nmesh = \"key.obj\"\n"
      "tolerance = 0.005\n[control]\nwindows = {length = 8, overlap = 3}\n";
  const ProgramResult result = solve(text, "out");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json keyframe = read_json("out/summary.json")["keyframes"][0];
  const int met = keyframe["frame"];
  EXPECT_LE(keyframe["rms_m"], 0.005);
  EXPECT_EQ(read_json("out/shot/shot.json")["keyframes"][0]["frame"], met);
  int free_from = 1021;
  for (const nlohmann::json& line : read_json_lines("out/convergence.jsonl")) {
    const int first = line["window"][0];
    if (first < met) continue;
    EXPECT_TRUE(line["keyframes"].empty()) << line;
    free_from = std::min(free_from, first);
  }
  ASSERT_LT(free_from, 1021) << "the keyframe was met too late to be met again";
  EXPECT_TRUE(array("out/forces.npy").tail(3 * kVertices * (1022 - free_from)).isZero(0.0));
}

TEST_F(CliWindowsTest, ADryRunCountsTheRunsOfEveryWindow) {
  folder_.write("scene.toml", scene("max_forward_simulations = 9\nwindows = {length = 9, overlap = 4}\n"));
  const ProgramResult plan = run({"solve", "scene.toml", "--dry-run", "--json"});
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_EQ(nlohmann::json::parse(plan.out)["forward_simulations"], 4 * 9 + 2);
  const ProgramResult words = run({"solve", "scene.toml", "--dry-run"});
  EXPECT_NE(words.out.find("at most 38 forward runs, 9 in each of 4 windows"), std::string::npos)
      << words.out;
}

// Frames outside of it, in which nothing may push, are no idle ones.
TEST_F(CliWindowsTest, ForcesAreMeasuredWithinTheWindow) {
  ASSERT_EQ(solve(scene("window = \"1001-1007\"\n"), "out").exit_code, 4);
  const VecX mass = array("out/shot/mass.npy"), take = array("out/forces.npy");
  const double rms = rms_of(take, mass, 0, 6);
  ASSERT_GT(rms, 0.0);
  EXPECT_NEAR(read_json("out/summary.json")["effort"]["rms_g"], rms, 1e-9 * rms);
  const std::string note = "relative_to = \"out/forces.npy\"\nwindow = \"1007-1014\"\n";
  ASSERT_EQ(solve(scene(note), "note").exit_code, 4);
  const double added = rms_of(array("note/forces.npy") - take, mass, 6, 7);
  ASSERT_GT(added, 0.0);
  EXPECT_NEAR(read_json("note/summary.json")["effort"]["added"]["rms_g"], added, 1e-9 * added);
}

// Frames that nobody asks anything of make forces neither smaller nor less even.
TEST_F(CliWindowsTest, ForcesAreMeasuredUpToTheLastKeyframe) {
  const std::string text = "[shot]\nframes = \"1001-1021\"\nsubsteps = 2\n[cloth]\nrest = \"rest.obj\"\n" +
                           pin_text() +
                           "[[keyframe]]\nframe = 1007\nmesh = \"key.obj\"\ntolerance = 0.003\n"
                           "[control]\nwindows = { length = 9, overlap = 2 }\n";
  ASSERT_EQ(solve(text, "out").exit_code, 0);
  const VecX forces = array("out/forces.npy");
  const auto is_pushed = [&](int f) { return !forces.segment(f * 3 * kVertices, 3 * kVertices).isZero(0.0); };
  int pushed = 6;
  while (is_pushed(pushed)) ++pushed;  // what a steered start leaves within the window
  ASSERT_LE(pushed, 9);
  const double rms = rms_of(forces, array("out/shot/mass.npy"), 0, pushed);
  const nlohmann::json effort = read_json("out/summary.json")["effort"];
  EXPECT_NEAR(effort["rms_g"], rms, 1e-9 * rms);
  EXPECT_LT(effort["largest_frame_over_mean"], 2.0);
}

TEST_F(CliWindowsTest, ProgressIsThatOfWhatIsSearched) {
  constexpr double kFirstSteps = 0.02;
  const std::vector<double> one =
      done_before_windows("max_forward_simulations = 7\nwindow = \"1009-1016\"\n");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_LT(one[0], kFirstSteps);
  const std::vector<double> two =
      done_before_windows("max_forward_simulations = 7\nwindows = {length = 12, overlap = 4}\n");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_LT(two[0], kFirstSteps);
  EXPECT_GE(two[1], 0.5);
  EXPECT_LT(two[1], 0.5 + kFirstSteps);
}

// Windows need nothing of a checkpoint but its forces, which one has that did not come to the shot's end.
TEST_F(CliWindowsTest, AChangedSceneBeginsAtTheForcesOfWindows) {
  const std::string begins = "a new search begins at the checkpoint's forces";
  const std::string windows = "windows = {length = 12, overlap = 4}\n";
  folder_.write("scene.toml", scene(windows));
  ASSERT_EQ(run({"solve", "scene.toml", "-o", "out", "--no-report", "--one-window"}).exit_code, 75);
  const ProgramResult whole = resume_forced(scene(""), "out");
  EXPECT_EQ(whole.exit_code, 3);
  EXPECT_TRUE(says(whole.err, {"control.windows", "keep [control] window or windows",
                               "their run ends at frame 1013", "solve with --force to start again"}));
  const ProgramResult changed = resume_forced(scene(windows + "smooth_time = 1e-3\n"), "out");
  EXPECT_EQ(changed.exit_code, 0) << changed.err;
  EXPECT_TRUE(says(changed.err, {begins}));

  const std::string window = "window = \"1001-1007\"\n";
  ASSERT_EQ(solve(scene(window), "part").exit_code, 4) << "two keyframes are behind it";
  const ProgramResult again = resume_forced(scene(window + "smooth_time = 1e-3\n"), "part");
  EXPECT_EQ(again.exit_code, 4) << again.err;
  EXPECT_TRUE(says(again.err, {begins}));
}

// What an earlier start has left is still there.
TEST_F(CliWindowsTest, TheSummaryOfAResumedSearchThatIsStoppedKnowsItsTake) {
  write_scene_in_windows();
  std::string scene = folder_.read("scene.toml");
  for (std::size_t at; (at = scene.find("tolerance = 1e-4")) != std::string::npos;)
    scene.replace(at, 16, "tolerance = 1e-9");  // that every window takes all runs
  ASSERT_EQ(solve(scene, "out").exit_code, 4);
  const nlohmann::json before = read_json("out/summary.json");
  const VecX forces = array("out/forces.npy");
  folder_.write("scene.toml", scene.replace(scene.find("simulations = 4"), 15, "simulations = 6"));
  const ProgramResult stopped =
      run({"solve", "scene.toml", "-o", "out", "--no-report", "--resume", "--one-window"});
  ASSERT_EQ(stopped.exit_code, 75) << stopped.err;
  EXPECT_EQ(array("out/forces.npy"), forces);
  const nlohmann::json after = read_json("out/summary.json");
  EXPECT_EQ(after["status"], "interrupted");
  for (const char* key : {"keyframes", "effort", "motion", "frames_done"})
    EXPECT_EQ(after[key], before[key]) << key;
  EXPECT_GT(after["work"]["forward_simulations"], before["work"]["forward_simulations"]);
}

// The windows before are done, and --resume takes them up.
TEST_F(CliWindowsTest, OnesThatFailedAreReplacedByForceAlone) {
  Pc2Writer far(folder_ / "far.pc2", {1, 1001.0, 1.0});
  for (int f = 0; f < kFrames; ++f) far.append(VecX::Constant(3, 50.0));
  far.commit();
  write_scene_in_windows();
  const std::string scene = folder_.read("scene.toml");
  folder_.write("scene.toml", scene +
                                  "[cloth.material]\nstrain_limit = 0.05\n[[pin]]\nvertices = [35]\n"
                                  "frames = \"1005-1006\"\nmotion = \"far.pc2\"\n");
  const std::vector<std::string> solve = {"solve", "scene.toml", "-o", "out", "--no-report"};
  ASSERT_EQ(run(solve).exit_code, 5);
  ASSERT_EQ(read_json("out/summary.json")["status"], "failed");
  const ProgramResult refused = run(solve);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(says(refused.err, {"holds the results of a failed run", "use solve --resume to continue it"}))
      << refused.err;
  const ProgramResult resumed = run({"solve", "scene.toml", "-o", "out", "--no-report", "--resume"});
  EXPECT_EQ(resumed.exit_code, 5);
  EXPECT_TRUE(says(resumed.err, {"resumed after window 1"})) << resumed.err;
}

TEST_F(CliWindowsTest, WhatDoesNotFitIsRefused) {
  const ProgramResult net =
      solve(scene("net = \"zero-impulse\"\nwindows = {length = 9, overlap = 4}\n"), "out");
  EXPECT_EQ(net.exit_code, 3);
  EXPECT_NE(net.err.find("[control] net: found \"zero-impulse\" together with windows"), std::string::npos)
      << net.err;

  EXPECT_EQ(solve(scene("windows = {length = 4, overlap = 4}\n"), "out").exit_code, 3);
  EXPECT_EQ(solve(scene("window = \"1003-1030\"\n"), "out").exit_code, 3);
  EXPECT_EQ(solve(scene("window = \"1003-1010\"\nframes = \"1003-1010\"\n"), "out").exit_code, 3);
}

}  // namespace
}  // namespace keydrape
