#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>

#include "io/formats/npy.h"
#include "io/formats/pc2.h"
#include "io/formats/read_cache.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

using CliSimulateTest = CliFolder;
TEST_F(CliSimulateTest, WritesFramesAndLogs) {
  folder_.write("scene.toml", shot_text() + pin_text() +
                                  "[output]\ncaches = [\"pc2\", \"obj\", \"npy\"]\n"
                                  "every_step = true\n");
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(read_npy(folder_ / "out/positions.npy").shape, (Shape{6, 36, 3}));
  EXPECT_EQ(read_npy(folder_ / "out/steps.npy").shape, (Shape{11, 36, 3}));
  EXPECT_EQ(read_pc2(folder_ / "out/simulated.pc2").samples.size(), 6u);
  EXPECT_EQ(read_pc2(folder_ / "out/simulated.pc2").start, 1001.0);
  for (int frame = 1001; frame <= 1006; ++frame)
    EXPECT_TRUE(std::filesystem::exists(folder_ / fmt::format("out/obj/scene.{}.obj", frame)));

  const nlohmann::json summary = read_json("out/summary.json");
  EXPECT_EQ(summary, nlohmann::json::parse(result.out));
  EXPECT_EQ(summary["status"], "done");
  EXPECT_EQ(summary["vertices"], 36);
  EXPECT_EQ(summary["triangles"], 50);
  EXPECT_EQ(summary["frames"], 6);
  EXPECT_EQ(summary["substeps"], 2);
  EXPECT_EQ(summary["work"]["time_steps"], 10);
  EXPECT_EQ(keys(summary),
            (std::vector<std::string>{"effort", "frames", "frames_done", "integrator", "keyframes",
                                      "memory_bytes", "motion", "obstacles", "preview", "status", "substeps",
                                      "time_s", "tracks", "triangles", "version", "vertices", "work"}));

  const auto steps = read_json_lines("out/steps.jsonl");
  ASSERT_EQ(steps.size(), 10u);
  EXPECT_EQ(steps[3]["frame"], 1002);
  EXPECT_EQ(steps[3]["substep"], 2);
  EXPECT_EQ(keys(steps[0]),
            (std::vector<std::string>{"cg_iterations", "contact_pairs", "elastic_J", "factorizations",
                                      "frame", "kinetic_J", "least_distance_m", "newton_iterations",
                                      "residual", "substep", "time_s"}));
  EXPECT_TRUE(steps[0]["least_distance_m"].is_null());
  for (const auto& step : steps) EXPECT_LE(step["residual"], 1e-8);
}

// BDF2 after a step of backward Euler: exact but for 3/4 g dt^2 (1 - 3^-n).
TEST_F(CliSimulateTest, FreeFallByBdf2) {
  folder_.write("scene.toml", shot_text() + "[solver]\nintegrator = \"bdf2\"\n");
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "out"}).exit_code, 0);
  EXPECT_EQ(read_json("out/summary.json")["integrator"], "bdf2");
  const VecX x = read_npy(folder_ / "out/positions.npy").values;
  const double dt = 1.0 / 48, fall = 9.81 * dt * dt * (50 + 0.75 * (1 - std::pow(3.0, -10)));
  EXPECT_NEAR(x[5 * 36 * 3 + 1] - x[1], -fall, 1e-9);
}

// Backward Euler under gravity alone: x_n = x_0 + g dt^2 n (n + 1) / 2.
TEST_F(CliSimulateTest, FreeFallWithoutAir) {
  folder_.write("scene.toml", shot_text());
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "out"}).exit_code, 0);
  const VecX x = read_npy(folder_ / "out/positions.npy").values;
  const double dt = 1.0 / 48, fall = 9.81 * dt * dt * 10 * 11 / 2;
  EXPECT_NEAR(x[5 * 36 * 3 + 1] - x[1], -fall, 1e-9);
}

// The terms of its potential cancel, up to their rounding.
TEST_F(CliSimulateTest, FreeFallOfManyFrames) {
  for (const std::string fabric : {"", "[cloth.material]\npreset = \"cotton\"\n"}) {
    folder_.write("scene.toml",
                  "[shot]\nframes = \"1-100\"\nsubsteps = 2\n[cloth]\nrest = \"rest.obj\"\n" + fabric);
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--force"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const nlohmann::json work = read_json("out/summary.json")["work"];
    EXPECT_LE(work["newton_iterations"], 5 * work["time_steps"].get<int>());
  }
}

TEST_F(CliSimulateTest, SaysHowFarTheClothIsFromEveryKeyframe) {
  for (int frame = 1003; frame <= 1004; ++frame)
    folder_.write(fmt::format("track.{}.obj", frame), swung_sheet(0.2));
  folder_.write("scene.toml", scene_text() +
                                  "[[keyframe]]\nframe = 1005\nmesh = \"key.obj\"\n"
                                  "[[track]]\ncache = \"track.####.obj\"\nframes = \"1003-1004\"\n");
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json summary = read_json("out/summary.json");
  EXPECT_TRUE(says(result.err, {"keyframe 1006: the cloth without control is ", " mm RMS away, at most ",
                                "; tolerance 20 mm\n", "keyframe 1005: the cloth without control is ",
                                "track 1003-1004: the cloth without control is ", "at worst "}))
      << result.err;
  const std::size_t at = result.err.find("keyframe 1006: the cloth without control is ");
  EXPECT_NEAR(std::stod(result.err.substr(at + 44)), 1e3 * summary["keyframes"][0]["rms_m"].get<double>(),
              0.5);
  write_npy(folder_ / "zero.npy", {{6, 36, 3}, VecX::Zero(6 * 36 * 3)});
  const ProgramResult pushed = run({"simulate", "scene.toml", "-o", "pushed", "--forces", "zero.npy"});
  EXPECT_TRUE(says(pushed.err, {"keyframe 1006: the cloth is "})) << pushed.err;
}

// A start that is pulled by a fifth longer than the fabric is at rest; else nothing is said.
TEST_F(CliSimulateTest, WarnsOfThreadsThatAreStretchedFar) {
  folder_.write("long.obj", sheet([](double&, double& y, double&) { y *= 1.2; }));
  folder_.write("scene.toml", shot_text("") + "initial = \"long.obj\"\n" + pin_text());
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(says(result.err, {"warning: at frame 1001 a thread is 20 % longer than at rest near vertex ",
                                "hardly goes beyond 5 %", "strain_limit"}))
      << result.err;
  EXPECT_TRUE(says(folder_.read("out/shot/shot.json"), {"a thread is 20 % longer"}));
  folder_.write("scene.toml", shot_text() + pin_text());
  EXPECT_FALSE(says(run({"simulate", "scene.toml", "-o", "rest"}).err, {"longer than at rest"}));
}

// As cloth gives at the corner of a pin; but not if it is far.
TEST_F(CliSimulateTest, KeepsStillOfASingleThreadThatIsStretchedALittle) {
  constexpr int kFine = 16;
  constexpr double kEdge = 0.25 / (kFine - 1);
  const auto with_corner = [&](double stretch) {
    return sheet(
        [&](double& x, double& y, double&) {
          if (x > 0.2499 && y < -0.2499) y -= stretch * kEdge;
        },
        kFine);
  };
  folder_.write("rest.obj", with_corner(0.0));
  folder_.write("scene.toml", shot_text("") + "initial = \"long.obj\"\n" + pin_text());
  folder_.write("long.obj", with_corner(0.15));
  EXPECT_FALSE(says(run({"simulate", "scene.toml", "-o", "little"}).err, {"longer than at rest"}));
  folder_.write("long.obj", with_corner(0.3));
  EXPECT_TRUE(says(run({"simulate", "scene.toml", "-o", "far"}).err,
                   {"warning: at frame 1001 a thread is 30 % longer than at rest near vertex "}));
}

// There is nothing for forces to act on, and nobody asked for any.
TEST_F(CliSimulateTest, ClothThatIsHeldAllOverStays) {
  std::string all = "0";
  for (int v = 1; v < 36; ++v) all += ", " + std::to_string(v);
  const std::string held = shot_text() + "[[pin]]\nvertices = [" + all + "]\n";
  folder_.write("scene.toml", held);
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const VecX x = read_npy(folder_ / "out/positions.npy").values;
  EXPECT_EQ(VecX(x.tail(3 * 36)), VecX(x.head(3 * 36)));
  folder_.write("scene.toml", held + keyframe_text());
  EXPECT_EQ(run({"solve", "scene.toml", "-o", "solved"}).exit_code, 3);
}

TEST_F(CliSimulateTest, UnitsScaleMeshesAndCachesOnly) {
  folder_.write("rest.obj", sheet([](double& x, double& y, double&) { x *= 100, y *= 100; }));
  folder_.write("scene.toml", shot_text("meters_per_unit = 0.01\n") + pin_text());
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const VecX metres = read_npy(folder_ / "out/positions.npy").values;
  const PointCache centimetres = read_pc2(folder_ / "out/simulated.pc2");
  EXPECT_NEAR(metres[3 * 5], 0.25, 1e-12);
  EXPECT_NEAR(centimetres.samples[0][3 * 5], 25.0, 1e-5);
  EXPECT_NEAR(centimetres.samples[5][3 * 35 + 1], 100 * metres[3 * (5 * 36 + 35) + 1], 1e-4);
}

// Of a folder's files that do not say it: as the run beside them does. And what a run with forces would be
// without them it does not know.
TEST_F(CliSimulateTest, ConvertKnowsTheRunsUnitAndInfoNoRunWithoutForces) {
  folder_.write(
      "scene.toml",
      "[shot]\nframes = \"7-9\"\nfps = 30\nmeters_per_unit = 0.01\nup_axis = \"Z\"\n[cloth]\nrest = "
      "\"rest.obj\"\n[[keyframe]]\nframe = 9\nmesh = \"rest.obj\"\nweight = 0\n[output]\nevery_step = "
      "true\n");
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "free"}).exit_code, 0);
  ASSERT_EQ(run({"convert", "free/simulated.pc2", "free.usda", "--mesh", "rest.obj"}).exit_code, 0);
  EXPECT_TRUE(says(folder_.read("free.usda"), {"metersPerUnit = 0.01", "upAxis = \"Z\""}));
  const auto converted = [&](const std::string& name) {
    EXPECT_EQ(run({"convert", "free/" + name, "all.usda", "--mesh", "rest.obj", "--force"}).exit_code, 0)
        << name;
    return read_cache(folder_ / "all.usda").header;
  };
  for (const char* name : {"simulated.pc2", "positions.npy"}) {
    EXPECT_EQ(converted(name).fps, 30.0) << name;
    EXPECT_EQ(converted(name).first_frame, 7) << name;
  }
  EXPECT_EQ(converted("positions.npy").space, (Space{1.0, UpAxis::kZ}));
  EXPECT_EQ(converted("steps.npy").fps, 120.0);
  // The record is in metres.
  EXPECT_EQ(converted("shot/rest.obj").space, (Space{1.0, UpAxis::kZ}));
  ASSERT_EQ(
      run({"convert", "free/simulated.pc2", "m.usda", "--mesh", "rest.obj", "--from-meters-per-unit", "1"})
          .exit_code,
      0);
  EXPECT_TRUE(says(folder_.read("m.usda"), {"metersPerUnit = 1", "upAxis = \"Z\""}));
  EXPECT_TRUE(read_json("free/summary.json")["keyframes"][0]["uncontrolled_rms_m"].is_number());
  write_npy(folder_ / "zero.npy", {{3, 36, 3}, VecX::Zero(3 * 36 * 3)});
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "pushed", "--forces", "zero.npy"}).exit_code, 0);
  EXPECT_TRUE(read_json("pushed/summary.json")["keyframes"][0]["uncontrolled_rms_m"].is_null());
}

TEST_F(CliSimulateTest, InfoSaysLengthsInTheRunsUnit) {
  folder_.write("scene.toml",
                "[shot]\nframes = \"7-9\"\nfps = 30\nmeters_per_unit = 0.1\nup_axis = \"Z\"\n[cloth]\nrest = "
                "\"rest.obj\"\n[output]\nevery_step = true\n");
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "out"}).exit_code, 0);
  const auto info = [&](const std::string& name) {
    return nlohmann::json::parse(run({"info", name, "--json"}).out);
  };
  for (const auto& [name, unit, first, fps] :
       {std::tuple("out/simulated.pc2", 0.1, 7, 30.0), std::tuple("out/positions.npy", 1.0, 7, 30.0),
        std::tuple("out/steps.npy", 1.0, 1, 120.0), std::tuple("rest.obj", 1.0, 1, 24.0)}) {
    const auto said = info(name);
    EXPECT_EQ(said["meters_per_unit"], unit) << name;
    EXPECT_EQ(said["first_frame"], first) << name;
    EXPECT_EQ(said["fps"], fps) << name;
    EXPECT_EQ(said["up_axis"], name == std::string("rest.obj") ? "Y" : "Z") << name;
  }
}

TEST_F(CliSimulateTest, PinsFollowTheirMotionAtEveryFrame) {
  Pc2Writer motion(folder_ / "pins.pc2", {6, 1001.0, 1.0});
  for (int f = 0; f < 6; ++f) {
    VecX sample = VecX::Zero(18);
    for (int k = 0; k < 6; ++k) sample.segment<3>(3 * k) = Vec3(0.05 * k, 0, 0.01 * f);
    motion.append(sample);
  }
  motion.commit();
  folder_.write("scene.toml", shot_text() + pin_text() + "motion = \"pins.pc2\"\n");
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const VecX x = read_npy(folder_ / "out/positions.npy").values;
  for (int f = 0; f < 6; ++f) EXPECT_NEAR(x[3 * (36 * f + 3) + 2], 0.01 * f, 1e-8);
}

TEST_F(CliSimulateTest, PinsFollowAnObjSequence) {
  for (int f = 0; f < 6; ++f)
    folder_.write(fmt::format("pins.{}.obj", 1001 + f),
                  sheet([f](double&, double&, double& z) { z = 0.01 * f; }));
  folder_.write("scene.toml", shot_text() + pin_text() + "motion = \"pins.####.obj\"\n");
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NEAR(read_npy(folder_ / "out/positions.npy").values[3 * (36 * 4 + 3) + 2], 0.04, 1e-8);
}

// From the rest mesh the pins jump to where they begin; a drape begins there.
TEST_F(CliSimulateTest, PinsThatBeginElsewhereJumpUnlessTheClothIsDraped) {
  for (int f = 0; f < 6; ++f)
    folder_.write(fmt::format("pins.{}.obj", 1001 + f), sheet([](double&, double&, double& z) { z = 0.05; }));
  for (const bool is_draped : {false, true}) {
    folder_.write("scene.toml", shot_text() + (is_draped ? "initial = \"drape\"\n" : "") + pin_text() +
                                    "motion = \"pins.####.obj\"\n");
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--force"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(bool(says(result.err, {"vertex 0 is pinned 0.05 m away", "and jumps there"})), !is_draped);
    EXPECT_NEAR(read_npy(folder_ / "out/positions.npy").values[2], is_draped ? 0.05 : 0.0, 1e-8);
    const ProgramResult drape = run({"drape", "scene.toml", "-o", "draped", "--force"});
    ASSERT_EQ(drape.exit_code, 0) << drape.err;
    EXPECT_FALSE(says(drape.err, {"and jumps there"})) << drape.err;
  }
}

// A vertex on an axis slides along it; one in a plane stays in the plane.
TEST_F(CliSimulateTest, PinsWithFreeDirections) {
  folder_.write("scene.toml", shot_text() + "[[pin]]\nvertices = [0]\naxis = [1, -1, 0]\n" +
                                  "[[pin]]\nvertices = [5]\nnormal = [1, 0, 0]\n");
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "out"}).exit_code, 0);
  const VecX end = read_npy(folder_ / "out/positions.npy").values.tail(36 * 3);
  EXPECT_LT(end[1], -0.01);
  EXPECT_NEAR(end[0], -end[1], 1e-9);
  EXPECT_NEAR(end[15], 0.25, 1e-9);
  EXPECT_LT(end[16], -0.01);
}

TEST_F(CliSimulateTest, InterruptKeepsTheFramesSoFar) {
  folder_.write("scene.toml", "[shot]\nframes = \"1001-9000\"\n[cloth]\nrest = \"rest.obj\"\n" + pin_text());
  const Process process = start({"simulate", "scene.toml", "-o", "out", "--progress", "lines"});
  wait_for(process, ".err", "progress");
  ::kill(process.id, SIGTERM);
  EXPECT_EQ(finish(process).exit_code, 75);
  EXPECT_EQ(read_json("out/summary.json")["status"], "interrupted");
  EXPECT_LT(read_npy(folder_ / "out/positions.npy").shape[0], 8000);
}

TEST_F(CliSimulateTest, FailureKeepsWhatThereIs) {
  folder_.write("scene.toml", shot_text() + pin_text() + "[solver]\nmax_newton_iterations = 1\n");
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(says(result.err, {"error: the simulation failed at frame 1001, substep 1 of 2", "residual",
                                "iteration", "try more substeps"}));
  EXPECT_EQ(read_npy(folder_ / "out/positions.npy").shape, (Shape{1, 36, 3}));
  EXPECT_EQ(read_json("out/summary.json")["status"], "failed");
}

TEST_F(CliSimulateTest, NamesATriangleThatPinsPressFlat) {
  Pc2Writer motion(folder_ / "pins.pc2", {4, 1001.0, 1.0});
  for (int f = 0; f < 6; ++f) {
    VecX sample(12);
    sample << 0, 0, 0, 0.05, 0, 0, 0, -0.05, 0, 0.05, -0.05, 0;
    motion.append(std::max(0.0, 1.0 - 0.5 * f) * sample);
  }
  motion.commit();
  folder_.write("scene.toml", shot_text() + "[[pin]]\nvertices = [0, 1, 6, 7]\nmotion = \"pins.pc2\"\n" +
                                  "[wind]\nvelocity = [1, 0, 1]\n");
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(
      says(result.err,
           {"error: the simulation failed at frame 1002, substep 2 of 2", "; triangle 0 of ", "vertices 0, ",
            "all counted from 0, is pressed to no area by pins", "move them apart, or hold fewer of them"}))
      << result.err;
}

// "shot" is how `new` calls the folder of a scene, and where a run records it.
TEST_F(CliSimulateTest, FilesThatNoRunHasWrittenStay) {
  std::filesystem::create_directory(folder_ / "shot");
  folder_.write("shot/key.1006.obj", "sculpted");
  folder_.write("shot/rest.obj", "modelled");
  for (const char* force : {"--quiet", "--force"}) {
    const ProgramResult refused = run({"simulate", "scene.toml", "-o", ".", force});
    EXPECT_EQ(refused.exit_code, 3) << force;
    EXPECT_TRUE(says(refused.err, {"shot/rest.obj: no run has written it", "-o"}));
    EXPECT_EQ(folder_.read("shot/rest.obj"), "modelled");
  }
  std::filesystem::remove(folder_ / "shot/rest.obj");
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "."}).exit_code, 0);
  EXPECT_EQ(folder_.read("shot/key.1006.obj"), "sculpted");
}

TEST_F(CliSimulateTest, ForceRemovesWhatTheEarlierRunWroteAndNothingElse) {
  folder_.write("scene.toml", shot_text("name = \"a (b)\"\n") + "[output]\ncaches = [\"obj\"]\n");
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "out"}).exit_code, 0);
  const std::vector<std::string> own{"out/obj/hero.1001.obj", "out/shot/sculpt.obj", "out/shot/target.npy"};
  for (const std::string& file : own) folder_.write(file, "own");
  folder_.write("scene.toml", shot_text());
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "out", "--force"}).exit_code, 0);
  for (const std::string& file : own) EXPECT_EQ(folder_.read(file), "own");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/obj/a (b).1001.obj"));
}

TEST_F(CliSimulateTest, ResultsAreReplacedOnlyByForce) {
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "out"}).exit_code, 0);
  const ProgramResult refused = run({"simulate", "scene.toml", "-o", "out"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(says(refused.err, {"out: holds the results of a finished run", "--force"}));
  EXPECT_EQ(run({"simulate", "scene.toml", "-o", "out", "--force"}).exit_code, 0);
}

TEST_F(CliSimulateTest, StdoutCarriesDataAndStderrPeople) {
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--quiet"});
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "");
}

TEST_F(CliSimulateTest, UsageErrors) {
  EXPECT_EQ(run({}).exit_code, 2);
  EXPECT_EQ(run({"simulate"}).exit_code, 2);
  EXPECT_EQ(run({"simulate", "scene.toml", "--sideways"}).exit_code, 2);
  EXPECT_EQ(run({"simulate", "scene.toml", "--threads", "0"}).exit_code, 2);
  EXPECT_EQ(run({"simulate", "scene.toml", "--progress", "loud"}).exit_code, 2);
  EXPECT_EQ(run({"--help"}).exit_code, 0);
  EXPECT_EQ(run({"solve", "--help"}).exit_code, 0);
  EXPECT_EQ(run({"--version"}).exit_code, 0);
}

// Where the disk is full, no file may stand there cut off.
TEST_F(CliSimulateTest, FullDisk) {
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"}, [] {
    const rlimit limit{3000, 3000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  });
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(says(result.err, {"error: ", "cannot be written: File too large", "free some space"}));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/positions.npy"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/summary.json"));
  EXPECT_EQ(left_overs("out"), std::vector<std::string>());
}

TEST_F(CliSimulateTest, StdoutThatIsFull) {
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"},
                                   [] { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); });
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(says(result.err, {"stdout cannot be written"}));
}

TEST_F(CliSimulateTest, OutputFolderThatCannotBe) {
  folder_.write("taken", "");
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "taken"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(says(result.err, {"taken: cannot be created", "-o"}));
  EXPECT_EQ(run({"simulate", "scene.toml", "-o", "/proc/keydrape"}).exit_code, 3);
}

}  // namespace
}  // namespace keydrape
