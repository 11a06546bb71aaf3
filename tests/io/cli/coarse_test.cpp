// Solving from coarse to fine (coarse_to_fine): what it leaves, what it refuses, and where it ends.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "io/run/search_json.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

class CliCoarseTest : public CliFolder {
 protected:
  void write_scene(const std::string& control, const std::string& more = {}) {
    folder_.write("scene.toml", shot_text() + pin_text() + more + keyframe_text("tolerance = 0.003\n") +
                                    "[control]\n" + control);
  }
  ProgramResult solve(const std::string& control, const std::string& more = {}) {
    write_scene(control, more);
    return run({"solve", "scene.toml", "-o", "out", "--no-report", "--force"});
  }
  std::string plan_with(const std::string& control) {
    write_scene(control);
    return run({"solve", "scene.toml", "--dry-run"}).out;
  }
  nlohmann::json levels() const { return read_json("out/summary.json")["levels"]; }
};

TEST_F(CliCoarseTest, BeginsOnACoarserMeshWithLongerSteps) {
  const ProgramResult result = solve("coarse_to_fine = [\"mesh\", \"step\"]\n");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  ASSERT_EQ(levels().size(), 1u);
  const nlohmann::json level = levels()[0];
  EXPECT_LE(level["vertices"], 14);
  EXPECT_EQ(level["substeps"], 1);
  EXPECT_GT(level["work"]["forward_simulations"], 1);
  EXPECT_GT(level["work"]["time_steps"], 0);
  ASSERT_EQ(level["keyframes"].size(), 1u);
  EXPECT_EQ(level["keyframes"][0]["frame"], 1006);
  EXPECT_LE(level["keyframes"][0]["rms_m"], 0.003);
  EXPECT_TRUE(says(result.err, {"coarser level of", "vertices, 1 substep: iteration 1"}));
  const std::string met = "within every tolerance: if it goes on";  // of the shot, and not of a level
  EXPECT_GT(result.err.find(met), result.err.find("coarser level of")) << result.err;
  EXPECT_NE(result.err.find(met), std::string::npos) << result.err;
  // Only the shot's own search is in its log: each of its runs is counted once, and the last may be refused.
  const nlohmann::json summary = read_json("out/summary.json");
  const int logged = read_json_lines("out/convergence.jsonl").back()["forward_simulations"];
  EXPECT_LE(logged, summary["work"]["forward_simulations"]);
  EXPECT_GE(logged + 1, summary["work"]["forward_simulations"]);
  EXPECT_EQ(summary["vertices"], 36);
  EXPECT_LE(summary["keyframes"][0]["rms_m"], 0.003);
}

// Where the scene does not say: of many vertices with tolerances, unless something is in the way.
TEST_F(CliCoarseTest, BeginsOnACoarserMeshByItself) {
  constexpr int kFine = 32;
  folder_.write("rest.obj", sheet({}, kFine));
  folder_.write("key.obj", sheet(
                               [](double&, double& y, double& z) {
                                 z = -0.3 * y;
                                 y *= 0.95;
                               },
                               kFine));
  ASSERT_LE(solve("max_forward_simulations = 2\n").exit_code, 4);
  ASSERT_EQ(levels().size(), 1u);
  EXPECT_LE(levels()[0]["vertices"], kFine * kFine / 3);
  EXPECT_EQ(levels()[0]["substeps"], 1);
  const std::string plan = "a quarter of the vertices and half the substeps";
  EXPECT_TRUE(says(plan_with(""), {plan}));
  for (const char* control : {"coarse_levels = 0\n", "effort = 1e-5\n", "start = \"zero\"\n",
                              "window = \"1002-1006\"\n", "method = \"lbfgs\"\n"})
    EXPECT_FALSE(says(plan_with(control), {plan})) << control;
  EXPECT_TRUE(
      says(plan_with("coarse_to_fine = [\"step\"]\n"), {"before it 1 search with half the substeps"}));
}

// As a search that goes on has it from its checkpoint; those from before velocities were kept have none.
TEST(CoarseLevels, KeepTheirVelocityMisses) {
  const FrameRange frames{1001, 1006};
  SearchState state;
  state.levels = {
      {.vertices = 9, .substeps = 2, .end = "met", .misses = {{0.01, 0.02, 0.3, 10}}, .work = {}}};
  nlohmann::ordered_json json = state_json(state, frames);
  const KeyframeMiss miss = state_of(json, frames).levels[0].misses[0];
  EXPECT_EQ(miss.velocity_rms, 0.3);
  EXPECT_EQ(miss.state, 10);
  json["levels"][0]["keyframes"][0].erase("velocity_rms_m_s");
  EXPECT_EQ(state_of(json, frames).levels[0].misses[0].velocity_rms, 0.0);
}

TEST_F(CliCoarseTest, StartsFromWhatTheCoarserLevelHasFound) {
  ASSERT_EQ(solve("coarse_to_fine = [\"step\"]\nmax_forward_simulations = 2\n").exit_code, 0);
  const nlohmann::json lines = read_json_lines("out/convergence.jsonl");
  // Without forces, and then along the coarse run: near its miss, far from the uncontrolled one.
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_LE(lines[1]["keyframes"][0]["rms_m"], 0.1 * lines[0]["keyframes"][0]["rms_m"].get<double>());
  EXPECT_EQ(levels()[0]["vertices"], 36);
}

// A pleat between every two vertices, of which a coarser cloth would have one, and be too wide.
TEST_F(CliCoarseTest, BeginsWithTheShotWhereKeyframesWrinkleFiner) {
  constexpr int kFine = 32;
  constexpr double kNarrow = 0.9, kEdge = 0.25 / (kFine - 1);
  folder_.write("rest.obj", sheet({}, kFine));
  folder_.write("key.obj", sheet(
                               [&](double& x, double&, double& z) {
                                 z = std::lround(x / kEdge) % 2 * kEdge * std::sqrt(1.0 - kNarrow * kNarrow);
                                 x *= kNarrow;
                               },
                               kFine));
  EXPECT_FALSE(says(plan_with(""), {"before it"}));
  EXPECT_TRUE(says(plan_with("coarse_to_fine = [\"mesh\"]\n"), {"before it 1 search"}));
}

// Of whose rest nothing is known.
TEST_F(CliCoarseTest, BeginsWithTheShotWhereFewVerticesAreWanted) {
  folder_.write("rest.obj", sheet({}, 32));
  const auto plan = [&](const std::string& more) {
    folder_.write("scene.toml", shot_text() + pin_text() +
                                    "[[keyframe]]\nframe = 1006\nlandmarks = [[1023, 0.25, -0.2, 0.05]]\n" +
                                    more);
    return run({"solve", "scene.toml", "--dry-run"}).out;
  };
  EXPECT_FALSE(says(plan(""), {"before it"}));
  EXPECT_TRUE(says(plan("[control]\ncoarse_to_fine = [\"mesh\"]\n"), {"before it 1 search"}));
}

TEST_F(CliCoarseTest, SaysWhatCannotBeCoarser) {
  const ProgramResult result = solve("coarse_to_fine = [\"mesh\", \"step\"]\ncoarse_levels = 9\n");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(says(result.err, {"of 9 coarser levels", "cannot be made coarser"}));
  const nlohmann::json levels = this->levels();
  ASSERT_GE(levels.size(), 1u);
  ASSERT_LT(levels.size(), 9u);
  for (std::size_t k = 1; k < levels.size(); ++k) EXPECT_LT(levels[k - 1]["vertices"], levels[k]["vertices"]);
}

TEST_F(CliCoarseTest, WithEverySpaceAndBound) {
  folder_.write("w.txt", [] {
    std::string text;
    for (int i = 0; i < kSide * kSide; ++i) text += fmt::format("{}\n", i < 12 ? 0.0 : 0.2 + 0.02 * i);
    return text;
  }());
  const std::string coarse = "coarse_to_fine = [\"mesh\", \"step\"]\n";
  for (const char* control :
       {"max_acceleration = 2.0\n", "knots_every = 2\n", "modes = 4\n", "net = \"zero-impulse\"\n",
        "hold = \"step\"\n", "weights = \"w.txt\"\n", "method = \"lbfgs\"\n", "effort = 1e-5\n"}) {
    const ProgramResult result = solve(coarse + control);
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 4) << control << result.err;
    ASSERT_EQ(levels().size(), 1u) << control;
    EXPECT_GT(levels()[0]["work"]["forward_simulations"], 1) << control;
  }
}

TEST_F(CliCoarseTest, WithEveryPinAndTarget) {
  folder_.write("surface.obj", swung_sheet(0.3));
  folder_.write("w.txt", [] {
    std::string text;
    for (int i = 0; i < kSide * kSide; ++i) text += i == 30 ? "1\n" : "0\n";
    return text;
  }());
  const std::string more =
      "[[pin]]\nvertices = [6, 7]\nstiffness = 20\n[[spring]]\npairs = [[8, 15]]\nstiffness = 5\n"
      "[[keyframe]]\nframe = 1004\nweights = \"w.txt\"\nmesh = \"surface.obj\"\nweight = 0.1\n"
      "[[keyframe]]\nframe = 1005\nsurface = \"surface.obj\"\nweight = 0.1\n"
      "[[keyframe]]\nframe = 1003\nlandmarks = [[35, 0.25, -0.24, 0.05]]\nweight = 0.1\n"
      "[[collider]]\nplane = {point = [0, -1, 0], normal = [0, 1, 0]}\n[wind]\nvelocity = [0, 0, 1]\n";
  const ProgramResult result = solve("coarse_to_fine = [\"mesh\"]\n", more);
  ASSERT_TRUE(result.exit_code == 0 || result.exit_code == 4) << result.err;
  ASSERT_EQ(levels().size(), 1u) << result.err;
  EXPECT_EQ(levels()[0]["keyframes"].size(), 4u);
}

// A map of velocities may name few vertices, any of which the coarser mesh would do without.
TEST_F(CliCoarseTest, KeepsAVertexOfEveryMapOfVelocities) {
  for (int vertex = kSide; vertex < kVertices; vertex += 2) {
    folder_.write("map.txt", fmt::format("{} 1\n", vertex));
    folder_.write("scene.toml", shot_text() + pin_text() +
                                    keyframe_text("tolerance = 0.003\nvelocity_weight = 0.1\n"
                                                  "velocity_weights = \"map.txt\"\n") +
                                    "[control]\neffort = 1e-4\ncoarse_to_fine = [\"mesh\"]\n"
                                    "max_forward_simulations = 2\n");
    const ProgramResult result = run({"solve", "scene.toml", "-o", "out", "--no-report", "--force"});
    ASSERT_LE(result.exit_code, 4) << result.err;
    ASSERT_EQ(levels().size(), 1u);
    EXPECT_NE(levels()[0]["end"], "the simulation failed at the start") << vertex;
    ASSERT_EQ(levels()[0]["keyframes"].size(), 1u) << vertex;
  }
}

TEST_F(CliCoarseTest, WhatDoesNotFitIsRefused) {
  const std::string coarse = "coarse_to_fine = [\"mesh\"]\n";
  for (const std::string& control :
       {coarse + "windows = {length = 3, overlap = 1}\n", coarse + "window = \"1002-1004\"\n",
        std::string("coarse_levels = 2\n"), coarse + "coarse_levels = 0\n",
        std::string("coarse_to_fine = [\"vertices\"]\n"),
        coarse + "[[control.channel]]\nkind = \"initial-velocity\"\n"})
    EXPECT_EQ(solve(control).exit_code, 3) << control;
}

}  // namespace
}  // namespace keydrape
