// `keydrape strain`: how a pose, or a whole run, strains the cloth; with a map of it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/formats/npy.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

constexpr int kStretch = 0, kWeft = 3;  // columns of the map

class CliStrainTest : public CliFolder {
 protected:
  CliStrainTest() {
    folder_.write("stretched.obj", sheet([](double&, double& y, double&) { y *= 1.2; }));
  }
};

TEST_F(CliStrainTest, AMapHasTheFiguresOfADryRun) {
  // Pulled at the lower end alone, far from what pins hold: those triangles are no part of a target.
  folder_.write("pulled.obj", sheet([](double& x, double& y, double&) {
                  if (y < -0.24) y *= 1.1, x *= 1.02;
                }));
  folder_.write("scene.toml",
                shot_text() + pin_text() + "[[keyframe]]\nframe = 1006\nmesh = \"pulled.obj\"\n");
  const ProgramResult planned = run({"solve", "scene.toml", "--dry-run", "--json"});
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  const nlohmann::json plan = nlohmann::json::parse(planned.out)["keyframes"][0]["reach"]["strain"];

  const ProgramResult result =
      run({"strain", "pulled.obj", "--scene", "scene.toml", "-o", "map.npy", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["columns"][kStretch], "stretch");
  EXPECT_EQ(json["columns"][kWeft], "weft");
  ASSERT_EQ(json["frames"].size(), 1u);
  const nlohmann::json& strain = json["frames"][0]["strain"];
  EXPECT_EQ(json["frames"][0]["frame"], 1006);
  for (const char* key : {"stretch", "squeeze", "warp", "weft", "shear_rad", "limit"})
    EXPECT_EQ(strain[key], plan[key]) << key;
  EXPECT_GT(strain["stretch"]["strain"], 0.3);  // its last row is half as long again

  const NpyArray map = read_npy(folder_ / "map.npy");
  ASSERT_EQ(map.shape, (std::vector<std::int64_t>{1, 36, 6}));
  const auto columns = map.values.reshaped<Eigen::RowMajor>(36, 6);
  EXPECT_EQ(columns.col(kStretch).maxCoeff(), strain["stretch"]["strain"]);
  EXPECT_EQ(columns(strain["stretch"]["vertex"].get<int>(), kStretch), strain["stretch"]["strain"]);
  EXPECT_NEAR(columns(0, kStretch), 0.0, 1e-12);
}

TEST_F(CliStrainTest, EveryFrameOfARun) {
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "out"}).exit_code, 0);
  const ProgramResult result =
      run({"strain", "out/positions.npy", "--scene", "scene.toml", "-o", "map.npy", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json frames = nlohmann::json::parse(result.out)["frames"];
  ASSERT_EQ(frames.size(), 6u);
  EXPECT_EQ(frames[0]["frame"], 1001);
  EXPECT_LT(frames[0]["strain"]["stretch"]["strain"], 1e-9);  // at rest
  EXPECT_GT(frames[5]["strain"]["stretch"]["strain"], 0.0);   // hangs
  EXPECT_EQ(read_npy(folder_ / "map.npy").shape, (std::vector<std::int64_t>{6, 36, 6}));
  const ProgramResult one = run({"strain", "out/simulated.pc2@1004", "--scene", "scene.toml"});
  ASSERT_EQ(one.exit_code, 0) << one.err;
  EXPECT_FALSE(says(one.out, {"frame "}));
  EXPECT_TRUE(says(run({"strain", "out/simulated.pc2", "--scene", "scene.toml"}).out,
                   {"frame 1001: stretch 0.0 %", "frame 1006: stretch "}));
}

// A pose that is a frame is told, and measured, as of that frame; --frame says where the rest stands.
TEST_F(CliStrainTest, TheFrameThatAPoseNames) {
  for (const int frame : {1002, 1006}) folder_.write(fmt::format("pose.{}.obj", frame), sheet());
  folder_.write("scene.toml", shot_text() + "[cloth.material]\nstretch_scale = [[1002, 1], [1006, 1.25]]\n");
  const auto strain = [&](const std::string& pose, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"strain", pose, "--scene", "scene.toml", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out)["frames"][0];
  };
  const nlohmann::json early = strain("pose.####.obj@1002"), late = strain("pose.####.obj@last");
  EXPECT_EQ(early["frame"], 1002);
  EXPECT_NEAR(early["strain"]["squeeze"]["strain"], 0.0, 1e-9);
  EXPECT_EQ(late["frame"], 1006);
  EXPECT_NEAR(late["strain"]["squeeze"]["strain"], 0.2, 1e-9);
  const nlohmann::json elsewhere = strain("pose.####.obj@1002", {"--frame", "1006"});
  EXPECT_EQ(elsewhere["frame"], 1002);
  EXPECT_EQ(elsewhere["strain"], late["strain"]);
  EXPECT_EQ(strain("pose.1002.obj", {"--frame", "1003"})["frame"], 1003);
  EXPECT_EQ(strain("pose.1002.obj")["frame"], 1006);
}

TEST_F(CliStrainTest, OfAMeshAlone) {
  const ProgramResult result = run({"strain", "stretched.obj", "--mesh", "rest.obj"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(says(result.out, {"stretch 20.0 %", "100 % of its area beyond 5 %"}));
}

TEST_F(CliStrainTest, Refusals) {
  const auto refused = [&](const std::vector<std::string>& arguments, const std::vector<std::string>& words) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_TRUE(says(result.err, words)) << result.err;
  };
  refused({"strain", "stretched.obj"}, {"strain: expected either --mesh REST"});
  refused({"strain", "stretched.obj", "--mesh", "rest.obj", "-o", "map.csv"}, {"map.csv", ".npy"});
  refused({"strain", "stretched.obj", "--scene", "scene.toml", "--frame", "9"}, {"--frame: found 9"});
  folder_.write("other.obj", sheet({}, 5));
  refused({"strain", "other.obj", "--mesh", "rest.obj"}, {"POSE", "25 vertices, the rest mesh 36"});
  ASSERT_EQ(run({"strain", "stretched.obj", "--mesh", "rest.obj", "-o", "map.npy"}).exit_code, 0);
  refused({"strain", "stretched.obj", "--mesh", "rest.obj", "-o", "map.npy"}, {"map.npy: exists", "--force"});
  EXPECT_EQ(run({"strain", "stretched.obj", "--mesh", "rest.obj", "-o", "map.npy", "--force"}).exit_code, 0);
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "out"}).exit_code, 0);
  refused({"strain", "out/positions.npy", "--scene", "scene.toml", "--frame", "1002"},
          {"--frame is of a pose", "6 frames"});
  refused({"strain", "out/positions.npy", "--scene", "scene.toml", "-o", "out/positions.npy", "--force"},
          {"positions.npy: is POSE, and would be written over"});
}

}  // namespace
}  // namespace keydrape
