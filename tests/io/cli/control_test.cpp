// What may push, where, when and how hard, and effort = "auto": by the program as a user runs it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/types.h"
#include "io/formats/npy.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

class CliControlTest : public CliFolder {
 protected:
  // The forces of a solved scene; (frame, vertex) -> N.
  struct Forces {
    VecX values;
    Vec3 operator()(int frame, int vertex) const {
      return values.segment<3>(3 * (frame * kVertices + vertex));
    }
  };
  Forces solve(const std::string& control, const std::string& keyframe = keyframe_text(), int exit_code = 0) {
    folder_.write("scene.toml", shot_text() + pin_text() + keyframe + "[control]\n" + control);
    const ProgramResult result = run({"solve", "scene.toml", "-o", "out", "--force", "--no-report"});
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    message_ = result.err;
    return {read_npy(folder_ / "out/forces.npy").values};
  }
  double miss_mm() const {
    return 1e3 * read_json("out/summary.json")["keyframes"][0]["rms_m"].get<double>();
  }

  // A warning names a vertex before `said` and its speed behind it, which it has at the end of one of these
  // steps at most.
  void expect_as_fast_as_said(const std::string& said, const std::pair<int, int>& steps) const {
    const VecX x = read_npy(folder_ / "out/steps.npy").values;
    const std::size_t at = message_.find(said);
    ASSERT_NE(at, std::string::npos);
    const int vertex = std::stoi(message_.substr(message_.rfind("vertex ", at) + 7));
    double fastest = 0.0;
    for (int n = steps.first; n <= steps.second; ++n)
      fastest = std::max(fastest, 48.0 * (x.segment<3>(3 * (n * kVertices + vertex)) -
                                          x.segment<3>(3 * ((n - 1) * kVertices + vertex)))
                                             .norm());
    EXPECT_NEAR(std::stod(message_.substr(at + said.size())), fastest, 0.01 * fastest);
  }

  std::string message_;
};

TEST_F(CliControlTest, ForcesAreZeroOutsideOfThePaintedVerticesAndTheFrames) {
  std::string weights;
  for (int i = 0; i < kVertices; ++i) weights += i >= 18 ? fmt::format("{}\n", i < 24 ? 0.5 : 1.0) : "0\n";
  folder_.write("painted.txt", weights);
  const Forces forces =
      solve("effort = 1e-4\nweights = \"painted.txt\"\nframes = \"1002-1005\"\n", keyframe_text(""));
  double inside = 0.0;
  for (int f = 0; f < kFrames; ++f)
    for (int i = 0; i < kVertices; ++i) {
      if (i < 18 || f < 1 || f > 3)
        EXPECT_EQ(forces(f, i), Vec3::Zero()) << "frame " << f << ", vertex " << i;
      else
        inside += forces(f, i).norm();
    }
  EXPECT_GT(inside, 0.0);
}

// A sheet that hangs still is brought aside within the last frame alone, or all the way.
TEST_F(CliControlTest, ASnatchedVertexIsNamed) {
  const std::string said = " is snatched into frame 1006: ";
  solve("frames = \"1005-1006\"\n", keyframe_text(), 0);
  EXPECT_TRUE(says(message_, {"warning: vertex ", said, " m/s in frame 100",
                              " times the fastest without control", "raise smooth_time"}))
      << message_;
  EXPECT_TRUE(says(folder_.read("out/shot/shot.json"), {said}));
  expect_as_fast_as_said(said, {3, 10});
  solve("", keyframe_text(), 0);
  EXPECT_FALSE(says(message_, {"is snatched"})) << message_;
}

// Of targets whose way is not known before the run, and of those that ask for speed.
TEST_F(CliControlTest, WhatTargetsAskForIsNoSnatch) {
  const std::string last = "[[keyframe]]\nframe = 1006\n";
  const std::string surface = last + "surface = \"key.obj\"\ntolerance = 0.02\n";
  folder_.write("half.obj", swung_sheet(0.15));
  const std::string loop = "[[keyframe]]\nframe = 1003\nmesh = \"half.obj\"\ntolerance = 0.01\n" + last +
                           "loop = true\ntolerance = 0.01\n";
  const std::string speed = last + "mesh = \"rest.obj\"\nvelocity_weight = 1\nvelocity = [0, 0, 0.5]\n";
  for (const std::string& targets : {surface, loop, speed + "tolerance = 0.02\nvelocity_tolerance = 0.4\n",
                                     speed + "weight = 0\nvelocity_tolerance = 0.3\n"}) {
    solve("", targets, 0);
    EXPECT_FALSE(says(message_, {"is snatched"})) << targets << message_;
  }
  solve("frames = \"1005-1006\"\n", surface, 0);
  EXPECT_TRUE(says(message_, {" is snatched into frame 1006: "})) << message_;
}

// One corner is let go when another is wanted.
TEST_F(CliControlTest, WhatAnotherTargetLetsGoIsNoSnatch) {
  folder_.write("left.txt", "24 1\n30 1\n31 1\n");
  folder_.write("right.txt", "29 1\n34 1\n35 1\n");
  const auto key = [](int frame, const std::string& mesh, const std::string& weights) {
    return fmt::format("[[keyframe]]\nframe = {}\nmesh = \"{}\"\nweights = \"{}\"\ntolerance = 0.01\n", frame,
                       mesh, weights);
  };
  for (const double angle : {0.5, -0.4}) {
    folder_.write("left.obj", swung_sheet(angle));
    folder_.write("right.obj", swung_sheet(-0.5 * angle));
    solve("", key(1003, "left.obj", "left.txt") + key(1006, "right.obj", "right.txt"), 0);
    EXPECT_FALSE(says(message_, {"is snatched"})) << message_;
  }
}

// A sheet that was pulled long shrinks again behind its last target; one that was swung aside falls back.
TEST_F(CliControlTest, AVertexThatSpringsBackIsNamed) {
  const std::string said = " springs back behind frame 1003, the last target: ";
  const auto key = [](int frame) {
    return fmt::format("[[keyframe]]\nframe = {}\nmesh = \"key.obj\"\ntolerance = 0.005\n", frame);
  };
  folder_.write("key.obj", sheet([](double&, double& y, double&) { y *= 1.1; }));
  solve("", key(1003), 0);
  EXPECT_TRUE(says(message_, {"warning: vertex ", said, " m/s in frame 100",
                              " times the fastest without control, and faster than it falls", "[[track]]"}))
      << message_;
  expect_as_fast_as_said(said, {5, 10});
  solve("", key(1006), 0);
  EXPECT_FALSE(says(message_, {"springs back"})) << message_;
  folder_.write("key.obj", swung_sheet(0.2));
  solve("", key(1004), 0);
  EXPECT_FALSE(says(message_, {"springs back"})) << message_;
}

// A sheet that is pulled long is held back until the last frame, which does nearly all.
TEST_F(CliControlTest, TheVertexThatUnevenForcesPushMostIsNamed) {
  folder_.write("key.obj", sheet([](double&, double& y, double&) { y *= 1.1; }));
  const Forces forces = solve("", keyframe_text("tolerance = 0.005\n"));
  const std::string said = "before the keyframe of frame 1006, the largest on vertex ";
  ASSERT_TRUE(says(message_, {"warning: the forces of frame 1005 are ", said})) << message_;
  const VecX mass = read_npy(folder_ / "out/shot/mass.npy").values;
  const int vertex = std::stoi(message_.substr(message_.find(said) + said.size()));
  for (int i = 0; i < kVertices; ++i)
    EXPECT_LE(forces(4, i).norm() / mass(i), (1 + 1e-9) * forces(4, vertex).norm() / mass(vertex));
}

// A tolerance that is named already, and an effort that is left out, are no advice.
TEST_F(CliControlTest, WhatToDoAboutUnevenForcesFitsTheScene) {
  folder_.write("key.obj", sheet([](double&, double& y, double&) { y *= 1.1; }));
  const std::string uneven = "warning: the forces of frame 1005 are ", named = "name a tolerance";
  solve("effort = 1e-6\n", keyframe_text(""));
  EXPECT_TRUE(says(message_, {uneven, named + " and leave effort out, or raise effort"})) << message_;
  solve("effort = 1e-6\n", keyframe_text("tolerance = 0.02\n"));
  EXPECT_TRUE(says(message_, {uneven, "raise smooth_time in [control], or give the cloth more time"}))
      << message_;
  EXPECT_FALSE(says(message_, {named}));
  EXPECT_FALSE(says(message_, {"leave effort out"}));
}

TEST_F(CliControlTest, MaxAccelerationHoldsToTheLastBit) {
  for (const char* method : {"gauss-newton", "lbfgs"}) {
    const Forces forces =
        solve(fmt::format("effort = 1e-5\nmethod = \"{}\"\nmax_acceleration = 0.2\n", method),
              keyframe_text("tolerance = 0.001\n"), 4);
    const VecX mass = read_npy(folder_ / "out/shot/mass.npy").values;
    ASSERT_EQ(mass.size(), kVertices);
    int at_bound = 0;
    for (int f = 0; f < kFrames; ++f)
      for (int i = 0; i < kVertices; ++i) {
        const double a = forces(f, i).norm() / (mass(i) * kStandardGravity);
        EXPECT_LE(a, 0.2) << method;
        EXPECT_LE(forces(f, i).cast<float>().norm() / static_cast<float>(mass(i) * kStandardGravity), 0.2f)
            << method;
        at_bound += a > 0.199;
      }
    EXPECT_GT(at_bound, 20) << method;
    EXPECT_LE(read_json("out/summary.json")["effort"]["peak_g"], 0.2);
    EXPECT_NE(message_.find("max_acceleration = 0.2 g holds it back"), std::string::npos) << message_;
  }
}

TEST_F(CliControlTest, AutomaticEffortMeetsEachToleranceAndRisesAsItFalls) {
  for (const char* method : {"gauss-newton", "lbfgs"}) {
    double effort_before = 0.0;
    for (const double tolerance_mm : {20.0, 5.0, 1.0}) {
      solve(fmt::format("method = \"{}\"\n", method),
            keyframe_text(fmt::format("tolerance = {}\n", 1e-3 * tolerance_mm)));
      EXPECT_LE(miss_mm(), tolerance_mm) << method;
      const double effort = read_json("out/summary.json")["effort"]["rms_g"];
      EXPECT_GT(effort, effort_before) << method;
      effort_before = effort;
    }
  }
}

TEST_F(CliControlTest, MoreUnknownsThanCanBeCountedAreRefused) {
  folder_.write("rest.obj", sheet({}, 60));
  folder_.write("scene.toml",
                "[shot]\nframes = \"1001-3001\"\nsubsteps = 100\n[cloth]\nrest = \"rest.obj\"\n" +
                    pin_text() + "[[keyframe]]\nframe = 3001\nmesh = \"rest.obj\"\n" +
                    "[control]\nhold = \"step\"\n");
  const ProgramResult result = run({"solve", "scene.toml", "-o", "out", "--dry-run"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(says(result.err, {"scene.toml:11:1: [control]: forces on 3594 vertices, 200000 times",
                                "found 2156400000 components; expected at most 2147483647"}))
      << result.err;
}

TEST_F(CliControlTest, WhatCannotBeMetIsSaid) {
  folder_.write("moved.obj", sheet([](double& x, double&, double&) { x += 0.1; }));
  const std::string keyframe = "[[keyframe]]\nframe = 1006\nmesh = \"moved.obj\"\ntolerance = 0.001\n";
  solve("max_forward_simulations = 4\n", keyframe + "group = \"cloth\"\n", 4);
  EXPECT_NE(message_.find("frame 1006: the closest is"), std::string::npos) << message_;
  EXPECT_NE(message_.find("its tolerance 1 mm; "), std::string::npos) << message_;
}

TEST_F(CliControlTest, CheckCoversEverySpace) {
  const std::string stiff = "[cloth.material]\ncompression = 1\n";  // its goal bends gently: orders show
  ASSERT_EQ(run({"solve", "scene.toml", "-o", "take"}).exit_code, 0);
  for (const char* control :
       {"knots_every = 2", "modes = 5", "net = \"zero-force\"", "net = \"zero-impulse\"",
        "hold = \"step\"\nknots_every = 1\nmodes = 7\nnet = \"zero-impulse\"", "frames = \"1002-1005\"",
        "relative_to = \"take/forces.npy\"\nmodes = 3"}) {
    folder_.write("scene.toml", scene_text() + stiff + "[control]\n" + control + "\n");
    const ProgramResult result = run({"check", "scene.toml", "--json"});
    ASSERT_EQ(result.exit_code, 0) << control << "\n" << result.err;
    const double order = nlohmann::json::parse(result.out).at("taylor_order_mean");
    EXPECT_GE(order, 1.95) << control;
    EXPECT_LE(order, 2.05) << control;
  }
}

TEST_F(CliControlTest, AnEditLeavesTheTakeAloneWhereItMayNotPush) {
  ASSERT_EQ(run({"solve", "scene.toml", "-o", "take", "--no-report"}).exit_code, 0);
  const VecX take = read_npy(folder_ / "take/forces.npy").values,
             before = read_npy(folder_ / "take/positions.npy").values;
  const std::string edit = "relative_to = \"take/forces.npy\"\nframes = \"1003-1006\"\n";
  // What is met already stays as it is.
  EXPECT_EQ(solve(edit).values, take);
  // The pose is moved: nothing changes before frame 1003, and no force elsewhere but after it.
  folder_.write("key.obj", swung_sheet(0.55));
  const Forces forces = solve(edit, keyframe_text("tolerance = 0.005\n"));
  const VecX after = read_npy(folder_ / "out/positions.npy").values;
  constexpr int kUntouched = 2;  // frame intervals
  EXPECT_EQ(forces.values.head(3 * kVertices * kUntouched), take.head(3 * kVertices * kUntouched));
  EXPECT_EQ(after.head(3 * kVertices * (kUntouched + 1)), before.head(3 * kVertices * (kUntouched + 1)));
  EXPECT_NE(forces.values, take);
  // The summary says what was put on top.
  const VecX mass = read_npy(folder_ / "out/shot/mass.npy").values;
  double peak = 0.0;
  for (int i = 0; i < kFrames * kVertices; ++i)
    peak = std::max(
        peak, (forces.values - take).segment<3>(3 * i).norm() / (mass[i % kVertices] * kStandardGravity));
  EXPECT_GT(peak, 0.0);
  EXPECT_NEAR(read_json("out/summary.json")["effort"]["added"]["peak_g"].get<double>(), peak, 1e-9 * peak);
  EXPECT_EQ(read_json("take/summary.json")["effort"].count("added"), 0u);
  const std::string log = folder_.read("out/keydrape.log");
  EXPECT_TRUE(says(log, {"accepted take [mm]", "of it added to the take of relative_to: peak "})) << log;
}

// A take that pushes harder than allowed is brought below the bound, its own forces counted.
TEST_F(CliControlTest, MaxAccelerationBoundsATakeAndItsNotesTogether) {
  ASSERT_EQ(run({"solve", "scene.toml", "-o", "take", "--no-report"}).exit_code, 0);
  const double peak = read_json("take/summary.json")["effort"]["peak_g"];
  const double bound = 0.7 * peak;
  const std::string note = fmt::format("relative_to = \"take/forces.npy\"\nmax_acceleration = {}\n", bound);
  for (const char* method : {"gauss-newton", "lbfgs"}) {
    const Forces forces = solve(fmt::format("method = \"{}\"\n{}", method, note));
    EXPECT_LE(miss_mm(), 20) << method;
    const VecX mass = read_npy(folder_ / "out/shot/mass.npy").values;
    for (int f = 0; f < kFrames; ++f)
      for (int i = 0; i < kVertices; ++i)
        EXPECT_LE(forces(f, i).norm() / (mass(i) * kStandardGravity), bound) << method;
  }
}

TEST_F(CliControlTest, NoForceWhereNoneIsNeeded) {
  folder_.write("key.obj", sheet());
  const Forces forces = solve("", keyframe_text("tolerance = 0.01\n"));
  EXPECT_TRUE(forces.values.isZero(0.0));
}

}  // namespace
}  // namespace keydrape
