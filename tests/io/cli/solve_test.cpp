#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <thread>

#include "io/formats/npy.h"
#include "io/formats/pc2.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

using CliSolveTest = CliFolder;
// A search that takes a while: a tiny effort and no end.
std::string long_control() {
  return "[control]\neffort = 1e-9\nmethod = \"lbfgs\"\nmax_forward_simulations = 1000000\n";
}

// A share of a miss that is within the tolerance without forces would say nothing.
TEST_F(CliSolveTest, PrintsNoShareOfAMissThatIsNone) {
  folder_.write("scene.toml", shot_text() + pin_text() +
                                  "[[keyframe]]\nframe = 1002\nmesh = \"rest.obj\"\ntolerance = 0.01\n");
  const ProgramResult none = run({"solve", "scene.toml", "-o", "out", "--no-report"});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_TRUE(says(none.err, {" -        10.000  yes"}));
  folder_.write("scene.toml", scene_text());
  const ProgramResult some = run({"solve", "scene.toml", "-o", "out", "--force", "--no-report"});
  EXPECT_TRUE(says(some.err, {" %        20.000  yes"}));
}

TEST_F(CliSolveTest, ReachesTheKeyframeAndWritesEverything) {
  const ProgramResult result = run({"solve", "scene.toml", "-o", "out", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* file : {"uncontrolled.pc2", "controlled.pc2"})
    EXPECT_EQ(read_pc2(folder_ / "out" / file).samples.size(), 6u);
  EXPECT_EQ(read_npy(folder_ / "out/positions.npy").shape, (Shape{6, 36, 3}));
  const NpyArray forces = read_npy(folder_ / "out/forces.npy");
  EXPECT_EQ(forces.shape, (Shape{6, 36, 3}));
  EXPECT_EQ(forces.values.tail(36 * 3).norm(), 0.0);  // nothing starts at the last frame
  EXPECT_EQ(forces.values.head(6 * 3).norm(), 0.0);   // pinned vertices
  EXPECT_GT(forces.values.segment(6 * 3, 30 * 3).norm(), 0.0);

  const nlohmann::json summary = read_json("out/summary.json");
  EXPECT_EQ(summary, nlohmann::json::parse(result.out));
  EXPECT_EQ(summary["status"], "done");
  const nlohmann::json& keyframe = summary["keyframes"].at(0);
  EXPECT_EQ(keys(keyframe), (std::vector<std::string>{"frame", "max_m", "reach", "reached", "rms_m",
                                                      "tolerance_m", "uncontrolled_rms_m"}));
  EXPECT_EQ(keyframe["frame"], 1006);
  EXPECT_EQ(keyframe["reached"], true);
  EXPECT_LT(keyframe["rms_m"], 0.5 * keyframe["uncontrolled_rms_m"].get<double>());
  const nlohmann::json& effort = summary["effort"];
  EXPECT_EQ(keys(effort),
            (std::vector<std::string>{"change_between_frames", "largest_frame", "largest_frame_over_mean",
                                      "largest_frame_rms_g", "peak_g", "peak_over_rms", "rms_g"}));
  EXPECT_GT(effort["peak_g"], effort["rms_g"]);
  EXPECT_EQ(keys(summary["motion"]),
            (std::vector<std::string>{"fastest_frame", "fastest_m_s", "fastest_vertex",
                                      "uncontrolled_fastest_m_s"}));
  const nlohmann::json& kept = summary["memory_bytes"]["kept_steps"];
  EXPECT_EQ(keys(kept), (std::vector<std::string>{"double", "file", "matrices", "none", "single"}));
  EXPECT_EQ(kept["single"], 10);  // all of them: the budget has room

  const auto convergence = read_json_lines("out/convergence.jsonl");
  ASSERT_GE(convergence.size(), 2u);
  EXPECT_EQ(keys(convergence[0]),
            (std::vector<std::string>{"cg_iterations", "effort_term", "forward_simulations", "gradient_norm",
                                      "iteration", "keyframe_term", "keyframes", "objective", "step_length",
                                      "time_s"}));
  for (std::size_t k = 1; k < convergence.size(); ++k) {
    EXPECT_EQ(convergence[k]["iteration"], k);
    EXPECT_LT(convergence[k]["objective"], convergence[k - 1]["objective"]);
  }
  EXPECT_EQ(convergence.back()["keyframes"][0]["rms_m"], keyframe["rms_m"]);
  EXPECT_EQ(convergence.back()["keyframes"][0]["max_m"], keyframe["max_m"]);
  EXPECT_EQ(read_json_lines("out/steps.jsonl").size(), 10u);
  EXPECT_EQ(left_overs("out"), std::vector<std::string>());
}

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// The objective of effort = "auto" is another one in each iteration: prices of changes rise on the way.
TEST_F(CliSolveTest, WhyObjectiveAndMissesMayRiseIsSaidOnce) {
  folder_.write("scene.toml", shot_text() + pin_text() + keyframe_text("tolerance = 0.0005\n") +
                                  "[control]\nsmooth_time = 10\n");
  const ProgramResult result = run({"solve", "scene.toml", "-o", "out", "--no-report"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(count_of(result.err, "within every tolerance: if it goes on from here"), 1) << result.err;
  double before = 0.0;
  bool rises = false;
  for (const nlohmann::json& iteration : read_json_lines("out/convergence.jsonl")) {
    rises = rises || (before > 0.0 && iteration["objective"] > 1.001 * before);
    before = iteration["objective"];
  }
  ASSERT_TRUE(rises) << "else this tests nothing";
  EXPECT_EQ(count_of(result.err, "the objective may rise from one iteration"), 1) << result.err;
  folder_.write("scene.toml", scene_text() + "[control]\neffort = 1e-5\n");
  const ProgramResult fixed = run({"solve", "scene.toml", "-o", "out", "--force", "--no-report"});
  EXPECT_EQ(count_of(fixed.err, "goes on from here") + count_of(fixed.err, "may rise"), 0) << fixed.err;
}

TEST_F(CliSolveTest, MissedToleranceIsExitCode4) {
  folder_.write("scene.toml", shot_text() + pin_text() + keyframe_text("tolerance = 1e-9\n"));
  const ProgramResult result = run({"solve", "scene.toml", "-o", "out"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_EQ(read_json("out/summary.json")["status"], "missed");
  EXPECT_EQ(read_json("out/summary.json")["keyframes"][0]["reached"], false);
  EXPECT_TRUE(says(result.err, {"reached", "NO"}));
}

TEST_F(CliSolveTest, TheTakeIsRepeatedToTheBit) {
  for (const char* hold : {"frame", "step"}) {
    folder_.write("scene.toml", scene_text() + fmt::format("[control]\nhold = \"{}\"\n", hold));
    ASSERT_EQ(run({"solve", "scene.toml", "-o", "out", "--force"}).exit_code, 0);
    const ProgramResult replay = run({"simulate", "scene.toml", "--along", "out", "-o", "audit", "--force"});
    ASSERT_EQ(replay.exit_code, 0) << replay.err;
    EXPECT_TRUE(says(replay.err, {"10 of 10 time steps"}));
    EXPECT_EQ(folder_.read("audit/positions.npy"), folder_.read("out/positions.npy")) << hold;
    EXPECT_EQ(read_json("audit/summary.json")["effort"], read_json("out/summary.json")["effort"]);
  }
}

// This cloth can settle in one way only.
TEST_F(CliSolveTest, TheForcesAloneGiveTheSameCloth) {
  ASSERT_EQ(run({"solve", "scene.toml", "-o", "out"}).exit_code, 0);
  ASSERT_EQ(run({"simulate", "scene.toml", "--forces", "out/forces.npy", "-o", "audit"}).exit_code, 0);
  const VecX there = read_npy(folder_ / "out/positions.npy").values;
  EXPECT_LT((read_npy(folder_ / "audit/positions.npy").values - there).lpNorm<Eigen::Infinity>(), 1e-8);
}

TEST_F(CliSolveTest, MeansOfForcesThatChangeWithinFramesAreToldOf) {
  folder_.write("scene.toml", scene_text() + "[control]\nhold = \"step\"\n");
  ASSERT_EQ(run({"solve", "scene.toml", "-o", "out"}).exit_code, 0);
  const std::string steps = "out/forces_steps.npy", told = "to repeat that take, give --forces " + steps;
  const auto is_told = [&](const std::string& option, const std::string& file) {
    const ProgramResult replay = run({"simulate", "scene.toml", option, file, "-o", "again", "--force"});
    EXPECT_EQ(replay.exit_code, 0) << replay.err;
    return says(replay.err, {told});
  };
  EXPECT_TRUE(is_told("--forces", "out/forces.npy"));
  EXPECT_FALSE(is_told("--forces", steps));
  EXPECT_FALSE(is_told("--along", "out"));
}

// As many frames as steps, since nothing follows the last.
TEST_F(CliSolveTest, ForcesOfTwoFramesOfTwoStepsAreThoseOfFrames) {
  write_npy(folder_ / "push.npy", {{2, 36, 3}, VecX::Constant(2 * 36 * 3, 1e-3)});
  VecX first = VecX::Constant(2 * 36 * 3, 1e-3);
  first.tail(36 * 3).setZero();
  write_npy(folder_ / "first.npy", {{2, 36, 3}, first});
  folder_.write("two.toml",
                "[shot]\nframes = \"1-2\"\nsubsteps = 2\n[cloth]\nrest = \"rest.obj\"\n" + pin_text());
  for (const char* name : {"push", "first"})
    ASSERT_EQ(run({"simulate", "two.toml", "-o", name, "--forces", std::string(name) + ".npy"}).exit_code, 0);
  EXPECT_EQ(folder_.read("push/positions.npy"), folder_.read("first/positions.npy"));
}

TEST_F(CliSolveTest, StepsThatAreNoneOfTheTakesAreSolvedAnew) {
  ASSERT_EQ(run({"solve", "scene.toml", "-o", "out"}).exit_code, 0);
  NpyArray steps = read_npy(folder_ / "out/steps.npy");
  ASSERT_EQ(steps.shape, (Shape{11, 36, 3}));
  // A vertex after the fourth step, which also is where the fifth begins.
  steps.values[3 * 36 * 4 + 60] += 1e-6;
  write_npy(folder_ / "out/steps.npy", steps);
  const ProgramResult replay = run({"simulate", "scene.toml", "--along", "out", "-o", "audit"});
  ASSERT_EQ(replay.exit_code, 0) << replay.err;
  EXPECT_TRUE(says(replay.err,
                   {"3 of 10 time steps end where the take says", "time step 4 of the take does not solve"}));
  const VecX there = read_npy(folder_ / "out/positions.npy").values;
  EXPECT_LT((read_npy(folder_ / "audit/positions.npy").values - there).lpNorm<Eigen::Infinity>(), 1e-8);
}

TEST_F(CliSolveTest, ATakeWithoutItsStepsCannotBeRepeated) {
  folder_.write("scene.toml", scene_text() + "[output]\nevery_step = false\n");
  ASSERT_EQ(run({"solve", "scene.toml", "-o", "out"}).exit_code, 0);
  const ProgramResult replay = run({"simulate", "scene.toml", "--along", "out", "-o", "audit"});
  EXPECT_EQ(replay.exit_code, 3);
  EXPECT_TRUE(says(replay.err, {"steps.npy: is missing", "every_step"}));
}

TEST_F(CliSolveTest, SameBytesForAnyNumberOfThreads) {
  std::string positions, forces;
  for (const char* threads : {"1", "2", "4"}) {
    ASSERT_EQ(run({"solve", "scene.toml", "-o", "out", "--force", "--threads", threads}).exit_code, 0);
    if (positions.empty()) {
      positions = folder_.read("out/positions.npy");
      forces = folder_.read("out/forces.npy");
      ASSERT_FALSE(positions.empty());
    }
    EXPECT_EQ(folder_.read("out/positions.npy"), positions) << threads << " threads";
    EXPECT_EQ(folder_.read("out/forces.npy"), forces) << threads << " threads";
  }
}

TEST_F(CliSolveTest, LbfgsLowersTheObjective) {
  folder_.write(
      "scene.toml",
      scene_text() + "[control]\neffort = 1e-4\nmethod = \"lbfgs\"\nmax_forward_simulations = 15\n");
  const std::string plan = run({"solve", "scene.toml", "--dry-run"}).out;
  EXPECT_TRUE(says(plan, {"an adjoint sweep about ", "; at most one a forward run"}));
  EXPECT_EQ(plan.find("pairs an iteration"), std::string::npos) << plan;
  const ProgramResult result = run({"solve", "scene.toml", "-o", "out"});
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 4) << result.err;
  const auto convergence = read_json_lines("out/convergence.jsonl");
  EXPECT_LT(convergence.back()["objective"], 0.5 * convergence.front()["objective"].get<double>());
  EXPECT_LE(read_json("out/summary.json")["work"]["forward_simulations"], 16);
}

class CliInterruptTest : public CliFolder {
 protected:
  // Runs a long search until its third iteration, then sends the signal.
  ProgramResult interrupted(int signal) {
    folder_.write("scene.toml",
                  shot_text() + pin_text() + keyframe_text("tolerance = 1e-9\n") + long_control());
    const Process process = start({"solve", "scene.toml", "-o", "out"});
    for (int wait = 0; wait < 600; ++wait) {
      const std::string log = folder_.read("out/convergence.jsonl");
      if (std::count(log.begin(), log.end(), '\n') >= 3) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ::kill(process.id, signal);
    return finish(process);
  }
};

TEST_F(CliInterruptTest, LeavesWholeFilesAndACheckpoint) {
  for (const int signal : {SIGTERM, SIGINT}) {
    std::filesystem::remove_all(folder_ / "out");
    const ProgramResult result = interrupted(signal);
    ASSERT_EQ(result.exit_code, 75) << result.err;
    EXPECT_TRUE(says(result.err, {"interrupted", "--resume"}));
    EXPECT_EQ(read_json("out/summary.json")["status"], "interrupted");
    EXPECT_EQ(read_npy(folder_ / "out/positions.npy").shape, (Shape{6, 36, 3}));
    EXPECT_EQ(read_npy(folder_ / "out/forces.npy").shape, (Shape{6, 36, 3}));
    EXPECT_EQ(read_json("out/checkpoint.json")["counts"]["unknowns"], 5 * 30 * 3);
    EXPECT_NO_THROW(
        read_npy(folder_ / "out" / read_json("out/checkpoint.json")["values"].get<std::string>()));
    EXPECT_GE(read_json_lines("out/convergence.jsonl").size(), 3u);
    EXPECT_EQ(left_overs("out"), std::vector<std::string>());
  }
}

TEST_F(CliInterruptTest, ResumesWhereItWas) {
  ASSERT_EQ(interrupted(SIGTERM).exit_code, 75);
  const auto before = read_json_lines("out/convergence.jsonl");
  const int runs = read_json("out/checkpoint.json")["forward_simulations"];
  EXPECT_EQ(run({"solve", "scene.toml", "-o", "out"}).exit_code, 3);  // hours of work are not thrown away

  const std::string scene = folder_.read("scene.toml");
  const std::string more = std::to_string(runs + 3);
  folder_.write("scene.toml", std::string(scene).replace(scene.find("1000000"), 7, more));
  const ProgramResult result = run({"solve", "scene.toml", "-o", "out", "--resume"});
  ASSERT_EQ(result.exit_code, 4) << result.err;
  const auto after = read_json_lines("out/convergence.jsonl");
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_EQ(after.at(k), before[k]);
  for (std::size_t k = 0; k < after.size(); ++k) EXPECT_EQ(after[k]["iteration"], k);
  EXPECT_LE(after.back()["objective"], before.back()["objective"]);
  const nlohmann::json summary = read_json("out/summary.json");
  EXPECT_EQ(summary["keyframes"][0]["uncontrolled_rms_m"], before[0]["keyframes"][0]["rms_m"]);
  // Parts of all starts are not more than all starts took.
  const nlohmann::json& time = summary["time_s"];
  const double parts =
      time["forward"].get<double>() + time["adjoint"].get<double>() + time["tangent"].get<double>();
  EXPECT_LE(parts, time["total"].get<double>());
  EXPECT_GT(time["total"].get<double>(), time["this_start"].get<double>());
  EXPECT_TRUE(says(result.err, {" s of them since --resume: forward "}));
}

// Caches do not belong to what a search is of. Those of before would be of another state than the new ones.
TEST_F(CliInterruptTest, ResumedWithOtherCachesItLeavesNoneOfBefore) {
  ASSERT_EQ(interrupted(SIGTERM).exit_code, 75);
  const int runs = read_json("out/checkpoint.json")["forward_simulations"];
  std::string scene = folder_.read("scene.toml");
  scene.replace(scene.find("1000000"), 7, std::to_string(runs + 1));
  const auto has = [&](const char* name) { return std::filesystem::exists(folder_ / "out" / name); };
  const auto resumed = [&](const std::string& output) {
    folder_.write("scene.toml", scene + "[output]\n" + output);
    return run({"solve", "scene.toml", "-o", "out", "--resume"}).exit_code;
  };
  for (const char* name : {"positions.npy", "controlled.pc2", "steps.npy"}) EXPECT_TRUE(has(name)) << name;
  ASSERT_EQ(resumed("caches = [\"obj\"]\nevery_step = false\n"), 4);
  for (const char* name : {"positions.npy", "controlled.pc2", "steps.npy"}) EXPECT_FALSE(has(name)) << name;
  EXPECT_FALSE(std::filesystem::is_empty(folder_ / "out/obj"));
  ASSERT_EQ(resumed("caches = [\"npy\"]\n"), 4);
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "out/obj"));
  EXPECT_TRUE(has("positions.npy") && has("steps.npy"));
}

TEST_F(CliInterruptTest, ResumeRefusesAnotherScene) {
  ASSERT_EQ(interrupted(SIGTERM).exit_code, 75);
  folder_.write("key.obj", swung_sheet(0.5));
  const ProgramResult result = run({"solve", "scene.toml", "-o", "out", "--resume"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(says(result.err, {"checkpoint.json: the scene or one of its files has changed",
                                "keyframe.0.mesh was key.obj (", ") and is key.obj (", "--resume --force"}));
}

// What fits the changed scene is used when asked for: the forces that were found.
TEST_F(CliInterruptTest, ResumesAnotherSceneAtTheForcesThatFit) {
  ASSERT_EQ(interrupted(SIGTERM).exit_code, 75);
  folder_.write("key.obj", swung_sheet(0.41));
  folder_.write("scene.toml", scene_text() + "[control]\neffort = 1e-6\n");
  const ProgramResult result = run({"solve", "scene.toml", "-o", "out", "--resume", "--force"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(says(result.err, {"a new search begins at the checkpoint's forces"}));
  const auto convergence = read_json_lines("out/convergence.jsonl");
  ASSERT_GE(convergence.size(), 2u);
  EXPECT_LT(convergence[1]["keyframes"][0]["rms_m"], 0.005);  // the poses are 2 mm apart
  EXPECT_GT(convergence[0]["keyframes"][0]["rms_m"], 0.02);   // without forces
}

// Nothing of them is lost where that search is broken off before it has made anything of them.
TEST_F(CliInterruptTest, KeepsTheForcesThatItBeginsWith) {
  ASSERT_EQ(interrupted(SIGTERM).exit_code, 75);
  std::filesystem::copy(folder_ / "out", folder_ / "whole", std::filesystem::copy_options::recursive);
  folder_.write("key.obj", swung_sheet(0.41));
  const auto broken_off = [&](const std::string& folder, bool is_forced, const std::string& file,
                              const std::string& moment) {
    std::vector<std::string> words = {"solve", "scene.toml", "-o", folder, "--no-report", "--resume"};
    if (is_forced) words.emplace_back("--force");
    folder_.write(".err", "");
    const Process process = start(words);
    wait_for(process, file, moment);
    ::kill(process.id, SIGKILL);
    EXPECT_EQ(finish(process).exit_code, -1);
  };
  broken_off("whole", true, ".err", "iteration 3: ");
  // Before the new search has a checkpoint of its own, and after that.
  broken_off("out", true, ".err", "the scene has changed");
  broken_off("out", true, "out/checkpoint.json", "\"is_before_search\": true");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/first_guess.json"));
  broken_off("out", false, ".err", "iteration 3: ");
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_EQ(read_json_lines("out/convergence.jsonl").at(k)["keyframes"],
              read_json_lines("whole/convergence.jsonl").at(k)["keyframes"])
        << k;
}

TEST_F(CliInterruptTest, ResumesNothingWhereTheForcesDoNotFit) {
  ASSERT_EQ(interrupted(SIGTERM).exit_code, 75);
  folder_.write("scene.toml", scene_text() + "[control]\nframes = \"1001-1004\"\n");
  const ProgramResult result = run({"solve", "scene.toml", "-o", "out", "--resume", "--force"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(says(result.err, {"control.frames is new: 1001-1004", "its forces do not fit any more"}));
}

TEST_F(CliSolveTest, ResumeWithoutACheckpointStartsAfresh) {
  EXPECT_EQ(run({"solve", "scene.toml", "-o", "out", "--resume"}).exit_code, 0);
}

TEST_F(CliSolveTest, FailureOfTheFirstRunIsExitCode5) {
  folder_.write("scene.toml", scene_text() + "[solver]\nmax_newton_iterations = 1\n");
  const ProgramResult result = run({"solve", "scene.toml", "-o", "out"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(says(result.err, {"the simulation failed at frame 1001, substep 1 of 2"}));
  EXPECT_EQ(read_json("out/summary.json")["status"], "failed");
  EXPECT_EQ(read_pc2(folder_ / "out/uncontrolled.pc2").samples.size(), 1u);
}

TEST_F(CliSolveTest, FullDiskDuringTheSearch) {
  folder_.write("scene.toml", scene_text() + "[control]\nmethod = \"lbfgs\"\n");
  const ProgramResult result = run({"solve", "scene.toml", "-o", "out"}, [] {
    const rlimit limit{2800, 2800};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  });
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(says(result.err, {"cannot be written"}));
  EXPECT_EQ(left_overs("out"), std::vector<std::string>());
}

// As where derivatives of the last run could not be computed: its forces are there all the same.
TEST_F(CliSolveTest, ACheckpointWithoutGradientCanBeGoneOnWith) {
  const std::string scene = shot_text() + pin_text() + keyframe_text("tolerance = 1e-4\n") + "[control]\n";
  folder_.write("scene.toml", scene + "max_forward_simulations = 3\n");
  run({"solve", "scene.toml", "-o", "out", "--no-report"});
  nlohmann::json checkpoint = read_json("out/checkpoint.json");
  checkpoint["best"]["gradient_norm"] = nullptr;
  checkpoint["progress"]["best_gradient_norm"] = nullptr;
  folder_.write("out/checkpoint.json", checkpoint.dump());
  folder_.write("scene.toml", scene + "max_forward_simulations = 5\n");
  const ProgramResult resumed = run({"solve", "scene.toml", "-o", "out", "--resume", "--no-report"});
  EXPECT_TRUE(resumed.exit_code == 0 || resumed.exit_code == 4) << resumed.err;
  EXPECT_TRUE(says(resumed.err, {"resumed after iteration"})) << resumed.err;
}

}  // namespace
}  // namespace keydrape
