// What is said before a search of poses that cannot be reached, and that nothing is said of those that can.

#include <fmt/format.h>

#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

class CliReachTest : public CliFolder {
 protected:
  ProgramResult dry_run(const std::string& scene, const std::string& option = "--quiet") {
    folder_.write("scene.toml", scene);
    ProgramResult result = run({"solve", "scene.toml", "--dry-run", option});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
  }
};

TEST_F(CliReachTest, APoseThatClothCanTakeIsPassedInSilence) {
  const ProgramResult result = dry_run(scene_text());
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(says(result.out, {"reach ", "frame 1006: stretch 0.0 %", "0 % of its area beyond 5 %",
                                "m/s RMS from the first frame"}));
}

// A metre within a frame from rest takes 1152 m/s^2, less the weight.
TEST_F(CliReachTest, ASteepWay) {
  // What gravity and a push of nought can do is no least.
  EXPECT_FALSE(says(dry_run(scene_text()).out, {"from the first frame, at least "}));
  folder_.write("far.obj", sheet([](double&, double&, double& z) { z += 1.0; }));
  const std::string scene =
      shot_text() + "[[keyframe]]\nframe = 1002\nmesh = \"far.obj\"\ntolerance = 0.02\n";
  const ProgramResult result = dry_run(scene);
  EXPECT_TRUE(says(result.err, {"the target at frame 1002 takes at least 120 g on the straight way from "
                                "the first frame, 1 m within 0.0417 s",
                                "give it more frames"}))
      << result.err;
  EXPECT_TRUE(says(result.out, {"from the first frame, at least 120 g"})) << result.out;
  folder_.write("far.obj", sheet([](double&, double&, double& z) { z += 0.17; }));  // 18.96 g
  EXPECT_EQ(dry_run(scene).err, "");
}

// What a frame carries along takes no forces for it.
TEST_F(CliReachTest, AWayThatAFrameGoes) {
  folder_.write("far.obj", sheet([](double&, double&, double& z) { z += 10.0; }));
  const std::string scene =
      shot_text() + "[[keyframe]]\nframe = 1006\nmesh = \"far.obj\"\ntolerance = 0.02\n";
  const std::string landmark =
      shot_text() + "[[keyframe]]\nframe = 1006\nlandmarks = [[35, 0.25, -0.25, 10]]\n";
  const std::string frame = "[moving_frame]\ntranslate = [[1001, [0, 0, 0]], [1006, [0, 0, 10]]]\n";
  EXPECT_TRUE(says(dry_run(scene).err, {"takes at least 46 g"}));
  EXPECT_TRUE(says(dry_run(landmark).err, {"is it in another unit?"}));
  for (const std::string& target : {scene, landmark}) EXPECT_EQ(dry_run(target + frame).err, "");
  EXPECT_TRUE(says(dry_run(scene + frame + "inertia = 0\n").err, {"takes at least 46 g"}));
}

TEST_F(CliReachTest, AStretchedPose) {
  folder_.write("key.obj", sheet([](double&, double& y, double&) { y *= 1.1; }));
  folder_.write("rest.obj", sheet() + "g hem\np 31 32 33 34 35 36\n");
  const ProgramResult result = dry_run(scene_text(), "--json");
  EXPECT_TRUE(
      says(result.err,
           {"scene.toml:10:8: the target at frame 1006 strains 100 % of its area beyond 5 %",
            "stretch 10.0 % near vertex ", "group hem)", "99 % of it within 10.0 %", "keydrape relax"}));
  const nlohmann::json reach = nlohmann::json::parse(result.out)["keyframes"][0]["reach"];
  EXPECT_TRUE(reach["strained"]);
  EXPECT_NEAR(reach["strain"]["stretch"]["strain"], 0.1, 1e-6);
  EXPECT_NEAR(reach["strain"]["squeeze"]["strain"], 0.0, 1e-6);
  EXPECT_NEAR(reach["strain"]["stretch_99"], 0.1, 1e-6);
  EXPECT_EQ(reach["strain"]["area_beyond"], 1.0);
  EXPECT_EQ(reach["way"]["from_frame"], 1001);
  EXPECT_EQ(reach["free_vertices"], 30);
}

TEST_F(CliReachTest, TheSummaryAndTheFirstLinesOfASolveSaySo) {
  folder_.write("key.obj", sheet([](double&, double& y, double&) { y *= 1.5; }));
  const ProgramResult result = run({"solve", "scene.toml", "-o", "out", "--no-report"});
  const std::size_t strained = result.err.find("strains 100 % of its area"),
                    first = result.err.find("iteration");
  EXPECT_LT(strained, first);
  const nlohmann::json reach = read_json("out/summary.json")["keyframes"][0]["reach"];
  EXPECT_NEAR(reach["strain"]["stretch"]["strain"], 0.5, 1e-6);
  EXPECT_EQ(reach["in_bodies"], 0);
  EXPECT_FALSE(reach.contains("in_itself"));
}

TEST_F(CliReachTest, OfATrackTheFrameThatIsStrainedMost) {
  for (int f = 0; f < 6; ++f)
    folder_.write(fmt::format("track.{}.obj", 1001 + f),
                  sheet([f](double&, double& y, double&) { y *= f == 3 ? 1.2 : 1.0; }));
  const ProgramResult result =
      dry_run(shot_text() + pin_text() + "[[track]]\ncache = \"track.####.obj\"\ntolerance = 0.005\n");
  EXPECT_TRUE(says(result.err, {"the target at frame 1004 strains 100 %"}));
  EXPECT_TRUE(says(result.out, {"frame 1004: stretch 20.0 %"}));
}

// Nothing is said of the shape of what has none.
TEST_F(CliReachTest, TargetsThatAreNoFullMesh) {
  const std::string scene = shot_text() + pin_text();
  const ProgramResult loop = dry_run(scene + "[[keyframe]]\nframe = 1006\nloop = true\n");
  EXPECT_TRUE(says(loop.out, {"frame 1006: the shape of the first frame"}));
  folder_.write("scan.obj", sheet({}, 11));
  const ProgramResult surface =
      dry_run(scene + "[[keyframe]]\nframe = 1006\nsurface = \"scan.obj\"\nmax_angle = 180\n");
  EXPECT_TRUE(says(surface.out, {"frame 1006: a surface"}));
  const ProgramResult landmark =
      dry_run(scene + "[[keyframe]]\nframe = 1006\nlandmarks = [[35, 0.25, -0.24, 0.05]]\n");
  EXPECT_TRUE(says(landmark.out, {"frame 1006: single vertices"}));
  for (const ProgramResult& result : {loop, surface, landmark}) EXPECT_EQ(result.err, "");
}

TEST_F(CliReachTest, ALandmarkThatTheClothDoesNotReach) {
  const std::string mark = "[[keyframe]]\nframe = 1006\nlandmarks = [[35, 0.25, -5, 0]]\n";
  const ProgramResult result = dry_run(shot_text() + pin_text() + mark, "--json");
  EXPECT_TRUE(
      says(result.err, {"scene.toml:10:13: the target at frame 1006 wants vertex 35 ",
                        "5 m away from vertex 5", "which a pin holds", "m long; choose nearer places"}));
  const nlohmann::json taut = nlohmann::json::parse(result.out)["keyframes"][0]["reach"]["taut"];
  EXPECT_EQ(keys(taut), (std::vector<std::string>{"distance_m", "length_m", "other", "pinned", "vertex"}));
  EXPECT_EQ(taut["vertex"], 35);
  EXPECT_EQ(taut["other"], 5);
  EXPECT_EQ(taut["pinned"], true);
  EXPECT_NEAR(taut["distance_m"], 5.0, 1e-9);
  EXPECT_NEAR(taut["length_m"], 0.25, 1e-9);
  EXPECT_TRUE(says(dry_run(shot_text() + mark).err,
                   {"lies 4.75 m from where vertex 35", "13 times the cloth's size of 0.354 m"}));
}

// What lies between a landmark and the cloth's start is no triangle that anybody asks for.
TEST_F(CliReachTest, ALandmarkStretchesNothing) {
  const std::string material = "[cloth.material]\nstrain_limit = 0.1\n";
  EXPECT_EQ(dry_run(shot_text() + material + pin_text() +
                    "[[keyframe]]\nframe = 1006\nlandmarks = [[35, 0.2, -0.1, 0.15]]\n")
                .err,
            "");
}

TEST_F(CliReachTest, WhatTakesMoreThanAShotCanMean) {
  folder_.write("key.obj", sheet([](double&, double&, double& z) { z += 2000.0; }));
  EXPECT_TRUE(
      says(dry_run(shot_text() + keyframe_text()).err, {"scene.toml:8:8: the target at frame 1006 takes ",
                                                        " g on the straight way from the first "
                                                        "frame, 2000 m within 0.208 s",
                                                        "more than a shot can mean"}));
}

// 6 of 36 vertices move at 0.24 m/s: that alone leaves 0.098 m/s RMS.
TEST_F(CliReachTest, ALoopWhosePinsMoveOtherwise) {
  for (int f = 0; f < 6; ++f)
    folder_.write(fmt::format("pins.{}.obj", 1001 + f), sheet([f](double&, double&, double& z) {
                    z = 0.01 * (f == 5 ? 0 : f == 4 ? 1 : 0);
                  }));
  EXPECT_TRUE(says(dry_run(shot_text() + pin_text() + "motion = \"pins.####.obj\"\n" +
                           "[[keyframe]]\nframe = 1006\nloop = true\nvelocity_weight = 1\ntolerance = 0.01\n"
                           "velocity_tolerance = 0.03\n")
                       .err,
                   {"the target at frame 1006: pins move 6 of its vertices at another velocity",
                    "by 0.24 m/s; that alone leaves 0.098 m/s RMS, and velocity_tolerance is 0.03"}));
}

// What a target does not ask for may lie anywhere in its mesh.
TEST_F(CliReachTest, WhatIsNotAskedForIsOfNoSize) {
  folder_.write("rest.obj",
                sheet() + "g hem\np 25 26 27 28 29 30 31 32 33 34 35 36\ng row\np 31 32 33 34 35 36\n");
  const auto is_hem = [](double y) { return y < -0.19; };
  folder_.write("key.obj", sheet([&](double& x, double& y, double& z) {
                  if (is_hem(y))
                    z += 0.02;
                  else
                    x *= 100, y *= 100;
                }));
  for (const char* group : {"hem", "row"})
    EXPECT_FALSE(says(dry_run(scene_text() + fmt::format("group = \"{}\"\n", group)).err, {"its edges are"}));
  folder_.write("key.obj", sheet([&](double& x, double& y, double&) {
                  if (is_hem(y)) x *= 100, y *= 100;
                }));
  folder_.write("scene.toml", scene_text() + "group = \"hem\"\n");
  const ProgramResult large = run({"solve", "scene.toml", "--dry-run"});
  EXPECT_EQ(large.exit_code, 3);
  EXPECT_TRUE(says(large.err, {"its edges are 100 times as long as the cloth's"}));
}

TEST_F(CliReachTest, WhatIsNotAskedForHasNoAxes) {
  folder_.write("rest.obj", sheet() + "g top\np 1 2 3 4 5 6 7 8 9 10 11 12\n");
  folder_.write("key.obj", sheet([](double&, double& y, double& z) {
                  if (y < -0.06) z = -y, y = 0;
                }));
  EXPECT_TRUE(says(dry_run(scene_text()).err, {"turned by 90 degrees about x"}));
  EXPECT_FALSE(says(dry_run(scene_text() + "group = \"top\"\n").err, {"turned by 90 degrees about x"}));
}

TEST_F(CliReachTest, ATargetOfPinnedVerticesAlone) {
  folder_.write("rest.obj", sheet() + "g top\np 1 2 3\n");
  EXPECT_TRUE(
      says(dry_run(scene_text() + "group = \"top\"\n").err,
           {"asks for nothing that can move: pins hold all of its vertices; choose others by group"}));
  // Landmarks have neither group nor weights.
  const std::string landmarks =
      dry_run(shot_text() + pin_text() + "[[keyframe]]\nframe = 1006\nlandmarks = [[0, 0, 0, 0.1]]\n").err;
  EXPECT_TRUE(says(landmarks, {"take them out of landmarks", "choose others, or release the pin"}))
      << landmarks;
  EXPECT_FALSE(says(landmarks, {"group or weights"})) << landmarks;
}

// How fast it has to be taken there is said of the last frame at which it may be met.
TEST_F(CliReachTest, AWayEndsWithTheWindow) {
  const std::string scene = shot_text() + pin_text() + "[[keyframe]]\nframe = 1003\nmesh = \"key.obj\"\n";
  EXPECT_FALSE(says(dry_run(scene).out, {"the last of its window"}));
  const std::string sliding = scene + "window = \"1002-1006\"\n";
  EXPECT_TRUE(says(dry_run(sliding).out, {"from the first frame to 1006, the last of its window"}));
  const auto plan = nlohmann::json::parse(dry_run(sliding, "--json").out);
  const nlohmann::json& way = plan["keyframes"][0]["reach"]["way"];
  EXPECT_EQ(way["from_frame"], 1001);
  EXPECT_EQ(way["to_frame"], 1006);
}

// A ball that flies through the pose: at another frame of its window it is out of the way.
TEST_F(CliReachTest, ABodyThatPassesWithinAWindow) {
  const auto said = [&](const std::string& from, const std::string& to) {
    return dry_run(
               shot_text() + pin_text() + "[contact]\nself = false\n[[collider]]\n" +
               "sphere = { center = [0.125, -0.18, 0.08], radius = 0.04 }\n" +
               fmt::format("translate = [[1003, {}], [1004, [0, 0, 0]], [1006, {}]]\n", from, to) +
               "[[keyframe]]\nframe = 1004\nwindow = \"1003-1006\"\nmesh = \"key.obj\"\ntolerance = 0.02\n")
        .err;
  };
  EXPECT_EQ(said("[3, 0, 0]", "[-3, 0, 0]"), "");
  const std::string always = said("[0, 0, 0]", "[-0.05, 0, 0]");
  EXPECT_TRUE(says(always, {"the target at frame 1004 (at best, at frame ",
                            " of its window) lies within the [[collider]]", "no cloth can take this shape"}))
      << always;
}

// The mesh that velocities come with is not asked for, however it lies.
TEST_F(CliReachTest, VelocitiesHaveNoAxes) {
  folder_.write("flat.obj", sheet([](double&, double& y, double& z) { z = -y, y = 0.0; }));
  const auto said = [&](const std::string& weight) {
    return dry_run(shot_text() + "[[keyframe]]\nframe = 1006\nmesh = \"flat.obj\"\n" + weight +
                   "velocity_weight = 1\nvelocity = [0, 0, 1]\nvelocity_tolerance = 0.2\n")
        .err;
  };
  EXPECT_TRUE(says(said("weight = 1\n"), {"turned by 90 degrees about x"}));
  EXPECT_EQ(said("weight = 0\n"), "");
}

}  // namespace
}  // namespace keydrape
