// Scenes that contradict themselves: refused where nothing is left to be solved for, warned of where a
// compromise may be meant; with both places, before anything is simulated.

#include <fmt/format.h>

#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

class CliContradictionTest : public CliFolder {
 protected:
  ProgramResult dry_run(const std::string& scene) {
    folder_.write("scene.toml", scene);
    return run({"solve", "scene.toml", "--dry-run", "--quiet"});
  }
  void refused(const std::string& scene, const std::vector<std::string>& words) {
    const ProgramResult result = dry_run(scene);
    EXPECT_EQ(result.exit_code, 3) << scene;
    EXPECT_TRUE(says(result.err, words));
    EXPECT_EQ(run({"solve", "scene.toml", "-o", "out", "--no-report"}).exit_code, 3);
  }
  void warned(const std::string& scene, const std::vector<std::string>& words) {
    const ProgramResult result = dry_run(scene);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(says(result.err, words));
  }
  void silent(const std::string& scene) {
    const ProgramResult result = dry_run(scene);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "") << scene;
  }
  static std::string pose(int frame, const std::string& mesh, double tolerance,
                          const std::string& more = "") {
    return fmt::format("[[keyframe]]\nframe = {}\nmesh = \"{}\"\ntolerance = {}\n{}", frame, mesh, tolerance,
                       more);
  }
};

TEST_F(CliContradictionTest, TwoPosesOnOneFrame) {
  folder_.write("back.obj", swung_sheet(-0.4));
  const std::string scene = shot_text() + pin_text();
  warned(scene + pose(1006, "key.obj", 0.005) + pose(1006, "back.obj", 0.004),
         {"scene.toml:14:8: the target at frame 1006 is ", " mm RMS from what scene.toml:10:8 asks for",
          "no shape is within 4 mm of the one and 5 mm of the other"});
  // Within both tolerances, at another frame, of other vertices, or only measured: no contradiction.
  silent(scene + pose(1006, "key.obj", 0.08) + pose(1006, "back.obj", 0.08));
  silent(scene + pose(1005, "key.obj", 0.005) + pose(1006, "back.obj", 0.005));
  silent(scene + pose(1006, "key.obj", 0.005) + pose(1006, "back.obj", 0.005, "weight = 0\n"));
  folder_.write("rest.obj", sheet() + "g low\np 31 32 33\ng high\np 7 8 9\n");
  silent(scene + pose(1006, "key.obj", 0.005, "group = \"low\"\n") +
         pose(1006, "key.obj", 0.005, "group = \"high\"\n"));
}

TEST_F(CliContradictionTest, NothingButWeightZero) {
  const std::string scene = shot_text() + pin_text();
  refused(scene + pose(1006, "key.obj", 0.005, "weight = 0\n"),
          {"scene.toml:8:1: weight: found 0 in every [[keyframe]] and [[track]]", "keydrape simulate"});
  EXPECT_EQ(run({"simulate", "scene.toml", "-o", "measured"}).exit_code, 0);
  silent(scene + pose(1006, "key.obj", 0.005, "weight = 0\n") + pose(1005, "key.obj", 0.005));
  silent(scene + pose(1006, "key.obj", 0.005, "weight = 0\nvelocity_weight = 1\nvelocity_tolerance = 1\n"));
}

TEST_F(CliContradictionTest, AWindowWithoutAKeyframe) {
  const std::string scene = shot_text() + pin_text() + pose(1006, "key.obj", 0.02);
  refused(scene + "[control]\nwindow = \"1002-1004\"\n",
          {"scene.toml:12:1: [control] window: found 1002-1004", "scene.toml:8:1 ask for other frames"});
  silent(scene + "[control]\nwindow = \"1002-1006\"\n");
  refused(shot_text() + pin_text() + pose(1003, "key.obj", 0.02) + "[control]\nframes = \"1003-1006\"\n",
          {"scene.toml:12:1: [control] frames: found 1003-1006", "scene.toml:8:1"});
  warned(scene + pose(1003, "key.obj", 0.02) + "[control]\nframes = \"1003-1006\"\n",
         {"the target at frame 1003: [control] frames of scene.toml:16:1 begin at 1003"});
}

// Of a track only the frames that it names by `every` ask for something.
TEST_F(CliContradictionTest, FramesThatATrackLeavesOut) {
  for (int frame = 1001; frame <= 1006; ++frame)
    folder_.write(fmt::format("track.{}.obj", frame), swung_sheet(0.05 * (frame - 1001)));
  const auto scene = [](int every, const char* control) {
    return shot_text() + pin_text() +
           fmt::format("[[track]]\ncache = \"track.####.obj\"\nevery = {}\n", every) + "[control]\n" +
           control;
  };
  refused(scene(5, "window = \"1002-1004\"\n"),
          {"scene.toml:11:1: [control] window: found 1002-1004", "scene.toml:8:1 ask for other frames"});
  silent(scene(2, "window = \"1002-1004\"\n"));
  refused(scene(3, "frames = \"1004-1006\"\n"),
          {"scene.toml:11:1: [control] frames: found 1004-1006", "scene.toml:8:1"});
  silent(scene(3, "frames = \"1003-1006\"\n"));
  const ProgramResult result = dry_run(scene(1, "frames = \"1003-1006\"\n"));
  EXPECT_TRUE(says(result.err, {"scene.toml:9:9: the target at frame 1002: [control] frames of "
                                "scene.toml:11:1 begin at 1003",
                                "begin them earlier, or the track later"}))
      << result.err;
  EXPECT_FALSE(says(result.err, {"the target at frame 1003"}));
  // What leaves no frame is its reader's to refuse, beside a table without weight, too.
  refused(scene(9, "window = \"1002-1004\"\n"), {"[[track]] every: found 9"});
}

// One pose in two tables: for positions and for velocities, at any of some frames and at one, or to measure.
TEST_F(CliContradictionTest, OnePoseForMoreThanOneThing) {
  const std::string scene = shot_text() + pin_text() + pose(1006, "key.obj", 0.005);
  for (const char* more :
       {"weight = 0\nvelocity_weight = 1\nvelocity_tolerance = 0.3\n",
        "velocity_weight = 1\nvelocity_tolerance = 0.3\n", "window = \"1004-1006\"\n", "weight = 0\n"})
    silent(scene + pose(1006, "key.obj", 0.005, more));
  warned(scene + pose(1006, "key.obj", 0.02, "weight = 2\n"),
         {"scene.toml:12:1: [[keyframe]]: asks for the same as scene.toml:8:1"});
}

TEST_F(CliContradictionTest, ATolerancesLargerThanTheCloth) {
  refused(shot_text() + pin_text() + pose(1006, "key.obj", 5),
          {"scene.toml:8:1: [[keyframe]] tolerance: found 5 m",
           "the whole cloth (scene.toml:5:8) is 35.4 cm large", "0.005 for 5 mm"});
  refused(shot_text() + pin_text() + pose(1006, "key.obj", 0.005, "tolerance_max = 20\n"),
          {"[[keyframe]] tolerance_max: found 20 m"});
  refused(shot_text() + pin_text() + "[[track]]\ncache = \"key.obj\"\ntolerance = 5\n",
          {"[[track]] tolerance: found 5 m"});
}

TEST_F(CliContradictionTest, PositionsInThePlaceOfForces) {
  folder_.write("scene.toml", scene_text());
  ASSERT_EQ(run({"solve", "scene.toml", "-o", "take", "--no-report"}).exit_code, 0);
  refused(scene_text() + "[control]\nrelative_to = \"take/positions.npy\"\n",
          {"scene.toml:13:15: [control] relative_to: ", "positions.npy: holds positions", "as forces.npy"});
  silent(scene_text() + "[control]\nrelative_to = \"take/forces.npy\"\n");
  const ProgramResult result =
      run({"simulate", "scene.toml", "--forces", "take/positions.npy", "-o", "astray"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(says(result.err, {"positions.npy: holds positions"}));
}

TEST_F(CliContradictionTest, APinThatLeaps) {
  for (int f = 0; f < 6; ++f)
    folder_.write(fmt::format("pins.{}.obj", 1001 + f),
                  sheet([f](double& x, double&, double&) { x += f >= 3 ? 50.0 : 0.0; }));
  warned(shot_text() + pin_text() + "motion = \"pins.####.obj\"\n" + keyframe_text(),
         {"scene.toml:8:10: [[pin]] motion: vertex 0 goes 50 m from frame 1003 to the next",
          "the cloth is 0.354 m large"});
}

}  // namespace
}  // namespace keydrape
