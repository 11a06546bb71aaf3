#include <gtest/gtest.h>

#include <cmath>

#include "io/formats/npy.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

// Steps that are not solved, through the program: [solver] integrator = "prefactored", .., "explicit".
class CliRoundsTest : public CliFolder {
 protected:
  static std::string with(const std::string& integrator, const std::string& rest = {}) {
    return scene_text() + rest + "[solver]\nintegrator = \"" + integrator + "\"\n";
  }
  static std::string with_substeps(std::string text, int substeps) {
    const std::size_t shot = text.find("[shot]\n");
    const std::size_t old = text.find("substeps");
    if (old != std::string::npos) text.erase(old, text.find('\n', old) - old + 1);
    return text.insert(shot + 7, "substeps = " + std::to_string(substeps) + "\n");
  }
  VecX positions(const std::string& folder) const {
    return read_npy(folder_ / folder / "positions.npy").values;
  }
};

TEST_F(CliRoundsTest, SaysWhatIsLeftAndComesNearerWithMoreRounds) {
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "whole"}).exit_code, 0);
  double off = 1e300;
  for (const std::string rounds : {"2", "400"}) {
    folder_.write("scene.toml", with("prefactored") + "rounds = " + rounds + "\n");
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--force"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.err.find("rounds: largest residual"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("rounds a step"), std::string::npos) << result.err;
    const nlohmann::json summary = read_json("out/summary.json");
    EXPECT_EQ(summary["integrator"], "prefactored");
    EXPECT_EQ(summary["status"], "done");
    EXPECT_GT(summary["draft"]["largest_residual"], rounds == "2" ? 1e-3 : 1e-12);
    const double now = (positions("out") - positions("whole")).lpNorm<Eigen::Infinity>();
    EXPECT_LT(now, 0.3 * off);
    off = now;
  }
}

TEST_F(CliRoundsTest, EveryGradientIsExact) {
  for (const std::string integrator : {"prefactored", "remembering", "predictor", "descent"}) {
    const bool remembers = integrator == "remembering";
    folder_.write("scene.toml", remembers ? with("prefactored") + "rounds_memory = 5\n" : with(integrator));
    const ProgramResult result = run({"check", "scene.toml", "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const nlohmann::json check = nlohmann::json::parse(result.out);
    EXPECT_NEAR(check["taylor_order_mean"], 2.0, 0.05) << integrator;
    EXPECT_LT(check["central_difference_error"], 1e-6) << integrator;
    EXPECT_LT(check["dot_product_error"], 1e-10) << integrator;
  }
}

TEST_F(CliRoundsTest, ASearchWithRoundsReachesTheKeyframe) {
  folder_.write("scene.toml", with("prefactored"));
  const ProgramResult result = run({"solve", "scene.toml", "-o", "out", "--no-report"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json summary = read_json("out/summary.json");
  EXPECT_TRUE(summary.contains("draft"));
  EXPECT_EQ(summary["keyframes"][0]["reached"], true);
  // Of steps whose derivatives are never kept none are wanting for memory.
  const ProgramResult planned = run({"solve", "scene.toml", "--dry-run"});
  EXPECT_TRUE(says(planned.out, {"nothing of 10 steps"})) << planned.out;
  EXPECT_FALSE(says(planned.out, {"memory_gb"})) << planned.out;
}

// Of cloth this stiff the message says how many substeps would do, and so does a dry run of any integrator:
// with so many it runs, with fewer it does not.
// Steps that are not solved are not looked at whether they are: they are taken, and compared.
TEST_F(CliRoundsTest, ATakeIsRepeatedToTheBit) {
  for (const std::string integrator : {"prefactored", "descent", "linearized"}) {
    folder_.write("scene.toml", with(integrator));
    ASSERT_EQ(run({"solve", "scene.toml", "-o", "take", "--no-report", "--force"}).exit_code, 0);
    const ProgramResult again = run({"simulate", "scene.toml", "--along", "take", "-o", "again", "--force"});
    EXPECT_NE(again.err.find("10 of 10 time steps end where the take says"), std::string::npos) << again.err;
    EXPECT_EQ(positions("again"), positions("take"));
  }
}

TEST_F(CliRoundsTest, ExplicitStepsThatAreTooLongAreRefusedWithANumber) {
  folder_.write("scene.toml", with("explicit"));
  const ProgramResult refused = run({"simulate", "scene.toml", "-o", "out"});
  EXPECT_EQ(refused.exit_code, 3);
  const std::string found = "expected at least ";
  const std::size_t at = refused.err.find(found);
  ASSERT_NE(at, std::string::npos) << refused.err;
  const int substeps = std::stoi(refused.err.substr(at + found.size()));
  EXPECT_GT(substeps, 10);
  folder_.write("scene.toml", with("newton"));
  const ProgramResult planned = run({"simulate", "scene.toml", "--dry-run", "--json"});
  const nlohmann::json limits = nlohmann::json::parse(planned.out)["explicit_steps"];
  EXPECT_EQ(limits["symplectic"]["substeps"], substeps);
  folder_.write("scene.toml", with_substeps(with("explicit"), substeps - 1));
  EXPECT_EQ(run({"simulate", "scene.toml", "-o", "out"}).exit_code, 3);
  folder_.write("scene.toml", with_substeps(with("explicit"), substeps));
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--force"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("stages a step"), std::string::npos) << result.err;
}

// Whatever takes the steps, and where explicit ones could not be taken at all.
TEST_F(CliRoundsTest, ADryRunSaysHowLongExplicitStepsCouldBe) {
  const ProgramResult plain = run({"solve", "scene.toml", "--dry-run", "--json"});
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  const nlohmann::json limits = nlohmann::json::parse(plain.out)["explicit_steps"];
  EXPECT_NEAR(double(limits["rk4"]["longest_step_s"]) / double(limits["verlet"]["longest_step_s"]),
              std::sqrt(2.0), 0.2);  // damping takes from both, not alike
  for (const char* scheme : {"symplectic", "verlet", "midpoint", "euler"})
    EXPECT_GT(limits["rk4"]["longest_step_s"], limits[scheme]["longest_step_s"]) << scheme;
  folder_.write("scene.toml", with("bdf2", "[contact]\nthickness = 0.001\n"));
  const ProgramResult touching = run({"simulate", "scene.toml", "--dry-run", "--json"});
  ASSERT_EQ(touching.exit_code, 0) << touching.err;
  EXPECT_EQ(nlohmann::json::parse(touching.out)["explicit_steps"], limits);
  const std::string words = run({"simulate", "scene.toml", "--dry-run"}).out;
  EXPECT_TRUE(says(
      words, {"explicit steps", "substeps at least: symplectic " + limits["symplectic"]["substeps"].dump(),
              "without contact and strain limits"}))
      << words;
  EXPECT_FALSE(says(run({"solve", "scene.toml", "--dry-run"}).out, {"explicit steps"}));
}

// What has no gradient, or no take that could be gone on from, says so.
TEST_F(CliRoundsTest, RefusesSearchesThatItHasNoGradientFor) {
  folder_.write("scene.toml",
                with("prefactored", "[[control.channel]]\nkind = \"material\"\nnumbers = [\"bend\"]\n"));
  const ProgramResult material = run({"solve", "scene.toml"});
  EXPECT_EQ(material.exit_code, 3);
  EXPECT_NE(material.err.find("of the material, which their matrix depends on"), std::string::npos)
      << material.err;
}

}  // namespace
}  // namespace keydrape
