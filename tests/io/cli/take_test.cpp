// Notes on an accepted take ([control] relative_to): what belongs to it, what becomes of it, what is
// said of it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/base/types.h"
#include "io/formats/npy.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

class CliTakeTest : public CliFolder {
 protected:
  void write_scene(const std::string& control, const std::string& keyframe = keyframe_text()) {
    folder_.write("scene.toml", shot_text() + pin_text() + keyframe + "[control]\n" + control);
  }
  ProgramResult solve(const std::string& to) {
    return run({"solve", "scene.toml", "-o", to, "--force", "--no-report"});
  }
  VecX array(const std::string& name) const { return read_npy(folder_ / name).values; }
  double peak_in_file(const std::string& of) const {
    const VecX forces = array(of + "/forces.npy"), mass = array(of + "/shot/mass.npy");
    double peak = 0.0;
    for (int f = 0; f < kFrames; ++f)
      for (int i = 0; i < kVertices; ++i)
        peak =
            std::max(peak, forces.segment<3>(3 * (f * kVertices + i)).norm() / (mass(i) * kStandardGravity));
    return peak;
  }
  static bool says(const ProgramResult& result, const std::string& words) {
    return result.err.find(words) != std::string::npos;
  }
};

// What a scene reads is refused where its results would take its place, before anything is removed.
TEST_F(CliTakeTest, NoRunReplacesWhatItsSceneReads) {
  ASSERT_EQ(run({"solve", "scene.toml", "-o", "out", "--no-report"}).exit_code, 0);
  const auto contents = [&] {
    std::vector<std::string> bytes;
    for (const char* name : {"forces.npy", "steps.npy", "controlled.pc2", "summary.json", "shot/scene.toml"})
      bytes.push_back(folder_.read(std::string("out/") + name));
    return bytes;
  };
  const std::vector<std::string> before = contents();
  const auto expect_refused = [&](const std::vector<std::string>& words, const std::string& key) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 3) << key;
    EXPECT_TRUE(says(result, key) && says(result, "(-o)")) << result.err;
    EXPECT_EQ(contents(), before) << key;
  };
  write_scene("relative_to = \"out/forces.npy\"\n");
  expect_refused({"solve", "scene.toml", "-o", "out", "--force", "--no-report"}, "[control] relative_to");
  expect_refused({"solve", "scene.toml", "-o", "out", "--resume", "--no-report"}, "[control] relative_to");
  // Forces of another name stay; the steps beside them would not.
  std::filesystem::copy(folder_ / "out/forces.npy", folder_ / "out/accepted.npy");
  write_scene("relative_to = \"out/accepted.npy\"\n");
  expect_refused({"solve", "scene.toml", "-o", "./out/", "--force", "--no-report"}, "steps.npy");
  write_scene("", "[[keyframe]]\nframe = 1006\nmesh = \"out/controlled.pc2@1004\"\n");
  expect_refused({"solve", "scene.toml", "-o", "out", "--force", "--no-report"}, "[[keyframe]] mesh");
  write_scene("", keyframe_text() + "[[collider]]\nmesh = \"out/shot/rest.obj\"\nas = \"surface\"\n");
  expect_refused({"simulate", "scene.toml", "-o", "out", "--force"}, "[[collider]] mesh");
  std::filesystem::create_directories(folder_ / "out/ply");
  for (int frame = 1001; frame <= 1006; ++frame)
    ASSERT_EQ(run({"convert", "out/controlled.pc2", fmt::format("out/ply/simulated.{}.ply", frame), "--mesh",
                   "rest.obj", "--frames", fmt::format("{}", frame)})
                  .exit_code,
              0);
  write_scene("", "[[track]]\ncache = \"out/ply/simulated.####.ply\"\n");
  expect_refused({"solve", "scene.toml", "-o", "out", "--force", "--no-report"}, "[[track]] cache");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/ply/simulated.1003.ply"));
  folder_.write("scene.toml", scene_text());
  expect_refused({"simulate", "scene.toml", "-o", "out", "--force", "--along", "out"}, "--along");
  expect_refused({"simulate", "scene.toml", "-o", "out", "--force", "--forces", "out/forces.npy"},
                 "--forces");
  EXPECT_EQ(run({"simulate", "scene.toml", "-o", "again", "--along", "out"}).exit_code, 0);
}

// forces.npy of a take whose forces change within frames holds means; the take is what stands beside it.
TEST_F(CliTakeTest, ANoteOnForcesOfEveryStepKeepsTheTake) {
  write_scene("hold = \"step\"\n", keyframe_text("tolerance = 0.005\n"));
  ASSERT_EQ(solve("take").exit_code, 0);
  folder_.write("key.obj", swung_sheet(0.55));
  const std::string note = "hold = \"step\"\nwindow = \"1004-1006\"\nrelative_to = \"take/{}\"\n";
  write_scene(fmt::format(fmt::runtime(note), "forces.npy"), keyframe_text("tolerance = 0.01\n"));
  const ProgramResult result = solve("out");
  EXPECT_FALSE(says(result, "do not lead here")) << result.err;
  const auto until_the_window = [&](const std::string& name, int frames) {
    return VecX(array(name).head(3 * kVertices * frames));
  };
  EXPECT_EQ(until_the_window("out/positions.npy", 4), until_the_window("take/positions.npy", 4));
  EXPECT_EQ(until_the_window("out/forces.npy", 3), until_the_window("take/forces.npy", 3));
  EXPECT_NE(array("out/forces.npy"), array("take/forces.npy"));
  write_scene(fmt::format(fmt::runtime(note), "forces_steps.npy"), keyframe_text("tolerance = 0.01\n"));
  solve("by_steps");
  EXPECT_EQ(array("out/forces_steps.npy"), array("by_steps/forces_steps.npy"));
}

// Whatever the note's own forces are held for, it can be repeated.
TEST_F(CliTakeTest, ANoteByFramesOnForcesOfEveryStepCanBeRepeated) {
  write_scene("hold = \"step\"\n", keyframe_text("tolerance = 0.005\n"));
  ASSERT_EQ(solve("take").exit_code, 0);
  folder_.write("key.obj", swung_sheet(0.55));
  write_scene("relative_to = \"take/forces.npy\"\n", keyframe_text("tolerance = 0.01\n"));
  ASSERT_EQ(solve("out").exit_code, 0);
  EXPECT_EQ(array("out/forces_steps.npy").size(), 3 * kVertices * 10);
  EXPECT_NE(array("out/forces.npy"), array("take/forces.npy"));
  const ProgramResult again = run({"simulate", "scene.toml", "-o", "again", "--along", "out"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_FALSE(says(again, "does not solve the equation")) << again.err;
  EXPECT_EQ(array("again/positions.npy"), array("out/positions.npy"));
}

TEST_F(CliTakeTest, ATakeThatLeadsElsewhereIsToldOf) {
  ASSERT_EQ(solve("take").exit_code, 0);
  const std::string note = "[control]\nrelative_to = \"take/forces.npy\"\n";
  const auto write = [&](const std::string& material) {
    folder_.write("scene.toml", shot_text() + "material = \"" + material + "\"\n" + pin_text() +
                                    keyframe_text("tolerance = 0.1\n") + note);
  };
  write("cotton");
  EXPECT_FALSE(says(solve("out"), "do not lead here"));
  write("denim");
  ProgramResult result = solve("out");
  EXPECT_TRUE(says(result, "do not lead here where its steps.npy says: from frame 100")) << result.err;
  // Without steps by its frames.
  std::filesystem::remove(folder_ / "take/steps.npy");
  result = solve("out");
  EXPECT_TRUE(says(result, "do not lead here where its positions.npy says")) << result.err;
}

TEST_F(CliTakeTest, NetForcesAreThoseOfTheNote) {
  ASSERT_EQ(solve("take").exit_code, 0);
  folder_.write("key.obj", swung_sheet(0.5));
  write_scene("net = \"zero-force\"\nrelative_to = \"take/forces.npy\"\n");
  const ProgramResult result = solve("out");
  EXPECT_TRUE(says(result, "[control] net: holds of what is added to the take")) << result.err;
  const VecX take = array("take/forces.npy"), added = array("out/forces.npy") - take;
  EXPECT_FALSE(added.isZero(1e-6));
  for (int f = 0; f < kFrames; ++f) {
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < kVertices; ++i) sum += added.segment<3>(3 * (f * kVertices + i));
    EXPECT_LE(sum.norm(), 1e-12 * take.norm()) << f;
  }
}

// Also where and when a note may not push.
TEST_F(CliTakeTest, PeakIsThatOfTheFileAndABoundThatItPassesIsToldOf) {
  ASSERT_EQ(solve("take").exit_code, 0);
  const double peak = read_json("take/summary.json")["effort"]["peak_g"];
  EXPECT_NEAR(peak, peak_in_file("take"), 1e-12 * peak);
  folder_.write("key.obj", swung_sheet(0.42));
  for (const char* part : {"frames", "window"}) {
    write_scene(fmt::format("{} = \"1005-1006\"\nmax_acceleration = {}\nrelative_to = \"take/forces.npy\"\n",
                            part, 0.5 * peak),
                keyframe_text("tolerance = 0.1\n"));
    const ProgramResult result = solve("out");
    EXPECT_NEAR(read_json("out/summary.json")["effort"]["peak_g"], peak_in_file("out"), 1e-12 * peak) << part;
    EXPECT_GT(peak_in_file("out"), 0.5 * peak) << part;
    EXPECT_TRUE(says(result, "[control] max_acceleration: the take reaches")) << result.err;
  }
}

// A checkpoint's forces do not fit other vertices, be they as many.
TEST_F(CliTakeTest, ForcesOfOtherVerticesAreNoStart) {
  for (const bool left : {true, false}) {
    std::string weights;
    for (int i = 0; i < kVertices; ++i) weights += (i % kSide < kSide / 2) == left ? "1\n" : "0\n";
    folder_.write(left ? "left.txt" : "right.txt", weights);
  }
  const std::string budget = "max_forward_simulations = 2\n", keyframe = keyframe_text("tolerance = 1e-5\n");
  const std::string early = "frames = \"1001-1005\"\n";
  write_scene("weights = \"left.txt\"\n" + early + budget, keyframe);
  ASSERT_EQ(solve("out").exit_code, 4);
  const std::vector<std::string> go_on = {"solve",    "scene.toml", "-o",         "out",
                                          "--resume", "--force",    "--no-report"};
  for (const std::string& other : {"weights = \"right.txt\"\n" + early,
                                   std::string("weights = \"left.txt\"\nframes = \"1002-1006\"\n")}) {
    write_scene(other + budget, keyframe);
    const ProgramResult result = run(go_on);
    EXPECT_EQ(result.exit_code, 3) << other;
    EXPECT_TRUE(says(result, "its forces do not fit any more")) << result.err;
  }
  write_scene("weights = \"left.txt\"\nsmooth_time = 1e-3\n" + early + budget, keyframe);
  EXPECT_EQ(run(go_on).exit_code, 4);
}

}  // namespace
}  // namespace keydrape
