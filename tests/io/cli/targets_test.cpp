// Everything that a scene can ask the cloth to hit, by the program as a user runs it: tracks, surfaces of
// another topology, landmarks, windows of frames, loops.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/types.h"
#include "io/formats/npy.h"
#include "io/perform/result_text.h"
#include "io/run/run_records.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

class CliTargetsTest : public CliFolder {
 protected:
  ProgramResult solve(const std::string& targets, const std::string& control = "",
                      const std::string& out = "out") {
    folder_.write("scene.toml", shot_text() + pin_text() + targets + "[control]\n" + control);
    return run({"solve", "scene.toml", "-o", out, "--force", "--no-report"});
  }
  Vec3 position(int frame, int vertex) const {
    return read_npy(folder_ / "out/positions.npy").values.segment<3>(3 * (frame * kVertices + vertex));
  }
  // Of each frame, all vertices together [m/s^2].
  std::vector<double> forces_of_frames() const {
    const VecX all = read_npy(folder_ / "out/forces.npy").values;
    std::vector<double> norms;
    for (Eigen::Index i = 0; i < all.size(); i += 3 * kVertices)
      norms.push_back(all.segment(i, 3 * kVertices).norm());
    return norms;
  }
  void expect_exact(const std::string& scene) {
    folder_.write("scene.toml", scene);
    const ProgramResult result = run({"check", "scene.toml", "--json"});
    ASSERT_EQ(result.exit_code, 0) << scene << "\n" << result.err;
    const nlohmann::json figures = nlohmann::json::parse(result.out);
    EXPECT_GE(figures["taylor_order_mean"], 1.95) << scene;
    EXPECT_LE(figures["taylor_order_mean"], 2.05) << scene;
    EXPECT_LE(figures["central_difference_error"], 1e-6) << scene;
    EXPECT_LE(figures["dot_product_error"], 1e-10) << scene;
  }
};

// Within its tolerance, but for one vertex that is not: that has a reason too.
TEST_F(CliTargetsTest, AVertexThatIsTooFarIsExplained) {
  folder_.write("key.obj", sheet([](double& x, double& y, double& z) {
                  if (x == 0.0 && y == 0.0) z += 0.03;
                }));
  const ProgramResult result =
      solve("[[keyframe]]\nframe = 1006\nmesh = \"key.obj\"\ntolerance = 0.01\ntolerance_max = 0.01\n",
            "max_forward_simulations = 6\n");
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_TRUE(says(result.err, {"frame 1006: the farthest vertex is 30 mm off, tolerance_max is 10 mm; ",
                                "pins hold it back: 100 % of the squared miss", "which alone leave 30 mm"}))
      << result.err;
}

// The tolerance of the mean has room for one corner, and that of every vertex does not.
TEST_F(CliTargetsTest, AVertexThatAnotherKeyframeAsksForElsewhere) {
  const ProgramResult result =
      solve(keyframe_text("tolerance = 0.02\ntolerance_max = 0.02\n") +
                "[[keyframe]]\nframe = 1006\nlandmarks = [[35, 0.25, -0.2303, 0.0674]]\ntolerance = 0.005\n",
            "max_forward_simulations = 20\n");
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_TRUE(says(result.err, {"another keyframe asks for another pose on the same frame, 30 mm away"}))
      << result.err;
}

// 30 mm are held off by a pin: as many digits are said as it takes.
TEST_F(CliTargetsTest, AMissIsToldApartFromItsTolerance) {
  folder_.write("key.obj", sheet([](double& x, double& y, double& z) {
                  if (x == 0.0 && y == 0.0) z += 0.03;
                }));
  const std::string frame = "[[keyframe]]\nframe = 1006\n", few = "max_forward_simulations = 6\n";
  const ProgramResult vertex =
      solve(frame + "mesh = \"key.obj\"\ntolerance = 0.01\ntolerance_max = 0.02999\n", few);
  EXPECT_TRUE(says(vertex.err, {"the farthest vertex is 30 mm off, tolerance_max is 29.99 mm; "}))
      << vertex.err;
  const ProgramResult rms = solve(frame + "landmarks = [[0, 0, 0, 0.03]]\ntolerance = 0.0299999\n", few);
  EXPECT_TRUE(says(rms.err, {"the closest is 30 mm, its tolerance 29.9999 mm; "})) << rms.err;
}

// Wherever the search has measured the miss: its choice may be another one than that of the scene's weights.
TEST_F(CliTargetsTest, FarVerticesAreThoseOfTheFrameThatIsTold) {
  const std::string slides =
      "[[keyframe]]\nframe = 1006\nwindow = \"1003-1006\"\ntolerance = 0.001\ntolerance_max = 0.001\n";
  folder_.write("scene.toml",
                shot_text() + slides + "mesh = \"rest.obj\"\n" + slides + "surface = \"rest.obj\"\n");
  const Shot shot = open_shot(read_scene(folder_ / "scene.toml"));
  Trajectory run{};
  for (int n = 0; n <= shot.clock.step_count(); ++n) {
    run.states.push_back(shot.start());
    for (int i = 0; i < kVertices; ++i) run.states.back().x[3 * i + 2] += 0.01 * n;
  }
  const KeyframeMiss miss{0.1, 0.1, 0.0, shot.clock.step_count()};
  std::vector<KeyframeOutcome> keyframes = keyframe_outcomes(shot, {miss, miss}, {miss, miss});
  find_behind_misses(shot, run, keyframes);
  for (const KeyframeOutcome& keyframe : keyframes) {
    EXPECT_EQ(keyframe.frame, 1006);
    ASSERT_EQ(keyframe.far_vertices.size(), static_cast<std::size_t>(kVertices));
    EXPECT_NEAR(keyframe.far_vertices[0].distance, 0.1, 1e-9);
  }
  // The surface is told as bare as the cloth left it there.
  EXPECT_FALSE(keyframes[0].coverage);
  ASSERT_TRUE(keyframes[1].coverage);
  EXPECT_EQ(keyframes[1].coverage->bare, 1.0);
  EXPECT_NEAR(keyframes[1].coverage->farthest, 0.1, 1e-9);
  EXPECT_TRUE(bare_surface_sentences(keyframes).empty());  // it is not there, and told to miss it
  keyframes[1].miss.rms = 0.01;
  const std::vector<std::string> sentences = bare_surface_sentences(keyframes);
  ASSERT_EQ(sentences.size(), 1u);
  EXPECT_TRUE(says(sentences[0], {"frame 1006: the cloth leaves 100 % of the surface bare",
                                  "its rest mesh is large enough for all of it", "landmarks"}))
      << sentences[0];
}

TEST_F(CliTargetsTest, NoForceActsBehindTheLastTarget) {
  const std::string early = "[[keyframe]]\nframe = 1003\nmesh = \"key.obj\"\ntolerance = 0.02\n";
  for (const char* control : {"", "knots_every = 2\n"}) {
    const ProgramResult result = solve(early, control);
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 4) << result.err;
    const std::vector<double> frames = forces_of_frames();
    ASSERT_GE(frames.size(), 5u);
    EXPECT_GT(frames[0], 0.0);
    for (std::size_t k = frames.size() - 3; k < frames.size(); ++k) EXPECT_EQ(frames[k], 0.0) << control << k;
  }
  // A price on changes fades them out instead.
  solve(early, "smooth_time = 1\n");
  EXPECT_GT(forces_of_frames()[2], 0.0);
}

TEST_F(CliTargetsTest, ATrackIsFollowedInEveryFrame) {
  ASSERT_EQ(run({"solve", "scene.toml", "-o", "take", "--no-report"}).exit_code, 0);
  const ProgramResult result = solve("[[track]]\ncache = \"take/controlled.pc2\"\ntolerance = 0.001\n");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json summary = read_json("out/summary.json");
  EXPECT_TRUE(summary["keyframes"].empty());
  ASSERT_EQ(summary["tracks"].size(), 1u);
  const nlohmann::json& track = summary["tracks"][0];
  EXPECT_EQ(keys(track),
            (std::vector<std::string>{"frame_rms_m", "frames", "max_m", "most_strained", "range", "reached",
                                      "rms_m", "tolerance_m", "uncontrolled_rms_m", "worst"}));
  EXPECT_EQ(keys(track["most_strained"]), (std::vector<std::string>{"frame", "reach"}));
  EXPECT_EQ(track["frames"], (std::vector<int>{1002, 1003, 1004, 1005, 1006}));
  for (const double rms : track["frame_rms_m"]) EXPECT_LE(rms, 0.001);
  EXPECT_LE(track["worst"]["rms_m"], 0.001);
  EXPECT_GT(track["uncontrolled_rms_m"], 0.001);
  EXPECT_TRUE(track["reached"]);
  EXPECT_TRUE(says(result.err, {"track 1001-1006: ", "50 triangles, 5 frames of tracks"})) << result.err;
  const nlohmann::json line = read_json_lines("out/convergence.jsonl").back();
  EXPECT_TRUE(line["keyframes"].empty());
  EXPECT_NEAR(line["tracks"][0]["rms_m"], track["rms_m"].get<double>(), 1e-9);
}

TEST_F(CliTargetsTest, ATrackMayBeLooseAndPartOfTheShot) {
  ASSERT_EQ(run({"solve", "scene.toml", "-o", "take", "--no-report"}).exit_code, 0);
  const ProgramResult result = solve(
      "[[track]]\ncache = \"take/controlled.pc2\"\nframes = \"1002-1006\"\nevery = 2\ntolerance = 0.002\n");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(read_json("out/summary.json")["tracks"][0]["frames"], (std::vector<int>{1002, 1004, 1006}));
}

// A finer sheet of which the pinned one is to cover the upper part; landmarks say where its lower corners go.
TEST_F(CliTargetsTest, ASurfaceOfAnotherTopologyIsMet) {
  folder_.write("scan.obj", sheet(
                                [](double& x, double& y, double& z) {
                                  x = 1.4 * x - 0.05;
                                  const double down = -1.3 * y;
                                  z = down * std::sin(0.4);
                                  y = -down * std::cos(0.4);
                                },
                                11));
  const ProgramResult result =
      solve("[[keyframe]]\nframe = 1006\nsurface = \"scan.obj\"\nmax_angle = 180\ntolerance = 0.001\n", "");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("nearest points renewed"), std::string::npos) << result.err;
  double sum = 0.0;
  for (int i = 0; i < kVertices; ++i) {
    const Vec3 x = position(5, i);
    const double off = x.z() * std::cos(0.4) + x.y() * std::sin(0.4);  // from the plane of the scan
    sum += off * off / kVertices;
  }
  const nlohmann::json keyframe = read_json("out/summary.json")["keyframes"][0];
  EXPECT_NEAR(keyframe["rms_m"], std::sqrt(sum), 1e-6);
  EXPECT_NEAR(keyframe["coverage"]["spare"], 1.0 - 1.0 / (1.4 * 1.3), 1e-6);
  EXPECT_EQ(keyframe["coverage"]["left_bare"], false);
}

// A scan in another unit, with another axis up or turned over is told before anything is searched.
TEST_F(CliTargetsTest, ASurfaceThatDoesNotFitIsDoubted) {
  const auto up = [](double&, double& y, double&) { y += 2.0; };
  folder_.write("rest.obj", sheet(up));
  const auto doubts = [&](auto move) {
    folder_.write("scan.obj", sheet(
                                  [&](double& x, double& y, double& z) {
                                    up(x, y, z);
                                    move(x, y, z);
                                  },
                                  11));
    folder_.write("scene.toml", shot_text() + "[[keyframe]]\nframe = 1006\nsurface = \"scan.obj\"\n");
    const ProgramResult result = run({"solve", "scene.toml", "--dry-run"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  const std::string fits = doubts([](double&, double&, double& z) { z += 0.01; });
  EXPECT_FALSE(says(fits, {"[[keyframe]] surface"})) << fits;
  const std::string large = doubts([](double& x, double& y, double& z) {
    for (double* c : {&x, &y, &z}) *c *= 100.0;
  });
  EXPECT_TRUE(says(large, {"[[keyframe]] surface: scan.obj measures 35.4 m across", "0.354 m",
                           "the unit of the rest mesh"}))
      << large;
  const std::string turned = doubts([](double&, double& y, double& z) {
    z += 0.01;
    std::swap(y, z);
    y = -y;
  });
  EXPECT_TRUE(says(turned, {"from the cloth, and would be 0.01 m from it with Z up, not Y"})) << turned;
  for (const double side : {1.0, -1.0}) {  // a table: at max_angle, whichever way it faces
    const std::string table = doubts([side](double&, double& y, double& z) {
      z = side * (y - 2.0);
      y = 2.0;
    });
    EXPECT_FALSE(says(table, {"[[keyframe]] surface"})) << table;
  }
  const std::string flipped = doubts([](double& x, double&, double&) { x = 0.25 - x; });
  EXPECT_TRUE(says(flipped, {"turned away from 100 % of the cloth", "flip its normals"})) << flipped;
}

// What its author exported as the cloth's own pose says more than a surface does.
TEST_F(CliTargetsTest, ASurfaceOfTheSameTopologyIsDoubted) {
  folder_.write("scan.obj", sheet([](double&, double&, double&) {}, 11));
  for (const std::string name : {"key.obj", "scan.obj"}) {
    folder_.write("scene.toml", shot_text() + "[[keyframe]]\nframe = 1006\nsurface = \"" + name + "\"\n");
    const ProgramResult result = run({"solve", "scene.toml", "--dry-run"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(says(result.err, {"warning: ", "surface: found key.obj", "the cloth's own triangles"}),
              name == "key.obj")
        << result.err;
  }
}

TEST_F(CliTargetsTest, LandmarksPullSingleVertices) {
  folder_.write("landmarks.txt", "# the lower corners\n30 0 -0.2303 0.0974\n35 0.25 -0.2303 0.0974\n");
  for (const char* landmarks :
       {"[[30, 0, -0.2303, 0.0974], [35, 0.25, -0.2303, 0.0974]]", "\"landmarks.txt\""}) {
    const ProgramResult result =
        solve(fmt::format("[[keyframe]]\nframe = 1006\nlandmarks = {}\ntolerance = 0.002\n", landmarks));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_LE((position(5, 30) - Vec3(0, -0.2303, 0.0974)).norm(), 0.003);
    EXPECT_LE((position(5, 35) - Vec3(0.25, -0.2303, 0.0974)).norm(), 0.003);
  }
}

// The pose is that of another frame than the one asked for: within the window the solver finds it.
TEST_F(CliTargetsTest, AKeyframeSlidesToTheFrameThatTakesTheLeastEffort) {
  ASSERT_EQ(solve(keyframe_text(), "", "take").exit_code, 0);
  const std::string pose =
      "[[keyframe]]\nframe = 1006\nmesh = \"take/controlled.pc2@1004\"\ntolerance = 0.002\n";
  ASSERT_EQ(solve(pose).exit_code, 0);
  const double fixed = read_json("out/summary.json")["effort"]["rms_g"];
  for (const char* method : {"gauss-newton", "lbfgs"}) {
    const ProgramResult result =
        solve(pose + "window = \"1003-1006\"\n",
              fmt::format("relative_to = \"take/forces.npy\"\nmethod = \"{}\"\n", method));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const nlohmann::json keyframe = read_json("out/summary.json")["keyframes"][0];
    EXPECT_EQ(keyframe["frame"], 1004) << result.err;
    EXPECT_EQ(keyframe["window"], (std::vector<int>{1003, 1006}));
  }
  const ProgramResult result = solve(pose + "window = \"1003-1006\"\n");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_LE(read_json("out/summary.json")["effort"]["rms_g"], 1.02 * fixed);
}

// A sheet that is let go from the side comes back in position and velocity.
TEST_F(CliTargetsTest, ALoopEndsAsItBegan) {
  folder_.write(
      "scene.toml",
      "[shot]\nframes = \"1001-1013\"\nsubsteps = 2\n[cloth]\nrest = \"rest.obj\"\ninitial = \"key.obj\"\n" +
          pin_text() + "[[keyframe]]\nframe = 1013\nloop = true\ntolerance = 0.002\n");
  const ProgramResult result = run({"solve", "scene.toml", "-o", "out", "--no-report"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  double sum = 0.0;
  for (int i = 0; i < kVertices; ++i) sum += (position(12, i) - position(0, i)).squaredNorm() / kVertices;
  EXPECT_LE(std::sqrt(sum), 0.002);
  const nlohmann::json keyframe = read_json("out/summary.json")["keyframes"][0];
  // By default velocities may be off by what takes the cloth as far off in a frame.
  EXPECT_NEAR(keyframe["velocity_tolerance_m_s"], 0.002 * 24, 1e-12);
  EXPECT_LE(keyframe["velocity_rms_m_s"], 0.002 * 24);
  EXPECT_TRUE(says(result.err, {"velocities ", " m/s, tolerance 0.048 m/s"})) << result.err;
  EXPECT_NEAR(keyframe["rms_m"], std::sqrt(sum), 1e-9);
}

// What no force may do is said, for velocities too.
TEST_F(CliTargetsTest, AMissedVelocityIsAMissedKeyframe) {
  const ProgramResult result = solve(
      keyframe_text("tolerance = 0.1\nvelocity_weight = 1\nvelocity = [0, 0, 3]\nvelocity_tolerance = 0.1\n"),
      "max_acceleration = 0.05\nmax_forward_simulations = 3\n");
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_FALSE(read_json("out/summary.json")["keyframes"][0]["reached"]);
  EXPECT_NE(result.err.find("velocities come within"), std::string::npos) << result.err;
}

TEST_F(CliTargetsTest, CheckCoversEveryKind) {
  ASSERT_EQ(run({"solve", "scene.toml", "-o", "take", "--no-report"}).exit_code, 0);
  folder_.write("scan.obj", sheet([](double&, double& y, double& z) { z = 0.1 - 0.5 * y + y * y; }, 9));
  // Stiff: its goal bends gently, so that orders show.
  const std::string shot = shot_text() + "[cloth.material]\ncompression = 1\n" + pin_text();
  expect_exact(shot + "[[track]]\ncache = \"take/controlled.pc2\"\n");
  expect_exact(shot + "[[keyframe]]\nframe = 1006\nsurface = \"scan.obj\"\n");
  expect_exact(shot + "[[keyframe]]\nframe = 1006\nlandmarks = [[30, 0, -0.2, 0.1]]\n");
  expect_exact(shot + "[[keyframe]]\nframe = 1006\nloop = true\n");
  expect_exact(shot + keyframe_text("window = \"1003-1006\"\n"));
}

TEST_F(CliTargetsTest, WhatDoesNotFitIsRefused) {
  const auto refusal = [&](const std::string& targets) {
    const ProgramResult result = solve(targets);
    EXPECT_EQ(result.exit_code, 3) << targets;
    return result.err;
  };
  EXPECT_NE(refusal("[[keyframe]]\nframe = 1006\n").find("mesh"), std::string::npos);
  EXPECT_NE(refusal("[[keyframe]]\nframe = 1006\nloop = false\n").find("loop: found false"),
            std::string::npos);
  EXPECT_NE(refusal(keyframe_text("window = \"1002-1004\"\n")).find("window"), std::string::npos);
  EXPECT_NE(refusal(keyframe_text("max_angle = 10\n")).find("max_angle"), std::string::npos);
  EXPECT_NE(refusal("[[keyframe]]\nframe = 1006\nlandmarks = [[36, 0, 0, 0]]\n").find("0 to 35"),
            std::string::npos);
  EXPECT_NE(refusal("[[keyframe]]\nframe = 1006\nlandmarks = [[3, 0, 0, 0], [3, 0, 0, 1]]\n").find("twice"),
            std::string::npos);
  EXPECT_NE(refusal("[[track]]\ncache = \"key.obj\"\n").find("samples"), std::string::npos);
}

// A tolerance of every vertex decides like one of the mean, and who misses it is named.
TEST_F(CliTargetsTest, AToleranceOfEveryVertexDecides) {
  const std::string mean = keyframe_text("tolerance = 0.1\n");
  ASSERT_EQ(solve(mean, "max_forward_simulations = 2\n").exit_code, 0);
  const nlohmann::json loose = read_json("out/summary.json")["keyframes"][0];
  EXPECT_TRUE(loose["reached"]);
  EXPECT_FALSE(loose.contains("tolerance_max_m"));
  const ProgramResult result =
      solve(keyframe_text("tolerance = 0.1\ntolerance_max = 0.1\n"), "max_forward_simulations = 2\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(says(result.err, {"without any force", "control acceleration: peak 0 g, RMS 0 g\n"}))
      << result.err;
  const ProgramResult missed = solve(keyframe_text("tolerance = 1e-9\ntolerance_max = 1e-8\n"),
                                     "effort = 1e-4\nmax_forward_simulations = 3\n");
  EXPECT_EQ(missed.exit_code, 4) << missed.err;
  const nlohmann::json keyframe = read_json("out/summary.json")["keyframes"][0];
  EXPECT_EQ(keyframe["tolerance_max_m"], 1e-8);
  EXPECT_FALSE(keyframe["reached"]);
  const nlohmann::json& far = keyframe["far_vertices"];
  EXPECT_EQ(far["beyond_m"], 1e-8);
  EXPECT_GE(far["count"], 20);
  EXPECT_EQ(far["farthest"].size(), 20u);
  EXPECT_EQ(far["farthest"][0]["miss_m"], keyframe["max_m"]);
  EXPECT_TRUE(says(missed.err, {"farther off than", "tolerance_max", "times the mean"})) << missed.err;
  EXPECT_EQ(solve(keyframe_text("tolerance = 0.1\ntolerance_max = 0.01\n")).exit_code, 3);
}

// Whatever is asked of a keyframe stands in what a dry run says, each for itself.
TEST_F(CliTargetsTest, DryRunsNameEveryTolerance) {
  folder_.write("scene.toml",
                shot_text() + pin_text() +
                    "[[keyframe]]\nframe = 1006\nmesh = \"key.obj\"\ntolerance_max = 0.0209102\n"
                    "velocity_weight = 1\nvelocity_tolerance = 0.3\n[control]\neffort = 1e-6\n");
  EXPECT_TRUE(says(run({"solve", "scene.toml", "--dry-run"}).out,
                   {"1006 (no vertex beyond 20.9 mm, velocities within 300 mm/s)"}));
  const nlohmann::json keyframe =
      nlohmann::json::parse(run({"solve", "scene.toml", "--dry-run", "--json"}).out)["keyframes"][0];
  EXPECT_TRUE(keyframe["tolerance_m"].is_null());
  EXPECT_EQ(keyframe["tolerance_max_m"], 0.0209102);
  EXPECT_EQ(keyframe["velocity_tolerance_m_s"], 0.3);
}

}  // namespace
}  // namespace keydrape
