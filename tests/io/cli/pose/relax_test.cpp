// `keydrape relax`: a pose that no cloth takes becomes one that a search meets.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "io/formats/obj.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

class CliRelaxTest : public CliFolder {
 protected:
  CliRelaxTest() {
    folder_.write("stretched.obj", sheet([](double&, double& y, double&) { y *= 1.2; }));
  }
};

TEST_F(CliRelaxTest, WithTheScenesPins) {
  const ProgramResult result =
      run({"relax", "stretched.obj", "--scene", "scene.toml", "-o", "relaxed.obj", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json summary = nlohmann::json::parse(result.out);
  EXPECT_EQ(summary["status"], "done");
  EXPECT_TRUE(summary["relaxed"]);
  EXPECT_EQ(summary["began_with"], "pose");
  EXPECT_NEAR(summary["before"]["stretch"], 0.2, 1e-6);
  EXPECT_LE(summary["after"]["stretch_99"], 0.01);
  // The sheet lies 0 to 50 mm lower than it begins, evenly: all of it stretch, and none of it left.
  EXPECT_NEAR(summary["asked_rms_m"], 0.05 / std::sqrt(3.0), 1e-3);
  EXPECT_TRUE(says(result.err, {"warning: ", "are taken back", "with folds in place of stretch"}));
  EXPECT_NEAR(summary["moved_max_m"], 0.05, 0.003);  // the hem, by all that it hung too low
  const TriangleMesh relaxed = read_obj(folder_ / "relaxed.obj");
  EXPECT_NEAR(relaxed.positions[0].y(), 0.0, 1e-6);
  EXPECT_NEAR(relaxed.positions[35].y(), -0.25, 0.003);
  // The pose is still strained for others, the relaxed one for nobody.
  folder_.write("scene.toml", shot_text() + pin_text() +
                                  "[[keyframe]]\nframe = 1006\nmesh = \"relaxed.obj\"\ntolerance = 0.005\n");
  EXPECT_EQ(run({"solve", "scene.toml", "--dry-run", "--quiet"}).err, "");
}

TEST_F(CliRelaxTest, OfAMeshAlone) {
  const ProgramResult result =
      run({"relax", "stretched.obj", "--mesh", "rest.obj", "-o", "relaxed.obj", "--progress", "lines"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(says(result.out, {"moved ", " mm RMS, at most ", "before: stretch 20.0 %", "after:  stretch 0.",
                                "relaxed.obj"}));
  // How far it has come is known to nobody.
  EXPECT_TRUE(says(result.err, {"progress round ", "forces of ", " of the weight are left"})) << result.err;
  EXPECT_FALSE(says(result.err, {"%"}));
  EXPECT_EQ(run({"relax", "stretched.obj", "--mesh", "rest.obj", "-o", "relaxed.obj"}).exit_code, 3);
  EXPECT_EQ(run({"relax", "stretched.obj", "--mesh", "rest.obj", "-o", "relaxed.obj", "--force"}).exit_code,
            0);
}

// There is no scene whose [shot] could say the unit.
TEST_F(CliRelaxTest, TheUnitOfAMeshAlone) {
  const auto large = [](double scale) {
    return [scale](double& x, double& y, double&) { x *= 100, y *= 100 * scale; };
  };
  folder_.write("large.obj", sheet(large(1.0)));
  folder_.write("large_pose.obj", sheet(large(1.2)));
  std::vector<std::string> relax = {"relax", "large_pose.obj", "--mesh", "large.obj", "-o", "relaxed.obj"};
  const ProgramResult doubted = run(relax);
  EXPECT_TRUE(says(doubted.err, {"implausibly large for metres; give --meters-per-unit (0.01"}));
  EXPECT_FALSE(says(doubted.err, {"[shot]"}));
  relax.insert(relax.end(), {"--force", "--json", "--meters-per-unit", "0.01"});
  const ProgramResult told = run(relax);
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_FALSE(says(told.err, {"implausibly"}));
  EXPECT_LT(nlohmann::json::parse(told.out)["moved_max_m"], 0.06);
  EXPECT_NEAR(
      read_obj(folder_ / "relaxed.obj").positions[5].x() - read_obj(folder_ / "relaxed.obj").positions[0].x(),
      25.0, 1.0);
  const ProgramResult both =
      run({"strain", "large_pose.obj", "--scene", "scene.toml", "--meters-per-unit", "2"});
  EXPECT_EQ(both.exit_code, 3);
  EXPECT_TRUE(says(both.err, {"strain: --meters-per-unit is of --mesh", "leave it out"}));
}

// The pose of a frame is that frame of a sequence, and what stands there stays.
TEST_F(CliRelaxTest, OfAFrame) {
  std::vector<std::string> relax = {"relax",   "stretched.obj", "--scene", "scene.toml",
                                    "--frame", "1004",          "-o",      "r.####.obj"};
  const ProgramResult first = run(relax);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_TRUE(first.out.ends_with("\nr.1004.obj\n")) << first.out;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "r.1004.obj"));
  EXPECT_TRUE(says(run(relax).err, {"r.1004.obj: exists", "--force"}));
  for (const char* out : {"r.txt", "nowhere/r.obj"}) {  // before the work, not after it
    relax.back() = out;
    const ProgramResult result = run(relax);
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_FALSE(says(result.err, {"progress"})) << result.err;
  }
  ASSERT_EQ(run({"relax", "stretched.obj", "--mesh", "rest.obj", "-o", "m.####.obj"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "m.0001.obj")) << "without a scene";
}

// Pins that move, and so would bodies: of a keyframe's pose, unless another frame is asked for.
TEST_F(CliRelaxTest, AtTheFrameOfItsKeyframe) {
  for (int f = 0; f < kFrames; ++f)
    folder_.write(fmt::format("pins.{}.obj", 1001 + f),
                  sheet([f](double& x, double&, double&) { x += 0.01 * f; }));
  folder_.write("scene.toml", shot_text() + pin_text() +
                                  "motion = \"pins.####.obj\"\n[[keyframe]]\nframe = 1003\n"
                                  "mesh = \"stretched.obj\"\n" +
                                  keyframe_text());
  const auto expect_at = [&](int frame, const std::string& pose, const std::vector<std::string>& more = {}) {
    std::vector<std::string> relax = {"relax", pose,          "--scene", "scene.toml",
                                      "-o",    "relaxed.obj", "--json",  "--force"};
    relax.insert(relax.end(), more.begin(), more.end());
    const ProgramResult result = run(relax);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(nlohmann::json::parse(result.out)["frame"], frame);
    EXPECT_NEAR(read_obj(folder_ / "relaxed.obj").positions[0].x(), 0.01 * (frame - 1001), 1e-6);
    EXPECT_TRUE(says(result.err, {fmt::format("scene.toml: pins and bodies stand as at frame {}", frame)}));
  };
  expect_at(1003, "stretched.obj");
  expect_at(1003, (folder_ / "stretched.obj").string());
  expect_at(1005, "stretched.obj", {"--frame", "1005"});
  expect_at(1006, "key.obj");
  expect_at(1006, "rest.obj");  // of no keyframe
  const ProgramResult strain = run({"strain", "stretched.obj", "--scene", "scene.toml", "--json"});
  ASSERT_EQ(strain.exit_code, 0) << strain.err;
  EXPECT_EQ(nlohmann::json::parse(strain.out)["frames"][0]["frame"], 1003);
}

// The cloth is where it is since pins hold it there, however well the pose is made.
TEST_F(CliRelaxTest, PinsThatHoldThePoseElsewhereAreNamed) {
  folder_.write("moved.obj", sheet([](double& x, double&, double&) { x += 0.05; }));
  const ProgramResult moved = run({"relax", "moved.obj", "--scene", "scene.toml", "-o", "relaxed.obj"});
  ASSERT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_TRUE(says(moved.err, {"relaxed.obj: pins hold 6 vertices elsewhere than the pose has them, vertex ",
                               " even 0.05 m away, as they stand at frame 1006", "release them"}))
      << moved.err;
  EXPECT_FALSE(says(moved.err, {"in place of stretch"}));
  EXPECT_FALSE(says(moved.err, {"wider folds"}));
  // Where it is the sculpt, too, both are told.
  folder_.write("both.obj", sheet([](double& x, double& y, double&) { x += 0.002, y *= 1.2; }));
  const ProgramResult both =
      run({"relax", "both.obj", "--scene", "scene.toml", "-o", "relaxed.obj", "--force"});
  ASSERT_EQ(both.exit_code, 0) << both.err;
  EXPECT_TRUE(says(both.err, {"pins hold 6 vertices elsewhere", "with folds in place of stretch"}))
      << both.err;
}

TEST_F(CliRelaxTest, Refusals) {
  const auto refused = [&](const std::vector<std::string>& arguments, const std::vector<std::string>& words) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_TRUE(says(result.err, words));
  };
  refused({"relax", "stretched.obj", "-o", "out.obj"}, {"expected either --mesh REST", "--scene SCENE.toml"});
  refused({"relax", "stretched.obj", "--mesh", "rest.obj", "--frame", "3", "-o", "out.obj"},
          {"--frame is of a scene"});
  refused({"relax", "stretched.obj", "--scene", "scene.toml", "--frame", "9", "-o", "out.obj"},
          {"--frame: found 9; expected 1001-1006"});
  refused({"relax", "none.obj", "--mesh", "rest.obj", "-o", "out.obj"}, {"none.obj", "cannot be read"});
  folder_.write("other.obj", sheet({}, 5));
  refused({"relax", "other.obj", "--mesh", "rest.obj", "-o", "out.obj"}, {"relax: POSE", "other.obj"});
  const std::string rest = folder_.read("rest.obj");
  refused({"relax", "stretched.obj", "--mesh", "rest.obj", "-o", "rest.obj", "--force"},
          {"rest.obj: is the mesh at rest, and would be written over"});
  refused({"relax", "stretched.obj", "--scene", "scene.toml", "-o", "stretched.obj", "--force"},
          {"stretched.obj: is POSE"});
  EXPECT_EQ(folder_.read("rest.obj"), rest);
  ASSERT_EQ(run({"convert", "stretched.obj", "pose.usda"}).exit_code, 0);  // its frame is 1
  refused({"relax", "pose.usda@1", "--mesh", "rest.obj", "-o", "pose.usda", "--force"},
          {"pose.usda: is POSE"});
}

}  // namespace
}  // namespace keydrape
