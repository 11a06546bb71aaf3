// One scene under several settings: each element is the run that anybody would have started by himself.

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "tests/support/resumed_run.h"

namespace keydrape {
namespace {

class CliWedgeTest : public ResumedRun {
 protected:
  static std::vector<std::string> words(std::vector<std::string> more) {
    more.insert(more.begin(), {"wedge", "scene.toml", "-o", "w", "--jobs", "2", "--threads", "1"});
    return more;
  }
  // Folders of elements, in order.
  std::vector<std::string> elements() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "w"))
      if (entry.is_directory() && entry.path().filename() != "farm")
        names.push_back("w/" + entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  nlohmann::json state_of(int number) const {
    const ProgramResult status = run({"wedge", "w", "--status", "--json"});
    return nlohmann::json::parse(status.out)["elements"][static_cast<std::size_t>(number) - 1];
  }
  std::filesystem::file_time_type written(const std::string& name) const {
    return std::filesystem::last_write_time(folder_ / name);
  }
};

TEST_F(CliWedgeTest, ElementsAreSingleRunsToTheBit) {
  const ProgramResult wedge =
      run(words({"--set", "control.effort=1e-5,1e-4", "--set", "keyframe.0.tolerance=0.02,1e-6"}));
  ASSERT_EQ(wedge.exit_code, 4) << wedge.err;
  EXPECT_TRUE(says(wedge.err, {"004-effort-1e-4-tolerance-1e-6", "missed", "best: 00"}));
  ASSERT_EQ(elements().size(), 4u);
  for (const auto& [name, effort, tolerance] :
       {std::tuple(elements()[0], "1e-5", "0.02"), std::tuple(elements()[3], "1e-4", "1e-6")}) {
    folder_.write("alone.toml", shot_text() + pin_text() +
                                    keyframe_text(fmt::format("tolerance = {}\n", tolerance)) +
                                    fmt::format("[control]\neffort = {}\n", effort));
    run({"solve", "alone.toml", "-o", "alone", "--no-report", "--force"});
    expect_same_results("alone", name);
  }
  EXPECT_TRUE(
      folder_.read("w/wedge.csv").starts_with("element,folder,control.effort,keyframe.0.tolerance,status"));
  EXPECT_TRUE(folder_.read("w/contact_sheet.png").starts_with("\x89PNG"));
}

TEST_F(CliWedgeTest, LeavesAloneWhatIsFinishedAndRefusesAnotherWedge) {
  ASSERT_EQ(run(words({"--simulate", "--set", "shot.gravity=[0, -9.81, 0],[0, -1.6, 0]"})).exit_code, 0);
  const auto before = written(elements()[0] + "/positions.npy");
  std::filesystem::remove(folder_ / (elements()[1] + "/summary.json"));
  std::filesystem::remove(folder_ / (elements()[1] + "/element.json"));
  EXPECT_EQ(run({"wedge", "w", "--status"}).exit_code, 75);
  ASSERT_EQ(run({"wedge", "w"}).exit_code, 0);
  EXPECT_EQ(written(elements()[0] + "/positions.npy"), before);
  EXPECT_EQ(state_of(2)["status"], "done");
  const ProgramResult other = run(words({"--simulate", "--set", "shot.gravity=[0, -9.81, 0],[0, -3, 0]"}));
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_TRUE(says(other.err, {"element 2", "--force"}));
  EXPECT_EQ(run(words({"--simulate", "--set", "shot.gravity=[0, -9.81, 0],[0, -3, 0]", "--force"})).exit_code,
            0);
  folder_.write("scene.toml", scene_text() + "[wind]\nvelocity = [1, 0, 0]\n");
  const ProgramResult changed = run(words({"--simulate", "--set", "shot.gravity=[0, -9.81, 0],[0, -3, 0]"}));
  EXPECT_TRUE(says(changed.err, {"has changed since element 1 was begun"}));
}

TEST_F(CliWedgeTest, WhoGoesOnWithAnotherMeshIsRefused) {
  const std::vector<std::string> wedge =
      words({"--simulate", "--set", "shot.gravity=[0, -9.81, 0],[0, -3, 0]"});
  ASSERT_EQ(run(wedge).exit_code, 0);
  const std::string mesh = folder_.read("rest.obj");
  folder_.write("rest.obj", sheet([](double& x, double&, double&) { x *= 1.1; }));
  const std::vector<std::vector<std::string>> all = {
      wedge, {"wedge", "w"}, {"wedge", "w", "--element", "1"}, {"wedge", "w", "--submit", "true {script}"}};
  for (const std::vector<std::string>& on : all) {
    const ProgramResult refused = run(on);
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_TRUE(says(refused.err, {"element 1", "rest.obj was rest.obj ("}));
  }
  EXPECT_EQ(run({"wedge", "w", "--collect"}).exit_code, 0);
  folder_.write("rest.obj", mesh);
  EXPECT_EQ(run({"wedge", "w"}).exit_code, 0);
}

TEST_F(CliWedgeTest, ForceMakesADamagedWedgeAnew) {
  const std::vector<std::string> wedge = words({"--simulate", "--set", "shot.gravity=[0, -9.81, 0]"});
  ASSERT_EQ(run(wedge).exit_code, 0);
  const auto before = written(elements()[0] + "/positions.npy");
  folder_.write("w/wedge.json", "{");
  const ProgramResult refused = run(wedge);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(says(refused.err, {"wedge.json: damaged", "--force"}));
  std::vector<std::string> forced = wedge;
  forced.emplace_back("--force");
  EXPECT_EQ(run(forced).exit_code, 0);
  EXPECT_NE(written(elements()[0] + "/positions.npy"), before);
  EXPECT_EQ(run({"wedge", "w", "--status"}).exit_code, 0);
}

TEST_F(CliWedgeTest, ElementsMayHaveMeshesOfTheirOwn) {
  folder_.write("coarse.obj", sheet({}, 3));
  folder_.write("scene.toml", shot_text() + "[[pin]]\nvertices = [0, 1, 2]\n");
  const ProgramResult wedge = run(words({"--simulate", "--set", "cloth.rest=rest.obj,coarse.obj"}));
  EXPECT_EQ(wedge.exit_code, 0) << wedge.err;
  EXPECT_TRUE(folder_.read("w/contact_sheet.png").starts_with("\x89PNG"));
}

// Of two that run side by side the second waits for what the first is at, and leaves it alone then.
TEST_F(CliWedgeTest, WhatAnotherWedgeEndsInTheMeantimeIsLeftAlone) {
  ASSERT_EQ(run(words({"--simulate", "--set", "shot.gravity=[0, -9.81, 0],[0, -1.6, 0]"})).exit_code, 0);
  const std::string first = elements()[0] + "/", away = "away.json", end = "end.json";
  const auto move = [&](const std::string& from, const std::string& to) {
    std::filesystem::rename(folder_ / from, folder_ / to);
  };
  move(first + "summary.json", away), move(first + "element.json", end);
  const int lock = ::open((folder_ / (first + ".lock")).c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX | LOCK_NB), 0);
  const Process process = start({"wedge", "w", "--jobs", "1"});
  wait_for(process, ".err", "1 of 2 elements to run");
  move(away, first + "summary.json"), move(end, first + "element.json");
  const auto before = written(first + "element.json");
  ::close(lock);
  const ProgramResult ended = finish(process);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(written(first + "element.json"), before);
  EXPECT_EQ(state_of(1)["status"], "done");
}

// A wedge that was killed, as it wrote a file into an element that had ended, leaves it torn.
TEST_F(CliWedgeTest, NothingTornStaysInElementsThatHaveEnded) {
  const std::vector<std::string> wedge = words({"--simulate", "--set", "shot.gravity=[0, -9.81, 0]"});
  ASSERT_EQ(run(wedge).exit_code, 0);
  const std::string element = elements()[0], scene = element + "/scene.toml";
  const auto before = written(scene);
  for (const char* file : {"scene.toml", "element.json", "element_files.json"})
    folder_.write(fmt::format("{}/.{}.1-0.tmp", element, file), "{");
  EXPECT_EQ(run({"wedge", "w"}).exit_code, 0);
  EXPECT_EQ(left_overs("w"), std::vector<std::string>());
  ASSERT_EQ(run(wedge).exit_code, 0);
  EXPECT_EQ(written(scene), before);  // it could be torn otherwise
}

TEST_F(CliWedgeTest, RefusesBeforeAnythingRuns) {
  for (const auto& [setting, answer] :
       std::map<std::string, std::string>{{"control.efort=1", "did you mean effort?"},
                                          {"keyframe.3.tolerance=1", "a list of 1"},
                                          {"keyframe.0.tolerance=1e-3,-1", "with keyframe.0.tolerance = -1"},
                                          {"output.dir=a,b", "[output] dir: found it among the settings"},
                                          {"output={dir = \"a\"}", "whatever dir says; leave it out"},
                                          {"control.effort", "found no ="}}) {
    const ProgramResult wedge = run(words({"--set", setting}));
    EXPECT_EQ(wedge.exit_code, 3);
    EXPECT_TRUE(says(wedge.err, {answer}));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "w"));
  }
  EXPECT_TRUE(says(run({"wedge", "scene.toml"}).err, {"no --set"}));
  EXPECT_TRUE(says(run({"wedge", "."}).err, {"wedge.json"}));
  for (const char* asked : {"--status", "--collect", "--simulate"}) {
    const ProgramResult none = run({"wedge", "nosuch", asked});
    EXPECT_EQ(none.exit_code, 3);
    EXPECT_TRUE(says(none.err, {"nosuch: cannot be read: there is no such file or folder"})) << none.err;
  }
  EXPECT_TRUE(says(run({"wedge", ".", "--simulate"}).err, {"the folder of a wedge together"}));
  EXPECT_EQ(run({"wedge", ".", "--one-window"}).exit_code, 2);
}

TEST_F(CliWedgeTest, AFolderWhoseNameNoSceneCanHoldIsRefused) {
  const std::string shots = "shots\xff";
  std::filesystem::create_directories(folder_ / shots);
  for (const char* name : {"scene.toml", "rest.obj", "key.obj"})
    std::filesystem::copy_file(folder_ / name, folder_ / (shots + "/" + name));
  const ProgramResult refused =
      run({"wedge", shots + "/scene.toml", "-o", "w", "--set", "control.effort=1e-5,1e-4"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(says(refused.err, {"shots\\xff/", "a path that is not UTF-8", "rename the folder"}));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "w"));
}

TEST_F(CliWedgeTest, NamesWhatFailedAndRunsItAgainAlone) {
  folder_.write("t.csv", "solver.max_newton_iterations,control.effort\n1,\n,1e-4\n");
  const ProgramResult wedge = run(words({"--table", "t.csv"}));
  EXPECT_EQ(wedge.exit_code, 5);
  EXPECT_TRUE(says(wedge.err, {"max_newton_iterations-1", "failed", "the limit on Newton iterations"}));
  const auto failed = written(elements()[0] + "/element.json"),
             done = written(elements()[1] + "/element.json");
  EXPECT_EQ(run({"wedge", "w"}).exit_code, 5);
  EXPECT_EQ(written(elements()[0] + "/element.json"), failed);
  EXPECT_EQ(run({"wedge", "w", "--again"}).exit_code, 5);
  EXPECT_NE(written(elements()[0] + "/element.json"), failed);
  EXPECT_EQ(written(elements()[1] + "/element.json"), done);
  const ProgramResult second = run({"wedge", "w", "--element", "2", "--json"});
  EXPECT_EQ(second.exit_code, 0);
  const nlohmann::json told = nlohmann::json::parse(second.out)["elements"];
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0], state_of(2));
  std::filesystem::remove(folder_ / (elements()[1] + "/element.json"));
  EXPECT_EQ(told[0], state_of(2));  // its summary says as much
  EXPECT_EQ(run({"wedge", "w", "--element", "3"}).exit_code, 3);
}

// Where a run ends before the other has begun, the shot is made longer until the interrupt finds both. Told
// of memory for two: beside other programs the machine may have left enough for one.
TEST_F(CliWedgeTest, AnInterruptReachesEveryRunOnceAndAllGoOn) {
  const std::vector<std::string> both =
      words({"--set", "control.smooth_time=0.1,0.2", "--memory", "100", "--json"});
  const auto has_begun = [&](size_t element) {
    return std::filesystem::exists(folder_ / (elements()[element] + "/checkpoint.json"));
  };
  const auto was_interrupted = [&](int number) { return state_of(number)["status"] == "interrupted"; };
  for (int substeps = 4;; substeps *= 4) {
    ASSERT_LT(substeps, 1000);
    folder_.write("scene.toml", fmt::format("[shot]\nframes = \"1001-1006\"\nsubsteps = {}\n"
                                            "[cloth]\nrest = \"rest.obj\"\n",
                                            substeps) +
                                    pin_text() + keyframe_text("tolerance = 1e-4\n"));
    const Process process = start(both);
    for (int k = 0; k < 600; ++k) {
      if (std::filesystem::exists(folder_ / "w/wedge.json") && elements().size() == 2 && has_begun(0) &&
          has_begun(1))
        break;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ::kill(process.id, SIGINT);
    const ProgramResult stopped = finish(process);
    if (was_interrupted(1) && was_interrupted(2)) {
      EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
      const nlohmann::json told = nlohmann::json::parse(stopped.out)["elements"];
      for (const nlohmann::json& element : told) EXPECT_EQ(element["status"], "interrupted");
      break;
    }
    std::filesystem::remove_all(folder_ / "w");
  }
  for (const int number : {1, 2}) EXPECT_EQ(state_of(number)["exit_code"], 75);
  const ProgramResult resumed = run({"wedge", "w", "--jobs", "2"});
  EXPECT_TRUE(resumed.exit_code == 0 || resumed.exit_code == 4) << resumed.err;
  const std::string scene = elements()[1] + "/scene.toml";
  run({"solve", scene, "-o", "whole", "--no-report", "--progress", "none"});
  expect_same_results("whole", elements()[1]);
}

TEST_F(CliWedgeTest, AnInterruptHidesNoFailure) {
  folder_.write("scene.toml", shot_text() + pin_text() + keyframe_text("tolerance = 1e-9\n"));
  folder_.write("t.csv",
                "solver.max_newton_iterations,control.max_forward_simulations,control.effort\n1,,\n"
                ",1000000,1e-12\n");
  const Process process =
      start({"wedge", "scene.toml", "-o", "w", "--jobs", "1", "--table", "t.csv", "--json"});
  wait_for(process, ".err", "002-max_forward_simulations-1000000-effort-1e-12 begins");
  ::kill(process.id, SIGINT);
  const ProgramResult stopped = finish(process);
  EXPECT_EQ(stopped.exit_code, 5) << stopped.err;
  const nlohmann::json told = nlohmann::json::parse(stopped.out)["elements"];
  EXPECT_EQ(told[0]["status"], "failed");
  EXPECT_NE(told[1]["status"], "failed");
}

TEST_F(CliWedgeTest, ARunningElementIsRefusedBeforeOthersAreEmptied) {
  const std::vector<std::string> two = words({"--set", "control.effort=1e-5,1e-4"});
  const ProgramResult wedge = run(two);
  ASSERT_TRUE(wedge.exit_code == 0 || wedge.exit_code == 4) << wedge.err;
  const std::filesystem::path first = folder_ / elements()[0], second = folder_ / elements()[1];
  const int held = ::open((second / "run.lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX | LOCK_NB), 0);
  std::vector<std::string> again = two;
  again.emplace_back("--force");
  EXPECT_EQ(run(again).exit_code, 3);
  EXPECT_TRUE(std::filesystem::exists(first / "summary.json"));
  ::close(held);
}

TEST_F(CliWedgeTest, ACommandThatIsRefusedEmptiesNoElement) {
  const std::vector<std::string> one =
      words({"--simulate", "--set", "shot.gravity=[0, -9.81, 0]", "--force"});
  ASSERT_EQ(run(one).exit_code, 0);
  for (const auto& [wrong, answer] : std::map<std::vector<std::string>, std::string>{
           {{"--status"}, "expected the folder of its wedge"},
           {{"--collect"}, "expected the folder of its wedge"},
           {{"--cancel"}, "expected the folder of its wedge"},
           {{"--element", "2"}, "a wedge of 1 elements"},
           {{"--submit", "qsub"}, "neither slurm nor a command"}}) {
    std::vector<std::string> all = one;
    all.insert(all.end(), wrong.begin(), wrong.end());
    const ProgramResult refused = run(all);
    EXPECT_EQ(refused.exit_code, 3) << wrong[0];
    EXPECT_TRUE(says(refused.err, {answer}));
    EXPECT_EQ(state_of(1)["status"], "done") << wrong[0];
  }
}

TEST_F(CliWedgeTest, WhatRunsNothingIsToldNothingOfRuns) {
  ASSERT_EQ(run(words({"--simulate", "--set", "shot.gravity=[0, -9.81, 0]"})).exit_code, 0);
  for (const char* runs_none : {"--status", "--collect", "--cancel"})
    for (const std::vector<std::string>& of_runs :
         std::vector<std::vector<std::string>>{{"--element", "1"}, {"--again"}, {"--submit", "slurm"}}) {
      std::vector<std::string> both = {"wedge", "w", runs_none};
      both.insert(both.end(), of_runs.begin(), of_runs.end());
      const ProgramResult refused = run(both);
      EXPECT_EQ(refused.exit_code, 2) << runs_none << of_runs[0];
      EXPECT_TRUE(says(refused.err, {runs_none, "excludes", of_runs[0]})) << refused.err;
    }
}

TEST_F(CliWedgeTest, AQueuedElementIsRefusedBeforeAnyIsEmptied) {
  const std::vector<std::string> one = {"--simulate", "--set", "shot.gravity=[0, -9.81, 0]"};
  ASSERT_EQ(run(words(one)).exit_code, 0);
  std::filesystem::create_directories(folder_ / "bin");
  std::filesystem::permissions(folder_.write("bin/squeue", "#!/bin/sh\necho 1 PENDING\n"),
                               std::filesystem::perms::owner_all);
  std::filesystem::create_directories(folder_ / "w/farm");
  folder_.write("w/farm/jobs.json", R"([{"queue": "slurm", "answers": ["7"]}])");
  const std::string path = (folder_ / "bin").string() + ":" + ::getenv("PATH");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--force"}, {"--force", "--submit", "true {script}"}}) {
    std::vector<std::string> again = words(one);
    again.insert(again.end(), more.begin(), more.end());
    const ProgramResult refused = run(again, [&] { ::setenv("PATH", path.c_str(), 1); });
    EXPECT_EQ(refused.exit_code, 3) << more.size();
    EXPECT_TRUE(says(refused.err, {"element 1 is in the queue already (PENDING)"}));
    EXPECT_TRUE(std::filesystem::exists(folder_ / (elements()[0] + "/summary.json")));
  }
}

// Of a machine that is none of the farm's.
TEST_F(CliWedgeTest, StatusIsToldWithoutAQueue) {
  ASSERT_EQ(run(words({"--simulate", "--set", "shot.gravity=[0, -9.81, 0]"})).exit_code, 0);
  std::filesystem::create_directories(folder_ / "w/farm");
  folder_.write("w/farm/jobs.json", R"([{"queue": "slurm", "answers": ["7"]}])");
  std::filesystem::create_directories(folder_ / "bin");
  std::filesystem::permissions(folder_.write("bin/squeue", "#!/bin/sh\necho nobody is here >&2; exit 1\n"),
                               std::filesystem::perms::owner_all);
  const std::string path = (folder_ / "bin").string() + ":" + ::getenv("PATH");
  const ProgramResult status =
      run({"wedge", "w", "--status", "--json"}, [&] { ::setenv("PATH", path.c_str(), 1); });
  EXPECT_EQ(status.exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(status.out)["elements"][0]["status"], "done");
  EXPECT_TRUE(says(status.err, {"warning: squeue: cannot be asked: nobody is here"}));
}

TEST_F(CliWedgeTest, AnyQueueTakesTheScripts) {
  const ProgramResult wedge =
      run(words({"--set", "control.effort=1e-5,1e-4", "--submit", "bash {script}; echo job", "--json"}));
  ASSERT_EQ(wedge.exit_code, 0) << wedge.err;
  EXPECT_TRUE(says(wedge.err, {"2 of 2 elements submitted: job, job; next"}));
  EXPECT_EQ(nlohmann::json::parse(wedge.out)["elements"][1]["status"], "done");
  EXPECT_EQ(run({"wedge", "w", "--collect"}).exit_code, 0);
  EXPECT_EQ(state_of(2)["status"], "done");
  EXPECT_TRUE(says(run({"wedge", "w", "--cancel"}).err, {"no jobs of Slurm's"}));
}

TEST_F(CliWedgeTest, AWindowAtATimeEndsOnTheSameBits) {
  folder_.write("scene.toml", scene_text() + "[control.windows]\nlength = 3\noverlap = 1\n");
  const std::vector<std::string> link = {"solve",    "scene.toml",  "-o",          "w",
                                         "--resume", "--no-report", "--one-window"};
  int links = 1;
  while (links < 9 && run(link).exit_code == 75) ++links;
  EXPECT_EQ(links, 2);
  run({"solve", "scene.toml", "-o", "whole", "--no-report"});
  expect_same_results("whole", "w");
}

}  // namespace
}  // namespace keydrape
