#include <cmath>
#include <filesystem>

#include "io/formats/npy.h"
#include "io/formats/pc2.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

// What the program refuses once it has opened the files: exit code 3, and a sentence that says where and why.
class CliRefusalTest : public CliFolder {
 protected:
  std::string refusal(const std::string& scene) const {
    folder_.write("scene.toml", scene);
    const ProgramResult result = run({"solve", "scene.toml", "-o", "out"});
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_TRUE(says(result.err, {"error: "}));
    EXPECT_EQ(result.out, "");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
    return result.err;
  }
};

TEST_F(CliRefusalTest, MistakesInTheSceneFile) {
  EXPECT_TRUE(says(refusal(scene_text() + "[wnd]\n"), {"scene.toml:", "wnd"}));
  EXPECT_TRUE(says(refusal(shot_text() + "[[keyframe]]\nframe = 1007\nmesh = \"key.obj\"\n"),
                   {"scene.toml:7:9: ", "1007, outside of 1001-1006"}));
  EXPECT_EQ(run({"solve", "nowhere.toml"}).exit_code, 3);
}

TEST_F(CliRefusalTest, NoKeyframe) {
  EXPECT_TRUE(says(refusal(shot_text()), {"scene.toml: has no [[keyframe]]", "keydrape simulate"}));
}

TEST_F(CliRefusalTest, KeyframeOnTheFirstFrame) {
  EXPECT_TRUE(says(refusal(shot_text() + "[[keyframe]]\nframe = 1001\nmesh = \"key.obj\"\n"),
                   {"scene.toml:6:", "the shot's first frame", "expected 1002 to 1006", "initial"}));
}

TEST_F(CliRefusalTest, KeyframeOfAnotherMesh) {
  folder_.write("key.obj", sheet({}, 5));
  EXPECT_TRUE(says(refusal(scene_text()), {"scene.toml:10:8: [[keyframe]] mesh: ",
                                           "key.obj has 25 vertices, the rest mesh 36", "rest.obj"}));
}

TEST_F(CliRefusalTest, KeyframeWithOtherTriangles) {
  std::string other = sheet();
  const std::size_t face = other.find("f 2 8 3");
  ASSERT_NE(face, std::string::npos);
  folder_.write("key.obj", other.replace(face, 7, "f 8 3 2"));
  EXPECT_TRUE(says(refusal(scene_text()),
                   {"scene.toml:10:8: ",
                    "50 triangles, the rest mesh 50; the first that differs is triangle 2, (7 2 1) "
                    "instead of (1 7 2)"}));
}

TEST_F(CliRefusalTest, KeyframeOfPointsAloneIsFine) {
  const std::string key = swung_sheet(0.4);
  folder_.write("key.obj", key.substr(0, key.find("f ")));
  EXPECT_EQ(run({"solve", "scene.toml", "-o", "out"}).exit_code, 0);
}

TEST_F(CliRefusalTest, InitialOfAnotherMesh) {
  folder_.write("start.obj", sheet({}, 5));
  EXPECT_TRUE(says(refusal(shot_text() + "initial = \"start.obj\"\n" + keyframe_text()),
                   {"scene.toml:6:11: [cloth] initial: ", "25 vertices"}));
}

TEST_F(CliRefusalTest, GroupsAndVerticesThatAreNotThere) {
  EXPECT_TRUE(says(refusal(shot_text() + "[[pin]]\ngroup = \"waist\"\n" + keyframe_text()),
                   {"scene.toml:7:9: ", "'waist' does not exist", "'cloth'"}));
  EXPECT_TRUE(says(refusal(shot_text() + "[[pin]]\nvertices = [3, 36]\n" + keyframe_text()),
                   {"scene.toml:7:12: ", "vertex 36", "0 to 35"}));
}

TEST_F(CliRefusalTest, WeightsWithoutAnyWeight) {
  std::string zeros;
  for (int i = 0; i < 36; ++i) zeros += "0\n";
  folder_.write("map.txt", zeros);
  EXPECT_TRUE(says(refusal(shot_text() + keyframe_text("weights = \"map.txt\"\n")),
                   {"scene.toml:9:11: all weights in ", "map.txt are zero"}));
}

TEST_F(CliRefusalTest, PinsThatHoldEverything) {
  EXPECT_TRUE(says(refusal(shot_text() + "[[pin]]\ngroup = \"cloth\"\n" + keyframe_text()),
                   {"[control]: pins hold all 36 vertices"}));
}

TEST_F(CliRefusalTest, MotionThatDoesNotFit) {
  const auto write_motion = [&](int points, int samples) {
    Pc2Writer motion(folder_ / "pins.pc2", {points});
    for (int f = 0; f < samples; ++f) motion.append(VecX::Zero(3 * points));
    motion.commit();
  };
  const std::string scene = shot_text() + pin_text() + "motion = \"pins.pc2\"\n" + keyframe_text();
  write_motion(7, 6);
  EXPECT_TRUE(says(refusal(scene),
                   {"scene.toml:8:10: motion: ", "has 7 points", "36, one for each vertex", "or 6,"}));
  write_motion(6, 5);
  EXPECT_TRUE(
      says(refusal(scene), {"scene.toml:8:10: ", "has 5 samples", "6, one a frame from 1001 to 1006"}));
}

TEST_F(CliRefusalTest, MeshesThatAreNoCloth) {
  const std::string cloth = sheet();
  folder_.write("rest.obj", cloth + "v 1 1 1\n");
  EXPECT_TRUE(says(refusal(scene_text()), {"scene.toml:5:8: [cloth] rest: ", "vertex 36"}));
  folder_.write("rest.obj", cloth + "v 0 0.1 0\nv 0 0.2 0\nf 1 37 38\n");
  EXPECT_TRUE(says(refusal(scene_text()), {"scene.toml:5:8: ", "triangle 50", "area"}));
  folder_.write("rest.obj", cloth + "v 0.1 -0.1 0.1\nv 0.1 -0.1 0.2\nf 9 37 8\nf 8 38 9\n");
  EXPECT_TRUE(says(refusal(scene_text()), {"scene.toml:5:8: ", "edge"}));
  folder_.write("rest.obj", cloth + "v 0.1 -0.1 0.1\nf 9 37 8\nf 8 37 9\n");
  EXPECT_TRUE(says(refusal(scene_text()), {"scene.toml:5:8: ", "triangles 50 and 51", "given twice"}));
  folder_.write("rest.obj", cloth + "v 1e200 0 0\n");
  EXPECT_TRUE(says(refusal(scene_text()), {"scene.toml:5:8: ", "vertex 36", "1e+200 m", "units"}));
  folder_.write("rest.obj", cloth + "v 0 nan 0\n");
  EXPECT_TRUE(says(refusal(scene_text()), {"rest.obj:88:"}));
}

TEST_F(CliRefusalTest, FileNamesThatCannotBe) {
  const std::string name(5000, 'x');
  folder_.write("scene.toml", scene_text() + "[output]\ndir = \"" + name + "\"\n");
  for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"-o", name}}) {
    std::vector<std::string> command = {"solve", "scene.toml"};
    command.insert(command.end(), options.begin(), options.end());
    const ProgramResult result = run(command);
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_TRUE(says(result.err, {"cannot be used: File name too long"}));
  }
  EXPECT_EQ(run({"solve", ""}).exit_code, 2);
}

TEST_F(CliRefusalTest, ClothThatStartsInABodyAndBodiesThatCannotBe) {
  const std::string scene = scene_text();
  EXPECT_TRUE(says(refusal(scene + "[[collider]]\nsphere = {center = [0, 0, 0], radius = 10}\n"),
                   {"scene.toml:12:", "[[collider]]: at the first frame", "inside of this body", "vertex"}));
  EXPECT_TRUE(says(refusal(scene + "[[collider]]\nmesh = \"rest.obj\"\n"),
                   {"scene.toml:12:", "nearer to this body", "move the cloth"}));
  EXPECT_TRUE(says(refusal(scene + "[[collider]]\nmesh = \"rest.obj\"\nas = \"volume\"\n"),
                   {"scene.toml:12:", "edge"}));
  EXPECT_TRUE(says(refusal(scene + "[[collider]]\nsphere = {center = [0, 9, 0], radius = 1}\nvoxel = 0.1\n"),
                   {"scene.toml:14:", "voxel", "together with mesh"}));
}

TEST_F(CliRefusalTest, ForcesOfAnotherShot) {
  ASSERT_EQ(run({"solve", "scene.toml", "-o", "out"}).exit_code, 0);
  std::string longer = scene_text();
  folder_.write("scene.toml", longer.replace(longer.find("1001-1006"), 9, "1001-1007"));
  const ProgramResult result =
      run({"simulate", "scene.toml", "--forces", folder_ / "out/forces.npy", "-o", "audit"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(says(result.err, {"forces.npy: has shape (6, 36, 3)", "(7, 36, 3)", "(12, 36, 3)"}));
}

TEST_F(CliRefusalTest, ADryRunRefusesWhatTheRunItselfDoes) {
  write_npy(folder_ / "longer.npy", {{7, 36, 3}, VecX::Zero(7 * 36 * 3)});
  for (const auto& [option, file] :
       std::vector<std::pair<std::string, std::string>>{{"--forces", "none.npy"},
                                                        {"--forces", "longer.npy"},
                                                        {"--channels", "none.json"},
                                                        {"--along", "none"}}) {
    std::vector<std::string> words = {"simulate", "scene.toml", "-o", "out", option, file};
    const ProgramResult refused = run(words);
    EXPECT_EQ(refused.exit_code, 3) << option << " " << file;
    words.emplace_back("--dry-run");
    const ProgramResult dry = run(words);
    EXPECT_EQ(dry.exit_code, 3) << option << " " << file;
    EXPECT_EQ(dry.err, refused.err);
  }
}

// Doubtful, and simulated all the same.
TEST_F(CliRefusalTest, Warnings) {
  folder_.write("rest.obj", sheet([](double& x, double& y, double&) { x *= 1000, y *= 1000; }));
  folder_.write("scene.toml", shot_text());
  EXPECT_TRUE(says(run({"simulate", "scene.toml", "-o", "large"}).err,
                   {"warning: scene.toml:5:8: ", "implausibly large for metres; set meters_per_unit"}));
  // A curtain may be that large, a garment not.
  const auto tall = [](double depth) {
    return [depth](double& x, double& y, double& z) { z = depth * x * (0.25 - x), x *= 30, y *= 30; };
  };
  folder_.write("rest.obj", sheet(tall(0.0)));
  EXPECT_FALSE(says(run({"simulate", "scene.toml", "-o", "curtain"}).err, {"implausibly"}));
  folder_.write("rest.obj", sheet(tall(300.0)));
  EXPECT_TRUE(says(run({"simulate", "scene.toml", "-o", "garment"}).err,
                   {"warning: scene.toml:5:8: ", "m across, as a garment implausibly large for metres; ",
                    "set meters_per_unit in [shot] (a number that is a tenth of the one now makes it 1."}));
  folder_.write("rest.obj", sheet());
  folder_.write("key.obj", sheet([](double& x, double&, double&) { x += 0.1; }));
  folder_.write("scene.toml", scene_text());
  EXPECT_TRUE(says(
      run({"simulate", "scene.toml", "-o", "conflict"}).err,
      {"warning: scene.toml:10:8: ", "at frame 1006: pins hold 6 of its vertices elsewhere", "0.1 m away"}));
  folder_.write("key.obj", sheet([](double& x, double& y, double&) { x *= 3, y *= 3; }));
  EXPECT_TRUE(
      says(run({"simulate", "scene.toml", "-o", "unit"}).err,
           {"warning: scene.toml:10:8: ", "at frame 1006: its edges are 3 times as long as the cloth's"}));
  folder_.write("key.obj", sheet([](double&, double& y, double& z) {
                  z -= y;
                  y = 0;
                }));
  EXPECT_TRUE(says(run({"simulate", "scene.toml", "-o", "axis"}).err,
                   {"warning: scene.toml:10:8: ", "turned by 90 degrees about x", "another axis up"}));
}

TEST_F(CliRefusalTest, PosesInAnotherUnit) {
  folder_.write("scene.toml", scene_text());
  for (const double scale : {100.0, 0.01}) {
    folder_.write("key.obj", sheet([scale](double& x, double& y, double&) { x *= scale, y *= scale; }));
    const ProgramResult result = run({"solve", "scene.toml", "-o", "unit"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_TRUE(
        says(result.err, {"scene.toml:10:8: ", scale > 1 ? "edges are 100 times" : "edges are 0.01 times",
                          "export both in one unit"}));
  }
}

TEST_F(CliRefusalTest, WarningsOfSlivers) {
  folder_.write("scene.toml", shot_text());
  EXPECT_FALSE(says(run({"simulate", "scene.toml", "-o", "even"}).err, {"as long as high"}));
  // Vertex 14 almost meets 15.
  folder_.write("rest.obj", sheet([](double& x, double& y, double&) {
                  if (std::abs(x - 0.1) < 1e-6 && std::abs(y + 0.1) < 1e-6) x = 0.149;
                }));
  const std::vector<std::string> sentence{
      "2 of 50 triangles at least 20 times as long as high (worst: triangle 24 of vertices (14 20 15), 100 "
      "times; triangle 15 of vertices (9 14 15), 50 times; ",
      "merge vertices that are close together, or remesh"};
  const ProgramResult simulated = run({"simulate", "scene.toml", "-o", "slivers"});
  EXPECT_EQ(simulated.exit_code, 0);
  EXPECT_TRUE(says(simulated.err, {"warning: scene.toml:5:8: "}));
  EXPECT_TRUE(says(simulated.err, sentence));
  EXPECT_TRUE(says(run({"info", "rest.obj"}).err, sentence));
  EXPECT_TRUE(says(run({"new", "made", "--mesh", "rest.obj"}).err, sentence));
}

}  // namespace
}  // namespace keydrape
