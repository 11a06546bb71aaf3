// Cloth that begins through itself, in the program: refused, or exempt, and then in simulations, searches,
// windows, takes and drapes alike.

#include <fmt/format.h>

#include <set>

#include "core/contact/pairs/intersection.h"
#include "io/formats/obj.h"
#include "tests/support/resumed_run.h"

namespace keydrape {
namespace {

class CliStartCrossingsTest : public ResumedRun {
 protected:
  CliStartCrossingsTest() { folder_.write("start.obj", crossed_sheet()); }

  static std::string scene(const std::string& contact, const std::string& more = "") {
    return "[shot]\nframes = \"1001-1012\"\nsubsteps = 4\n[cloth]\nrest = \"rest.obj\"\ninitial = "
           "\"start.obj\"\n[contact]\n" +
           contact + pin_text() + more;
  }
  static std::string exempt(const std::string& more = "") {
    return scene("start_crossings = \"exempt\"\n", more);
  }
  static std::string keyframe(double tolerance, const std::string& control) {
    return fmt::format("[[keyframe]]\nframe = 1012\nmesh = \"key.obj\"\ntolerance = {}\n[control]\n{}",
                       tolerance, control);
  }

  ProgramResult run_scene(const std::string& text, std::vector<std::string> words) const {
    folder_.write("scene.toml", text);
    words.insert(words.begin() + 1, "scene.toml");
    return run(words);
  }

  // Every step of the take that a solve has left in "out" is one of this scene, to the bit.
  void expect_repeated(int steps) const {
    const ProgramResult again = run({"simulate", "scene.toml", "--along", "out", "-o", "audit", "--force"});
    ASSERT_EQ(again.exit_code, 0) << again.err;
    EXPECT_TRUE(says(again.err, {fmt::format("{0} of {0} time steps end where the take says", steps)}));
    EXPECT_EQ(folder_.read("audit/positions.npy"), folder_.read("out/positions.npy"));
    EXPECT_EQ(read_json("audit/summary.json")["start_crossings"],
              read_json("out/summary.json")["start_crossings"]);
  }
};

TEST_F(CliStartCrossingsTest, AreRefusedUnlessTheyAreExempt) {
  const ProgramResult refused = run_scene(scene(""), {"simulate", "-o", "out"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(
      says(refused.err, {"the cloth goes through itself in 20 places",
                         "repair = true tries to draw the cloth out", "start_crossings = \"exempt\""}));
}

TEST_F(CliStartCrossingsTest, ComeApartAndAreReported) {
  const ProgramResult result = run_scene(exempt(), {"simulate", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(
      says(result.err, {"[contact] start_crossings: at the first frame the cloth goes through itself "
                        "in 20 places along 1 curve, the first where the edge of vertices 7 and 12",
                        "start_crossings: of 1 curves", " 0 left, the last that came apart in frame"}));
  const nlohmann::json crossings = read_json("out/summary.json")["start_crossings"];
  EXPECT_EQ(keys(crossings), (std::vector<std::string>{"curves", "curves_left", "last_parted_frame",
                                                       "near_pairs", "near_pairs_left", "places"}));
  EXPECT_EQ(crossings["places"], 20);
  EXPECT_EQ(crossings["curves"], 1);
  EXPECT_EQ(crossings["curves_left"], 0);
  EXPECT_GT(crossings["last_parted_frame"], 1001);
  EXPECT_LT(crossings["last_parted_frame"], 1008);
  for (const nlohmann::json& step : read_json_lines("out/steps.jsonl"))
    EXPECT_TRUE(step["elastic_J"].is_number());
  // Where nothing crosses there is nothing to say.
  folder_.write("start.obj", swung_sheet(0.2));
  const ProgramResult clean = run_scene(exempt(), {"simulate", "-o", "out", "--force"});
  EXPECT_EQ(clean.exit_code, 0) << clean.err;
  EXPECT_EQ(clean.err.find("start_crossings"), std::string::npos);
  EXPECT_FALSE(read_json("out/summary.json").contains("start_crossings"));
}

// The upper row cannot follow a fabric that shrinks; what crosses is not in the way of that.
TEST_F(CliStartCrossingsTest, AreNotBlamedForAStepThatAStrainLimitBlocks) {
  const ProgramResult result = run_scene(scene("start_crossings = \"exempt\"\nthickness = 0.01\n",
                                               "[cloth.material]\npreset = \"cotton\"\nstrain_limit = 0.12\n"
                                               "stretch_scale = [[1001, [1, 1]], [1002, [0.5, 0.5]]]\n"),
                                         {"simulate", "-o", "out"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(says(result.err, {"in 20 places along 1 curve", "; 50 triangles are beyond the strain limit"}));
  EXPECT_EQ(result.err.find("too near to itself"), std::string::npos) << result.err;
}

TEST_F(CliStartCrossingsTest, ASearchGoesOnToTheBit) {
  const auto solve = [&](int budget, const std::string& to) {
    const std::string control = fmt::format("max_forward_simulations = {}\n", budget);
    folder_.write("scene.toml", exempt(keyframe(1e-4, control)));
    return run(solve_into(to));
  };
  const ProgramResult whole = solve(5, "whole");
  ASSERT_TRUE(whole.exit_code == 0 || whole.exit_code == 4) << whole.err;
  solve(3, "out");
  const ProgramResult resumed = solve(5, "out");
  ASSERT_EQ(resumed.exit_code, whole.exit_code) << resumed.err;
  EXPECT_TRUE(says(resumed.err, {"resumed after iteration"}));
  expect_same_results("whole", "out");
  expect_repeated(44);
}

TEST_F(CliStartCrossingsTest, WindowsBeginWithWhatIsLeft) {
  const std::string windows = "max_forward_simulations = 3\n[control.windows]\nlength = 6\noverlap = 1\n";
  const ProgramResult result =
      run_scene(exempt(keyframe(0.1, windows)), {"solve", "-o", "out", "--no-report"});
  ASSERT_TRUE(result.exit_code == 0 || result.exit_code == 4) << result.err;
  expect_repeated(44);
}

TEST_F(CliStartCrossingsTest, ADrapeBringsThemApart) {
  const ProgramResult result = run_scene(exempt(), {"drape", "-o", "rest_pose"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(says(result.err, {"in 20 places along 1 curve"}));
  const auto places_in = [&](const std::string& name) {
    const TriangleMesh mesh = read_obj(folder_ / name);
    return find_intersections(mesh.triangles, stacked(mesh.positions)).count;
  };
  EXPECT_EQ(places_in("start.obj"), 20);
  EXPECT_EQ(places_in("rest_pose/drape.obj"), 0);
}

TEST_F(CliStartCrossingsTest, LinearisedStepsTakeThemToo) {
  const ProgramResult result = run_scene(exempt(), {"simulate", "-o", "out", "--draft"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(read_json("out/summary.json")["start_crossings"]["curves"], 1);
}

}  // namespace
}  // namespace keydrape
