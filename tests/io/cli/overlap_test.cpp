#include <fmt/format.h>

#include <sstream>

#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

// What is said of cloth too near to itself or to a body that collides as triangles, and what is to be done.
class CliOverlapTest : public CliFolder {
 protected:
  // Two sheets of 3 x 3 vertices; the second lies beside the first by `beside` and behind it by `behind`.
  static std::string two_sheets(double beside, double behind) {
    std::string vertices, faces;
    for (int k = 0; k < 2; ++k)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          vertices += fmt::format("v {} {} {}\n", 0.125 * j + k * beside, -0.125 * i, k * behind);
    for (const int first : {1, 10})
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
          const int v = first + 3 * i + j;
          faces += fmt::format("f {} {} {}\nf {} {} {}\n", v, v + 3, v + 1, v + 1, v + 3, v + 4);
        }
    return vertices + faces;
  }

  // An open quad across the plane z = `height`, tilted by `tilt` over a metre.
  void write_plate(double height, double tilt = 0.0) const {
    folder_.write("plate.obj",
                  fmt::format("v -1 -1 {0}\nv 1 -1 {0}\nv -1 1 {1}\nv 1 1 {1}\nf 1 2 3\nf 2 4 3\n",
                              height - tilt, height + tilt));
  }
  static std::string plate_text() { return "[[collider]]\nmesh = \"plate.obj\"\nas = \"surface\"\n"; }

  std::string refusal(const std::string& scene) const {
    folder_.write("scene.toml", scene);
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "refused"});
    EXPECT_EQ(result.exit_code, 3) << result.err;
    return result.err;
  }
};

TEST_F(CliOverlapTest, SeamThatIsNotWelded) {
  folder_.write("rest.obj", two_sheets(0.25, 0.0));
  EXPECT_TRUE(
      says(refusal(shot_text() + "[contact]\n"),
           {"scene.toml:6:", "as on a seam that is not welded, nearest ", "0 m apart; weld these vertices"}));
  EXPECT_TRUE(says(refusal(shot_text() + "[contact]\nrepair = true\n"), {"repair = true cannot mend this"}));
}

TEST_F(CliOverlapTest, TrianglesSmallerThanTheThickness) {
  const std::string message = refusal(shot_text() + "[contact]\nthickness = 0.06\n");
  EXPECT_TRUE(says(message, {"nearer than its thickness of 0.06 m", "as near in the rest mesh", "nearest ",
                             "m apart", "make thickness under [contact] smaller"}));
  EXPECT_FALSE(says(message, {"pull them apart"}));
}

// Of a mesh that a wrong unit makes tiny the unit is asked for first.
TEST_F(CliOverlapTest, AMeshInAnotherUnit) {
  const std::string message = refusal(shot_text("meters_per_unit = 0.001\n") + "[contact]\n");
  EXPECT_TRUE(says(message, {"; is meters_per_unit under [shot] that of another mesh? It makes this one "
                             "0.000354 m large; if it is as small, make thickness under [contact] smaller"}))
      << message;
  EXPECT_FALSE(says(refusal(shot_text() + "[contact]\nthickness = 0.06\n"), {"meters_per_unit"}));
}

TEST_F(CliOverlapTest, LayersOfAPose) {
  folder_.write("rest.obj", two_sheets(0.013, 0.1));
  folder_.write("start.obj", two_sheets(0.013, 1e-5));
  EXPECT_TRUE(says(refusal(shot_text() + "initial = \"start.obj\"\n[contact]\n"),
                   {"layers of the cloth are no farther apart than its thickness of 0.00018 m in ",
                    "nearest ", "0.00001 m apart", "pull them apart"}));
}

// A lining, one thickness from its cloth: rounding alone would tell whether that is enough.
TEST_F(CliOverlapTest, LayersOneThicknessApart) {
  const std::string contact = "[contact]\nthickness = 0.001\n";
  for (const double at : {0.0, 0.7, 0.9, 1.0, 1.2}) {
    std::string mesh;
    std::istringstream lines(two_sheets(0.0, 0.001));
    for (std::string line; std::getline(lines, line); mesh += line + "\n")
      if (line.starts_with("v ")) {
        const std::size_t z = line.rfind(' ');
        line = line.substr(0, z) + fmt::format(" {:.6f}", std::stod(line.substr(z)) + at);
      }
    folder_.write("rest.obj", mesh);
    EXPECT_TRUE(says(refusal(shot_text() + contact), {"thickness of 0.001 m"})) << at;
    folder_.write("scene.toml", shot_text() + "[contact]\nthickness = 0.00099\n");
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--force"});
    EXPECT_EQ(result.exit_code, 0) << at << result.err;
  }
}

// It is clean, but flies off at the first step; what is advised instead does not.
TEST_F(CliOverlapTest, AStartThatContactThrowsOffIsWarnedOf) {
  const auto scene = [&](double distance, const std::string& initial) {
    const std::string substeps = "substeps = 2";
    std::string shot = shot_text();
    shot.replace(shot.find(substeps), substeps.size(), "substeps = 20");
    folder_.write(
        "scene.toml",
        shot + initial + pin_text() + "[contact]\nthickness = 0.001\n" +
            fmt::format("[[collider]]\nplane = {{point = [0, 0, {}], normal = [0, 0, 1]}}\n", -distance));
  };
  const auto is_thrown = [&] {
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--force"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return says(result.err, {"scene.toml:4:1: [cloth] initial: the cloth begins so near to a body or itself, "
                             "0.0006 m, that contact throws it off, at some ",
                             " m/s; expected a start at rest"});
  };
  scene(0.0006, "");
  EXPECT_TRUE(is_thrown());
  const ProgramResult draped = run({"drape", "scene.toml", "-o", "rest"});
  ASSERT_EQ(draped.exit_code, 0) << draped.err;
  EXPECT_FALSE(says(draped.err, {"throws it off"}));
  scene(0.0006, "initial = \"rest/drape.obj\"\n");
  EXPECT_FALSE(is_thrown());
  scene(0.0006, "initial = \"drape\"\n");
  EXPECT_FALSE(is_thrown());
  scene(0.01, "");
  EXPECT_FALSE(is_thrown());
}

TEST_F(CliOverlapTest, RepairPushesOffASurface) {
  write_plate(-5e-5);
  EXPECT_TRUE(says(refusal(shot_text() + plate_text()),
                   {"scene.toml:6:", "nearer to this body than 0.00009 m in ",
                    "the body's triangle (0, 1, 2)", "0.00005 m apart", "set repair = true"}));
  folder_.write("scene.toml", shot_text() + "[contact]\nrepair = true\n" + plate_text());
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(says(result.err, {"[contact] repair: ", "it was moved", "farthest, by "}));
}

TEST_F(CliOverlapTest, RepairSaysThatItPullsNothingOutOfASurface) {
  write_plate(0.06, 0.5);
  EXPECT_TRUE(says(refusal(shot_text() + "[contact]\nrepair = true\n" + plate_text()),
                   {"scene.toml:8:", "goes through this body in ", "repair = true cannot mend this"}));
}

TEST_F(CliOverlapTest, KeyframesThroughASurfaceAreWarnedOf) {
  write_plate(0.05);
  folder_.write("scene.toml", shot_text() + plate_text() + keyframe_text());
  const ProgramResult result = run({"solve", "scene.toml", "--dry-run"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(says(
      result.err, {"scene.toml:11:8:", "the target at frame 1006 goes through the [[collider]] of line 6 in ",
                   "the first near vertex ", "counted from 0, at (", "settles for the nearest"}));
}

}  // namespace
}  // namespace keydrape
