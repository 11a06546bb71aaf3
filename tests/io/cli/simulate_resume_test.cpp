// A simulation that was broken off goes on to the bits of one that never was.

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "io/formats/npy.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

class CliSimulateResumeTest : public CliFolder {
 protected:
  static constexpr int kLast = 1180, kCount = 180;  // frames: long enough to be broken off

  // Held by its upper edge, swinging into a ball.
  static std::string scene(int last_frame = kLast) {
    return fmt::format(
               "[shot]\nframes = \"1001-{}\"\nsubsteps = 4\n[cloth]\nrest = \"rest.obj\"\ninitial = "
               "\"key.obj\"\n"
               "[output]\nevery_step = true\n[contact]\n"
               "[[collider]]\nsphere = {{center = [0.12, -0.2, -0.13], radius = 0.1}}\n",
               last_frame) +
           pin_text();
  }

  CliSimulateResumeTest() { folder_.write("scene.toml", scene()); }

  static std::vector<std::string> simulate_into(const std::string& folder) {
    return {"simulate", "scene.toml", "-o", folder, "--resume", "--progress", "lines"};
  }

  Process begin(const std::vector<std::string>& arguments) const {
    folder_.write(".err", "");  // what the run before has said
    return start(arguments);
  }

  // Until the run has said that it can be resumed, for which it is asked meanwhile, or has ended.
  void wait_until_resumable(const Process& process) const {
    const auto has_said = [&](const char* text) {
      return folder_.read(".err").find(text) != std::string::npos;
    };
    while (is_running(process) && !has_said("where --resume goes on")) {
      ::usleep(2'000);
      if (has_said("progress")) ::kill(process.id, SIGUSR1);
    }
  }

  void break_off(const Process& process, int signal) const {
    wait_until_resumable(process);
    EXPECT_TRUE(is_running(process)) << "it has ended before it could be broken off";
    ::kill(process.id, signal);
  }

  // steps.jsonl without its times.
  std::vector<nlohmann::json> steps_of(const std::string& folder) const {
    std::vector<nlohmann::json> steps = read_json_lines(folder + "/steps.jsonl");
    for (nlohmann::json& step : steps) step.erase("time_s");
    return steps;
  }

  // `without`: what a run of this scene does not write; empty: nothing.
  void expect_same_results(const std::string& there, const std::string& here,
                           const std::string& without = "") const {
    for (const char* name : {"positions.npy", "steps.npy", "simulated.pc2", "contacts.npy"}) {
      EXPECT_TRUE(folder_.read(here + "/" + name) == folder_.read(there + "/" + name)) << name;
      EXPECT_EQ(folder_.read(there + "/" + name).empty(), name == without) << name;
    }
    EXPECT_EQ(steps_of(here), steps_of(there));
    nlohmann::json summary = read_json(here + "/summary.json"), whole = read_json(there + "/summary.json");
    for (const char* key : {"work", "draft"}) EXPECT_EQ(summary[key], whole[key]);
    EXPECT_FALSE(std::filesystem::exists(folder_ / here / "simulation.json"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / here / "simulation"));
    EXPECT_EQ(left_overs(here), std::vector<std::string>());
  }

  void expect_same_after_an_interrupt(const std::string& without = "") const {
    const Process process = begin(simulate_into("out"));
    break_off(process, SIGTERM);
    EXPECT_EQ(finish(process).exit_code, 75);
    EXPECT_EQ(read_json("out/summary.json")["status"], "interrupted");
    const ProgramResult resumed = run(simulate_into("out"));
    ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_TRUE(says(resumed.err, {"resumed in frame", " s of them since --resume, "}));
    const nlohmann::json time = read_json("out/summary.json")["time_s"];
    EXPECT_LE(time["forward"].get<double>(), time["total"].get<double>());
    EXPECT_LT(time["this_start"].get<double>(), time["total"].get<double>());
    expect_same_results("whole", "out", without);
  }

  // Leaves a run in "out" that was killed.
  void leave_a_killed_run() const {
    const Process process = begin(simulate_into("out"));
    break_off(process, SIGKILL);
    ASSERT_EQ(finish(process).exit_code, -1);
    ASSERT_TRUE(std::filesystem::exists(folder_ / "out/simulation/part_0001.npy"));
    ASSERT_FALSE(std::filesystem::exists(folder_ / "out/summary.json"));
  }
};

TEST_F(CliSimulateResumeTest, AfterAnInterrupt) {
  ASSERT_EQ(run(simulate_into("whole")).exit_code, 0);
  expect_same_after_an_interrupt();
}

// What impulses keep from one step to the next is positions and velocities alone, with restitution too.
TEST_F(CliSimulateResumeTest, ClothThatImpulsesHoldOffABall) {
  const std::string solver = "[solver]\nintegrator = \"linearized\"\nmax_edge_stretch = 0.05\n";
  std::string text = scene(1400) + solver;
  const std::string contact = "[contact]\n";
  ASSERT_NE(text.find(contact), std::string::npos);
  text.insert(text.find(contact) + contact.size(),
              "method = \"impulses\"\nrestitution = 0.4\nfriction = 0.2\n");
  folder_.write("scene.toml", text);
  ASSERT_EQ(run(simulate_into("whole")).exit_code, 0);
  folder_.write("bare.toml", text.substr(0, text.find("[[collider]]")) + pin_text() + solver);
  ASSERT_EQ(run({"simulate", "bare.toml", "-o", "bare"}).exit_code, 0);
  EXPECT_FALSE(folder_.read("bare/positions.npy") == folder_.read("whole/positions.npy"))
      << "it touches nothing";
  expect_same_after_an_interrupt();
}

// What was in the way of a draft's steps before the break counts in the whole: it falls fast from just above.
TEST_F(CliSimulateResumeTest, RoundsThatWentAPartOfTheirWay) {
  folder_.write("scene.toml",
                "[shot]\nframes = \"1001-1400\"\nsubsteps = 4\ngravity = [0, 0, 60]\n[cloth]\n"
                "rest = \"rest.obj\"\n[output]\nevery_step = true\n[contact]\nself = true\n"
                "[[collider]]\nsphere = {center = [0.12, -0.13, 0.105], radius = 0.1}\n"
                "[solver]\nintegrator = \"linearized\"\n");
  ASSERT_EQ(run(simulate_into("whole")).exit_code, 0);
  const Process process = begin(simulate_into("out"));
  break_off(process, SIGTERM);
  ASSERT_EQ(finish(process).exit_code, 75);
  ASSERT_GT(read_json("out/summary.json")["draft"]["cut_steps"], 0) << "else this tests nothing";
  ASSERT_EQ(run(simulate_into("out")).exit_code, 0);
  expect_same_results("whole", "out");
}

// Where an explicit step of several stages ends does not tell how fast.
TEST_F(CliSimulateResumeTest, ClothOfExplicitSteps) {
  folder_.write("scene.toml",
                "[shot]\nframes = \"1001-1060\"\nsubsteps = 60\n[cloth]\nrest = \"rest.obj\"\n"
                "initial = \"key.obj\"\n[cloth.material]\ndensity = 1.0\nstretch = [2, 2]\nshear = 0.5\n"
                "bend = 1e-6\ndamping = 0.001\n[output]\nevery_step = true\n"
                "[solver]\nintegrator = \"explicit\"\nscheme = \"rk4\"\n" +
                    pin_text());
  ASSERT_EQ(run(simulate_into("whole")).exit_code, 0);
  expect_same_after_an_interrupt("contacts.npy");
}

// The lower end hangs by a slow fall, and is still through the sheet at the first clear start.
TEST_F(CliSimulateResumeTest, ClothThatBeganThroughItself) {
  folder_.write("start.obj", crossed_sheet());
  folder_.write("scene.toml",
                "[shot]\nframes = \"1001-1180\"\nsubsteps = 4\ngravity = [0, -0.5, 0]\n[cloth]\n"
                "rest = \"rest.obj\"\ninitial = \"start.obj\"\n"
                "[output]\nevery_step = true\n[contact]\nstart_crossings = \"exempt\"\n" +
                    pin_text());
  ASSERT_EQ(run(simulate_into("whole")).exit_code, 0);
  const nlohmann::json crossings = read_json("whole/summary.json")["start_crossings"];
  EXPECT_EQ(crossings["curves_left"], 0);
  EXPECT_GE(crossings["last_parted_frame"], 1006);
  expect_same_after_an_interrupt();
  EXPECT_EQ(read_json("out/summary.json")["start_crossings"], crossings);
}

TEST_F(CliSimulateResumeTest, KilledAtRandomMoments) {
  ASSERT_EQ(run(simulate_into("whole")).exit_code, 0);
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int> pause(0, 60'000);
  int code = -1, kills = 0;
  for (; code == -1; ++kills) {
    const Process process = begin(simulate_into("out"));
    if (kills < 10) {
      wait_until_resumable(process);
      ::usleep(pause(random));
      ::kill(process.id, SIGKILL);
    }
    code = finish(process).exit_code;
  }
  EXPECT_GE(kills, 3);
  EXPECT_EQ(code, 0);
  expect_same_results("whole", "out");
}

TEST_F(CliSimulateResumeTest, IsNotLostWithoutResume) {
  leave_a_killed_run();
  const ProgramResult refused = run({"simulate", "scene.toml", "-o", "out"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(
      says(refused.err, {"out: holds the results of an interrupted run", "simulate --resume", "--force"}));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/simulation/part_0001.npy"));
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "out", "--force"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/simulation"));
}

// How much of it is there, and the command that goes on, which does.
TEST_F(CliSimulateResumeTest, InfoSaysHowToGoOn) {
  const Process process = begin({"simulate", "scene.toml", "--progress", "lines"});
  break_off(process, SIGTERM);
  ASSERT_EQ(finish(process).exit_code, 75);
  const int done = read_json("scene_out/latest/summary.json")["frames_done"];
  EXPECT_GT(done, 1);
  EXPECT_LT(done, kCount);
  const std::string info = run({"info", "scene_out"}).out;
  EXPECT_TRUE(
      says(info, {"scene_out/take_001\n", fmt::format("interrupted: {} of {} frames are there", done, kCount),
                  fmt::format("; {} of {} frames of 4 substeps", done, kCount),
                  "keydrape simulate scene.toml --take take_001 --resume\n"}))
      << info;
  EXPECT_EQ(run({"info", "scene_out/latest"}).out, info);
  const ProgramResult resumed = run({"simulate", "scene.toml", "--take", "take_001", "--resume"});
  EXPECT_EQ(resumed.exit_code, 0);
  EXPECT_TRUE(says(resumed.err, {"--resume: goes on with ", "scene_out/take_001"})) << resumed.err;
  EXPECT_TRUE(
      says(run({"info", "scene_out"}).out, {"done\n", fmt::format("; {} frames of 4 substeps", kCount)}));
}

TEST_F(CliSimulateResumeTest, InfoOfAKilledRunSaysSoToo) {
  leave_a_killed_run();
  const ProgramResult info = run({"info", "out"});
  EXPECT_EQ(info.exit_code, 3);
  EXPECT_TRUE(says(info.err, {"was broken off", "keydrape simulate SCENE.toml -o out --resume"})) << info.err;
}

// What was broken off is gone on with, whatever has been finished since; a draft as a draft.
TEST_F(CliSimulateResumeTest, ATakeBehindADraft) {
  const Process process = begin({"simulate", "scene.toml", "--progress", "lines"});
  break_off(process, SIGKILL);
  ASSERT_EQ(finish(process).exit_code, -1);
  ASSERT_EQ(run({"simulate", "scene.toml", "--draft"}).exit_code, 0);
  EXPECT_EQ(std::filesystem::read_symlink(folder_ / "scene_out/latest"), "take_002");
  const ProgramResult draft = run({"simulate", "scene.toml", "--draft", "--resume"});
  EXPECT_EQ(draft.exit_code, 3);
  EXPECT_TRUE(says(draft.err, {"take_002: there is nothing to resume; holds the results of a finished run"}))
      << draft.err;
  const ProgramResult resumed = run({"simulate", "scene.toml", "--resume"});
  EXPECT_EQ(resumed.exit_code, 0);
  EXPECT_TRUE(says(resumed.err, {"--resume: goes on with ", "scene_out/take_001", "resumed in frame"}))
      << resumed.err;
  EXPECT_EQ(run({"simulate", "scene.toml", "--resume"}).exit_code, 3);  // nothing is left to go on with
  EXPECT_FALSE(std::filesystem::exists(folder_ / "scene_out/take_003"));
}

TEST_F(CliSimulateResumeTest, ASearchThatNeverWasIsSaid) {
  folder_.write("scene.toml", scene(1006) + "[[keyframe]]\nframe = 1006\nmesh = \"key.obj\"\n");
  ASSERT_EQ(run({"simulate", "scene.toml", "--draft"}).exit_code, 0);
  const ProgramResult solved = run({"solve", "scene.toml", "--resume", "--no-report"});
  EXPECT_TRUE(
      says(solved.err, {"no solve was broken off there: --resume has nothing to go on with, and begins "
                        "anew in ",
                        "scene_out/take_002"}))
      << solved.err;
}

TEST_F(CliSimulateResumeTest, RefusesAnotherScene) {
  leave_a_killed_run();
  folder_.write("scene.toml", scene(kLast + 1));
  const ProgramResult refused = run(simulate_into("out"));
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(says(refused.err, {"has changed", "shot.frames was 1001-1180 and is 1001-1181", "--force"}));
  folder_.write("scene.toml", scene());
  EXPECT_EQ(run(simulate_into("out")).exit_code, 0);
}

// Its files count by their contents, as a cache's bytes do.
TEST_F(CliSimulateResumeTest, RefusesAnotherSequence) {
  const auto write_sequence = [&](double speed) {
    for (int f = 0; f < kCount; ++f)
      folder_.write(fmt::format("pins.{}.obj", 1001 + f),
                    sheet([&](double&, double&, double& z) { z = speed * f; }));
  };
  write_sequence(1e-4);
  folder_.write("scene.toml", scene() + "motion = \"pins.####.obj\"\n");
  leave_a_killed_run();
  write_sequence(-1e-4);
  const ProgramResult refused = run(simulate_into("out"));
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(says(refused.err, {"has changed", "pin.0.motion was pins.####.obj ("})) << refused.err;
  write_sequence(1e-4);
  EXPECT_EQ(run(simulate_into("out")).exit_code, 0);
}

TEST_F(CliSimulateResumeTest, RefusesOtherForces) {
  const Process process = begin({"simulate", "scene.toml", "-o", "out", "--progress", "lines", "--force"});
  break_off(process, SIGKILL);
  ASSERT_EQ(finish(process).exit_code, -1);
  NpyWriter forces(folder_ / "forces.npy", {36, 3});
  forces.append(VecX::Zero(kCount * 36 * 3));
  forces.commit();
  const ProgramResult refused =
      run({"simulate", "scene.toml", "-o", "out", "--resume", "--forces", "forces.npy"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(says(refused.err, {"--forces is new: forces.npy"}));
}

// A take is gone on with as that take: as a free run it would be another one from there.
TEST_F(CliSimulateResumeTest, ATakeIsRepeatedToItsEnd) {
  folder_.write("scene.toml", scene());
  NpyWriter forces(folder_ / "push.npy", {36, 3});
  forces.append(VecX::Constant(kCount * 36 * 3, 1e-5));
  forces.commit();
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "take", "--forces", "push.npy"}).exit_code, 0);
  std::filesystem::copy(folder_ / "push.npy", folder_ / "take/forces.npy");
  std::vector<std::string> along = simulate_into("out");
  along.insert(along.end(), {"--along", "take"});
  const Process process = begin(along);
  break_off(process, SIGTERM);
  ASSERT_EQ(finish(process).exit_code, 75);
  EXPECT_TRUE(says(run({"info", "out"}).out, {"keydrape simulate SCENE.toml -o out --resume --along DIR\n"}));
  const ProgramResult refused = run(simulate_into("out"));
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(says(refused.err, {"--along was steps.npy"})) << refused.err;
  const ProgramResult resumed = run(along);
  EXPECT_EQ(resumed.exit_code, 0);
  EXPECT_TRUE(says(
      resumed.err,
      {"resumed in frame", fmt::format("{0} of {0} time steps end where the take says", 4 * (kCount - 1))}))
      << resumed.err;
  EXPECT_EQ(folder_.read("out/steps.npy"), folder_.read("take/steps.npy"));
}

TEST_F(CliSimulateResumeTest, RefusesDamagedParts) {
  leave_a_killed_run();
  NpyWriter part(folder_ / "out/simulation/part_0001.npy", {7});
  part.append(VecX::Zero(7 * 16));
  part.commit();
  const ProgramResult refused = run(simulate_into("out"));
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(says(refused.err, {"part_0001.npy: this part of the checkpoint is damaged", "--force"}));
  folder_.write("out/simulation.json", "{\"shot.frames\": 3}");
  const ProgramResult broken = run(simulate_into("out"));
  EXPECT_EQ(broken.exit_code, 3);
  EXPECT_TRUE(says(broken.err, {"simulation.json: the checkpoint is damaged"}));
}

// A search has nothing to resume there, and leaves the folder alone.
TEST_F(CliSimulateResumeTest, SolveLeavesItAlone) {
  leave_a_killed_run();
  folder_.write("scene.toml", scene() + "[[keyframe]]\nframe = 1006\nmesh = \"key.obj\"\n");
  const ProgramResult refused = run({"solve", "scene.toml", "-o", "out", "--resume"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(says(refused.err, {"holds the results of an interrupted run"}));
}

}  // namespace
}  // namespace keydrape
