// Cloth that falls over, or of which a part falls, is told of before it does; and cloth that does not is not.

#include <fmt/format.h>

#include <cmath>

#include "core/base/types.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

class CliStandingTest : public CliFolder {
 protected:
  static constexpr int kAround = 8, kRings = 5;

  // A tube of rings about an axis, the first ring at its high end. `place`: of an angle and a height [m].
  static std::string tube(const std::function<Vec3(double angle, double height)>& place) {
    std::string text;
    for (int i = 0; i < kRings; ++i)
      for (int j = 0; j < kAround; ++j) {
        const Vec3 p = place(2.0 * EIGEN_PI * j / kAround, -0.1 * i);
        text += fmt::format("v {:.6f} {:.6f} {:.6f}\n", p.x(), p.y(), p.z());
      }
    for (int i = 0; i + 1 < kRings; ++i)
      for (int j = 0; j < kAround; ++j) {
        const int a = i * kAround + j + 1, b = i * kAround + (j + 1) % kAround + 1;
        text += fmt::format("f {0} {1} {2}\nf {2} {1} {3}\n", a, a + kAround, b, b + kAround);
      }
    return text;
  }
  static Vec3 along_y(double angle, double h) { return {0.1 * std::cos(angle), h, 0.1 * std::sin(angle)}; }
  static Vec3 along_z(double angle, double h) { return {0.1 * std::cos(angle), 0.1 * std::sin(angle), h}; }

  // What is said of the cloth in tube.obj, held by a ring.
  std::string said(int ring, const std::string& axis = "", const std::string& more = "") const {
    std::string vertices;
    for (int j = 0; j < kAround; ++j) vertices += fmt::format("{}{}", j ? ", " : "", ring * kAround + j);
    folder_.write("tube.toml", "[shot]\nframes = \"1001-1006\"\nsubsteps = 2\n" + axis +
                                   "[cloth]\nrest = \"tube.obj\"\n[[pin]]\nvertices = [" + vertices + "]\n" +
                                   more);
    const ProgramResult result = run({"simulate", "tube.toml", "--dry-run"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  }

  // Two sheets beside each other, of 36 vertices each; the second `lower` by so much.
  void write_two_sheets(double lower) const {
    const std::string one = sheet();
    std::string vertices, faces;
    for (int k = 0; k < 2; ++k)
      for (int i = 0; i < kSide; ++i)
        for (int j = 0; j < kSide; ++j)
          vertices += fmt::format("v {} {} 0\n", 0.05 * j + 0.4 * k, -0.05 * i - lower * k);
    for (int k = 0; k < 2; ++k)
      for (int i = 0; i + 1 < kSide; ++i)
        for (int j = 0; j + 1 < kSide; ++j) {
          const int v = k * kVertices + i * kSide + j + 1;
          faces +=
              fmt::format("f {} {} {}\nf {} {} {}\n", v, v + kSide, v + 1, v + 1, v + kSide, v + kSide + 1);
        }
    folder_.write("rest.obj", vertices + faces + "g left\np 1 2 3\ng right\np 37 38 39 40 41 42\n");
  }

  std::string said_of_parts(const std::string& more) const {
    folder_.write("scene.toml", shot_text() + more);
    const ProgramResult result = run({"simulate", "scene.toml", "--dry-run"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  }
};

TEST_F(CliStandingTest, OnItsPins) {
  folder_.write("tube.obj", tube(along_y));
  EXPECT_TRUE(says(said(kRings - 1), {"tube.toml:1:1: [shot] up_axis: with Y up the cloth stands on its pins",
                                      "the lowest 0 % of its height", "or Z its axis that points up?"}));
  EXPECT_EQ(said(0), "");
  EXPECT_EQ(said(1), "");
}

TEST_F(CliStandingTest, OutFromItsPins) {
  folder_.write("tube.obj", tube(along_z));
  const std::string doubt =
      "with Y up the cloth sticks out level from its pins, which hold one end of it along Z";
  EXPECT_TRUE(says(said(0), {"[shot] up_axis: ", doubt, "set up_axis = \"Z\""}));
  EXPECT_TRUE(says(said(kRings - 1), {doubt}));
  EXPECT_EQ(said(0, "up_axis = \"Z\"\n"), "");
  EXPECT_EQ(said(2), "");  // held by its waist
  folder_.write("tube.obj", tube(along_y));
  EXPECT_TRUE(
      says(said(0, "up_axis = \"Z\"\n"), {"with Z up the cloth sticks out level", "up_axis = \"Y\""}));
}

TEST_F(CliStandingTest, NotWhereSomethingElseHoldsIt) {
  folder_.write("tube.obj", tube(along_y));
  const int last = kRings - 1;
  EXPECT_EQ(said(last, "", "[[collider]]\nsphere = {center = [0, -0.1, 0], radius = 0.05}\n"), "");
  EXPECT_EQ(said(last, "gravity = [0, 9.81, 0]\n").find("up_axis: with"), std::string::npos);
  EXPECT_EQ(said(last, "gravity = [0, 0, 0]\n"), "");
  folder_.write("flat.obj", sheet([](double&, double& y, double& z) { std::swap(y, z); }));
  folder_.write("scene.toml", "[shot]\nframes = \"1001-1006\"\n[cloth]\nrest = \"flat.obj\"\n" + pin_text());
  EXPECT_EQ(run({"simulate", "scene.toml", "--dry-run"}).err, "");
}

TEST_F(CliStandingTest, SaysHowLargeTheClothIsAndWhichAxisIsUp) {
  EXPECT_TRUE(
      says(run({"solve", "scene.toml", "--dry-run"}).out, {"0.25 x 0.25 x 0 m at the first frame, Y up"}));
}

TEST_F(CliStandingTest, APartThatNothingHolds) {
  write_two_sheets(0.01);
  EXPECT_TRUE(
      says(said_of_parts("[[pin]]\ngroup = \"left\"\n"),
           {"scene.toml:5:8: [cloth] rest: no [[pin]] holds 1 of 2 parts: one of 36 vertices (highest: "
            "vertex 36 (group right)); what nothing holds falls: pin it as well"}));
  // In the first lines of a run, too, whose forces may hold it.
  folder_.write("key.obj", folder_.read("rest.obj"));
  folder_.write("scene.toml",
                shot_text() + "[[pin]]\ngroup = \"left\"\n" + keyframe_text("tolerance = 0.3\n"));
  const std::string solved = run({"solve", "scene.toml", "-o", "out", "--no-report"}).err;
  EXPECT_LT(solved.find("no [[pin]] holds 1 of 2 parts"), solved.find("iteration 0"));
  EXPECT_TRUE(says(solved, {"falls, but for the forces of a search: "}));
}

TEST_F(CliStandingTest, PartsThatAreMeantToFallOrAreHeld) {
  write_two_sheets(0.01);
  const std::string left = "[[pin]]\ngroup = \"left\"\n", right = "[[pin]]\ngroup = \"right\"\n";
  EXPECT_EQ(said_of_parts(""), "");
  EXPECT_EQ(said_of_parts(left + right), "");
  EXPECT_EQ(said_of_parts(left + right + "stiffness = 100\n"), "");
  EXPECT_EQ(said_of_parts(left + "[[spring]]\npairs = [[5, 36]]\nstiffness = 100\n"), "");
  EXPECT_EQ(said_of_parts(left + "[[collider]]\nsphere = {center = [0.5, -0.6, 0], radius = 0.2}\n"), "");
  EXPECT_TRUE(says(said_of_parts(left + "[[collider]]\nsphere = {center = [2, -0.6, 0], radius = 0.2}\n"),
                   {"1 of 2 parts"}));
}

TEST_F(CliStandingTest, NewSaysWhichPartsItsPinLeavesOut) {
  write_two_sheets(0.1);
  const ProgramResult made = run({"new", "own", "--mesh", "rest.obj"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(says(made.err, {"pins: edge1, 20 vertices",
                              "parts: nothing holds 1 of 2 parts: one of 36 "
                              "vertices (highest: vertex 36 (group right))",
                              "add a [[pin]] for each of them"}))
      << made.err;
  folder_.write("one.obj", sheet());
  EXPECT_FALSE(says(run({"new", "one", "--mesh", "one.obj"}).err, {"parts: "}));
}

}  // namespace
}  // namespace keydrape
