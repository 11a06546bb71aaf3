#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <string>

#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

using CliInspectTest = CliFolder;

TEST_F(CliInspectTest, InfoCountsWhatThereIs) {
  const ProgramResult result = run({"info", "rest.obj", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json info = nlohmann::json::parse(result.out);
  EXPECT_EQ(info["vertices"], 36);
  EXPECT_EQ(info["triangles"], 50);
  EXPECT_EQ(info["edges"], 85);   // Euler: V - E + F = 1
  EXPECT_EQ(info["hinges"], 65);  // 20 edges are boundary
  EXPECT_EQ(info["boundary_loops"], 1);
  EXPECT_EQ(info["components"], 1);
  EXPECT_NEAR(info["area"], 0.0625, 1e-9);
  EXPECT_NEAR(info["edge_length"]["min"], 0.05, 1e-9);
  EXPECT_NEAR(info["edge_length"]["max"], 0.05 * std::sqrt(2.0), 1e-9);
  EXPECT_EQ(info["uvs"], false);
  EXPECT_EQ(info["groups"]["cloth"], 36);
  EXPECT_TRUE(info["defect"].is_null());
  EXPECT_TRUE(says(run({"info", "rest.obj"}).out, {"vertices", "36", "boundary_loops"}));
}

TEST_F(CliInspectTest, InfoSaysWhatItCanOfAnOddSummary) {
  std::filesystem::create_directory(folder_ / "out");
  folder_.write("out/summary.json", R"({"status": "missed", "keyframes": [1], "tracks": 2})");
  const ProgramResult result = run({"info", "out"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(says(result.out, {"done, but a keyframe missed its tolerance"})) << result.out;
}

// What was missed is named, whatever it is that was asked for.
TEST_F(CliInspectTest, InfoNamesWhatIsAskedOfATarget) {
  const std::string shot = shot_text() + pin_text();
  folder_.write("scene.toml", shot);
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "still"}).exit_code, 0);
  folder_.write("scene.toml", shot +
                                  keyframe_text("tolerance = 0.08\ntolerance_max = 0.09\n"
                                                "velocity_weight = 1\nvelocity_tolerance = 0.3\n") +
                                  "[[track]]\ncache = \"still/simulated.pc2\"\nframes = \"1002-1005\"\n"
                                  "tolerance = 0.02\n");
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "out"}).exit_code, 0);
  const std::string info = run({"info", "out"}).out;
  EXPECT_TRUE(
      says(info, {"frame 1006: 60.2 mm RMS, at most 99.3 mm, 80 mm are allowed, no vertex beyond 90 mm; "
                  "velocities ",
                  " m/s, 0.3 are allowed: NOT reached; 60.2 mm without control",
                  "tracks     frames 1002-1005: ", " at frame 100", ", 20 mm are allowed: reached; "}))
      << info;
  // Of a run that was given forces nobody knows what the cloth does without.
  std::filesystem::create_directory(folder_ / "forced");
  folder_.write("forced/summary.json",
                R"({"keyframes": [{"frame": 3, "rms_m": 0.001, "max_m": 0.002, "uncontrolled_rms_m": null,
                "tolerance_m": null, "reached": true}], "tracks": [{"range": [1, 9], "rms_m": 0.001,
                "worst": {"frame": 4, "rms_m": 0.003}, "tolerance_m": 0.002, "reached": false}]})");
  EXPECT_TRUE(says(run({"info", "forced"}).out,
                   {"frame 3: 1 mm RMS, at most 2 mm\n",
                    "frames 1-9: 1 mm RMS, at worst 3 mm at frame 4, 2 mm are allowed: NOT reached\n"}));
}

// It may be a body as well, and a body may be as large as it likes.
TEST_F(CliInspectTest, InfoCallsAMeshWhatItIs) {
  folder_.write("floor.obj", sheet([](double& x, double& y, double&) { x *= 400, y *= 400; }));
  const ProgramResult result = run({"info", "floor.obj"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(
      says(result.err, {"floor.obj: the mesh measures 141 m across, as cloth implausibly large for"}));
  EXPECT_FALSE(says(result.err, {"the cloth"}));
}

TEST_F(CliInspectTest, InfoPrintsDefectsAndFails) {
  folder_.write("rest.obj", sheet() + "v 1 1 1\n");
  const ProgramResult result = run({"info", "rest.obj", "--json"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(says(nlohmann::json::parse(result.out)["defect"], {"vertex 36"}));
}

// Within a mesh, by itself, and turned over.
TEST_F(CliInspectTest, InfoCallsAFaceGivenTwiceThat) {
  std::istringstream words(sheet().substr(sheet().find("\nf ") + 2));
  std::string a, b, c;
  words >> a >> b >> c;
  const std::string corner = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  for (const std::string& mesh :
       {sheet() + fmt::format("f {} {} {}\n", a, b, c), sheet() + fmt::format("f {} {} {}\n", c, b, a),
        corner + "f 1 2 3\nf 2 3 1\n"}) {
    folder_.write("rest.obj", mesh);
    const ProgramResult result = run({"info", "rest.obj", "--json"});
    EXPECT_EQ(result.exit_code, 3);
    const nlohmann::json info = nlohmann::json::parse(result.out);
    EXPECT_TRUE(says(info["defect"], {"triangles 0 and ", "one face given twice"}));
    EXPECT_TRUE(says(info["warnings"].dump(), {"given twice (1 such in all)", "line "}));
  }
}

// Exporters write names in the encoding of their machine.
TEST_F(CliInspectTest, InfoReadsNamesThatAreNoUtf8) {
  folder_.write("rest.obj", "g Mieder_L\xe4nge\n" + sheet());
  const ProgramResult result = run({"info", "rest.obj", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(nlohmann::json::parse(result.out)["groups"].contains("Mieder_L\xef\xbf\xbdnge"));
}

TEST_F(CliInspectTest, CheckFindsTheDerivativesExact) {
  for (const std::string& keyframe : {keyframe_text(), std::string()}) {
    folder_.write("scene.toml", shot_text() + pin_text() + keyframe);
    const ProgramResult result = run({"check", "scene.toml", "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const nlohmann::json check = nlohmann::json::parse(result.out);
    EXPECT_EQ(keys(check),
              (std::vector<std::string>{"central_difference_error", "contact_changes", "contact_pairs",
                                        "contact_steps", "dot_product_error", "least_distance_m", "residual",
                                        "resolution", "resolved_error", "rounding_error", "taylor_order_mean",
                                        "taylor_orders"}));
    EXPECT_EQ(check["contact_pairs"], 0);
    EXPECT_TRUE(check["least_distance_m"].is_null());
    EXPECT_NEAR(check["taylor_order_mean"], 2.0, 0.1);
    EXPECT_LT(check["central_difference_error"], 1e-5);
    EXPECT_LT(check["dot_product_error"], 1e-9);
    EXPECT_LT(check["residual"], 1e-9);  // the rounding error of the residual: 1.3e-10 here
  }
}

// A coarse sheet that hangs straight bends within strains of 1e-5: rounding hides what the gradient leaves
// before that is quadratic, and differences decide.
TEST_F(CliInspectTest, CheckTellsSharpBendsFromWrongDerivatives) {
  for (const std::string& rest : {keyframe_text() + "[control]\nframes = \"1002-1005\"\n",
                                  std::string("[[keyframe]]\nframe = 1006\nloop = true\n")}) {
    folder_.write("scene.toml", shot_text() + "bending = \"quadratic\"\n" + pin_text() + rest);
    const ProgramResult result = run({"check", "scene.toml", "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const nlohmann::json check = nlohmann::json::parse(result.out);
    EXPECT_LT(check["taylor_orders"].size(), 5u);
    EXPECT_LT(check["central_difference_error"], std::max(1e-6, check["rounding_error"].get<double>()));
    EXPECT_LT(check["rounding_error"], 1e-3);
  }
}

// A silk hung by two corners, hardly damped, in wind: it amplifies what is changed until no difference
// resolves derivatives to a hundredth. They are as right as those of its first second.
TEST_F(CliInspectTest, CheckCallsNothingWrongThatARunAmplifies) {
  folder_.write("scene.toml",
                "[shot]\nframes = \"1001-1090\"\nsubsteps = 1\n[cloth]\nrest = \"rest.obj\"\n"
                "[cloth.material]\npreset = \"silk\"\ndamping = 0.0005\n[[pin]]\nvertices = [0, 5]\n"
                "[wind]\nvelocity = [1, 0, 8]\n[solver]\nintegrator = \"bdf2\"\n");
  const ProgramResult result = run({"check", "scene.toml", "--json"});
  const nlohmann::json check = nlohmann::json::parse(result.out);
  EXPECT_GT(check["resolution"], 1e-5);  // 0.08, and 1e-7 of 30 frames
  EXPECT_LT(check["resolved_error"], 3.0 * check["resolution"].get<double>());
  EXPECT_FALSE(says(result.err, {"derivatives are wrong"})) << result.err;
  const bool is_unknown = check["resolution"] >= 1e-2;
  EXPECT_EQ(result.exit_code, is_unknown ? 5 : 0);
  EXPECT_TRUE(says(result.err, {is_unknown ? "nobody can tell" : "as far as differences can tell"}));
}

TEST_F(CliInspectTest, CheckRefusesABadScene) {
  folder_.write("scene.toml", shot_text() + "[[pin]]\ngroup = \"waist\"\n");
  EXPECT_EQ(run({"check", "scene.toml"}).exit_code, 3);
}

// One force without an impulse is none; a single mode or vertex without a net force is refused.
TEST_F(CliInspectTest, CheckSaysWhereNothingThatIsChosenMatters) {
  const std::string scene = shot_text() + keyframe_text() + "[control]\n";
  folder_.write("scene.toml", scene + "net = \"zero-impulse\"\nframes = \"1002-1003\"\nmodes = 1\n");
  const ProgramResult result = run({"check", "scene.toml", "--json"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(
      says(result.err, {"nobody can tell: to first order nothing that may be chosen changes the goal"}))
      << result.err;
  folder_.write("one.txt", "3 1\n");
  for (const auto& [key, single] :
       {std::pair("weights = \"one.txt\"\n", "a single vertex"), {"modes = 1\n", "a single one of modes"}}) {
    folder_.write("scene.toml", scene + "net = \"zero-force\"\n" + key);
    const ProgramResult refused = run({"check", "scene.toml"});
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_TRUE(says(refused.err, {"[control] net: found \"zero-force\"", single})) << refused.err;
  }
}

// A goal of nothing has no derivatives that could be wrong.
TEST_F(CliInspectTest, CheckMakesUpAKeyframeWhereNoneHasWeight) {
  folder_.write("scene.toml", shot_text() + pin_text() + keyframe_text("tolerance = 0.02\nweight = 0\n"));
  const ProgramResult result = run({"check", "scene.toml", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(says(result.err, {"no keyframes with weight; the derivatives are tested with one made up"}))
      << result.err;
}

}  // namespace
}  // namespace keydrape
