#include <fmt/format.h>

#include <algorithm>

#include "io/formats/npy.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

// Linearised steps through the program: [solver] integrator = "linearized", and previews.
class CliDraftTest : public CliFolder {
 protected:
  static std::string linearized(const std::string& rest = {}) {
    return scene_text() + rest + "[solver]\nintegrator = \"linearized\"\n";
  }
  VecX positions(const std::string& folder) const {
    return read_npy(folder_ / folder / "positions.npy").values;
  }
};

TEST_F(CliDraftTest, APreviewIsNearTheRunAndSaysHowFarItsStepsAreFromIt) {
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "whole"}).exit_code, 0);
  const ProgramResult result = run({"simulate", "scene.toml", "--draft", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("linearised steps: largest residual"), std::string::npos) << result.err;
  const nlohmann::json summary = read_json("out/summary.json");
  EXPECT_EQ(summary["integrator"], "linearized");
  EXPECT_EQ(keys(summary["draft"]), (std::vector<std::string>{"cut_steps", "largest_residual"}));
  EXPECT_GT(summary["draft"]["largest_residual"], 1e-8);
  EXPECT_EQ(summary["draft"]["cut_steps"], 0);
  EXPECT_LE(summary["work"]["newton_iterations"], 2 * summary["work"]["time_steps"].get<int>());
  EXPECT_FALSE(read_json("whole/summary.json").contains("draft"));
  const double off = (positions("out") - positions("whole")).lpNorm<Eigen::Infinity>();
  EXPECT_GT(off, 0.0);
  EXPECT_LT(off, 2e-3);
}

TEST_F(CliDraftTest, InfoSaysThatItIsADraft) {
  ASSERT_EQ(run({"simulate", "scene.toml", "--draft", "-o", "draft"}).exit_code, 0);
  EXPECT_TRUE(says(run({"info", "draft"}).out, {"done; a draft", "to look at alone"}));
}

// Who reads a run by its link is told what stands behind it, if that is not what the name says.
TEST_F(CliDraftTest, WhoReadsADraftOrAnotherScenesRunIsTold) {
  const std::string reads = shot_text() + "initial = \"scene_out/latest/simulated.pc2@1003\"\n" + pin_text();
  ASSERT_EQ(run({"simulate", "scene.toml", "--draft"}).exit_code, 0);
  folder_.write("next.toml", reads);
  const std::vector<std::string> dry = {"simulate", "next.toml", "--dry-run", "--quiet"};
  EXPECT_TRUE(says(run(dry).err, {"next.toml:6:11: [cloth] initial: found ",
                                  "latest/simulated.pc2, of a draft (take_001)", "to look at alone"}));
  ASSERT_EQ(run({"simulate", "scene.toml"}).exit_code, 0);
  EXPECT_EQ(run(dry).err, "");
  folder_.write("other.toml", scene_text() + "[output]\ndir = \"scene_out\"\n");
  ASSERT_EQ(run({"simulate", "other.toml", "--take", "a"}).exit_code, 0);
  EXPECT_TRUE(
      says(run(dry).err, {"and that run (a) is of another scene, other; name the take that is meant"}));
  EXPECT_TRUE(says(run({"info", "scene_out"}).out, {"scene_out/a\n", "scene      other\n"}));
  const ProgramResult real = run({"simulate", "next.toml"});
  EXPECT_TRUE(says(real.err, {"is of another scene, other"}));
  EXPECT_TRUE(says(folder_.read("next_out/latest/shot/shot.json"), {"is of another scene, other"}));
}

// A name that the scene itself gives its runs is not another scene's.
TEST_F(CliDraftTest, ARunIsCalledAsItsSceneSays) {
  folder_.write("scene.toml", shot_text("") + pin_text());
  std::string text = folder_.read("scene.toml");
  folder_.write("scene.toml", text.insert(text.find("substeps"), "name = \"sh010\"\n"));
  ASSERT_EQ(run({"simulate", "scene.toml"}).exit_code, 0);
  folder_.write("next.toml",
                shot_text() + "initial = \"scene_out/latest/simulated.pc2@1003\"\n" + pin_text());
  EXPECT_EQ(run({"simulate", "next.toml", "--dry-run", "--quiet"}).err, "");
}

TEST_F(CliDraftTest, APreviewRepeatsNoTake) {
  const ProgramResult result = run({"simulate", "scene.toml", "--draft", "--along", "whole", "-o", "out"});
  EXPECT_EQ(result.exit_code, 2) << result.err;
}

// What is exact is the gradient of the steps that are taken; the older recipe's is not.
TEST_F(CliDraftTest, ItsGradientIsExactAndSwappedIsNot) {
  folder_.write("scene.toml", linearized());
  const ProgramResult exact = run({"check", "scene.toml", "--json"});
  ASSERT_EQ(exact.exit_code, 0) << exact.err;
  const nlohmann::json check = nlohmann::json::parse(exact.out);
  EXPECT_NEAR(check["taylor_order_mean"], 2.0, 0.05);
  EXPECT_LT(check["central_difference_error"], 1e-7);
  EXPECT_LT(check["dot_product_error"], 1e-11);
  folder_.write("scene.toml", linearized("[control]\ngradient = \"swapped\"\n"));
  const ProgramResult swapped = run({"check", "scene.toml", "--json"});
  ASSERT_EQ(swapped.exit_code, 0) << swapped.err;
  EXPECT_GT(nlohmann::json::parse(swapped.out)["central_difference_error"], 1e-4);
}

TEST_F(CliDraftTest, ASearchWithItReachesTheKeyframe) {
  folder_.write("scene.toml", linearized());
  const ProgramResult result = run({"solve", "scene.toml", "-o", "out", "--no-report"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json summary = read_json("out/summary.json");
  EXPECT_EQ(summary["integrator"], "linearized");
  EXPECT_TRUE(summary.contains("draft"));
  EXPECT_EQ(summary["keyframes"][0]["reached"], true);
}

// Where its gradient does not exist a search is refused, a simulation is not.
TEST_F(CliDraftTest, ASearchInContactIsRefusedAndNothingPassesThrough) {
  folder_.write("scene.toml",
                linearized("[contact]\n[[collider]]\nplane = {point = [0, -0.4, 0], normal = [0, "
                           "1, 0]}\n"));
  for (const char* command : {"solve", "check"}) {
    const ProgramResult refused = run({command, "scene.toml"});
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_NE(refused.err.find("no exact gradient in contact"), std::string::npos) << refused.err;
  }
  // Without pins it falls, 0.3 m below its lower edge, and comes to lie.
  std::string falling = linearized(
      "[contact]\n[[collider]]\nplane = {point = [0, -0.26, 0], normal = [0.2, 1, "
      "0]}\n");
  falling.erase(falling.find(pin_text()), pin_text().size());
  folder_.write("scene.toml", falling);
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--force"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const VecX x = positions("out");
  for (Eigen::Index i = 0; i < x.size(); i += 3) EXPECT_GT(0.2 * x(i) + x(i + 1), -0.26);
}

TEST_F(CliDraftTest, AFabricAsUnknownIsRefused) {
  folder_.write("scene.toml", linearized("[[control.channel]]\nkind = \"material\"\nnumbers = [\"bend\"]\n"));
  const ProgramResult refused = run({"solve", "scene.toml"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("not differentiated by a [[control.channel]] of the fabric"), std::string::npos)
      << refused.err;
}

}  // namespace
}  // namespace keydrape
