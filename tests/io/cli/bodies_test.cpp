#include <fmt/format.h>

#include "io/formats/npy.h"
#include "io/formats/pc2.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

// Meshes and motions of bodies that are not what their artist believes, and pins within bodies.
class CliBodiesTest : public CliFolder {
 protected:
  CliBodiesTest() {
    folder_.write("rest.obj", sheet([](double&, double& y, double& z) {
                    z = -y;
                    y = 0.0;
                  }));
  }

  static std::string box(const Vec3& low, const Vec3& high, int first = 1) {
    std::string text;
    for (int n = 0; n < 8; ++n)
      text += fmt::format("v {} {} {}\n", n & 1 ? high.x() : low.x(), n & 2 ? high.y() : low.y(),
                          n & 4 ? high.z() : low.z());
    for (const auto& [a, b, c] : {std::array{0, 2, 1},
                                  {1, 2, 3},
                                  {4, 5, 6},
                                  {5, 7, 6},
                                  {0, 1, 4},
                                  {1, 5, 4},
                                  {2, 6, 3},
                                  {3, 6, 7},
                                  {0, 4, 2},
                                  {2, 4, 6},
                                  {1, 3, 5},
                                  {3, 7, 5}})
      text += fmt::format("f {} {} {}\n", first + a, first + b, first + c);
    return text;
  }

  // cube.pc2: where the corners of boxes are in the first three frames.
  void write_motion(const std::function<Vec3(int frame, int corner)>& position, int count = 8) const {
    Pc2Writer motion(folder_ / "cube.pc2", {count, 1001.0, 1.0});
    for (int f = 0; f < 3; ++f) {
      VecX sample(3 * count);
      for (int n = 0; n < count; ++n) sample.segment<3>(3 * n) = position(f, n);
      motion.append(sample);
    }
    motion.commit();
  }

  static std::string scene_with(const std::string& more) {
    return "[shot]\nframes = \"1001-1003\"\nsubsteps = 1\n[cloth]\nrest = \"rest.obj\"\n" + more;
  }

  ProgramResult simulate(const std::string& scene) const {
    folder_.write("scene.toml", scene);
    return run({"simulate", "scene.toml", "-o", "out", "--force"});
  }
};

// A thin table over a wide floor, in one mesh: 1/64 of the floor is thicker than the table.
TEST_F(CliBodiesTest, ThinPartsOfALargeMeshAreWarnedOf) {
  const std::string floor = box(Vec3(-5, -1, -5), Vec3(5, -0.8, 5));
  folder_.write("set.obj", floor + box(Vec3(0, -0.26, 0), Vec3(0.3, -0.2, 0.3), 9));
  const ProgramResult warned = simulate(scene_with("[[collider]]\nmesh = \"set.obj\"\n"));
  EXPECT_EQ(warned.exit_code, 0) << warned.err;
  EXPECT_TRUE(says(warned.err, {"scene.toml:6:",
                                "with voxel = 0.156 m the body that cloth feels stands out from the "
                                "mesh by up to 0.0",
                                "set a smaller voxel"}));
  folder_.write("set.obj", floor + box(Vec3(0, -0.08, 0), Vec3(0.3, -0.02, 0.3), 9));
  const ProgramResult refused = simulate(scene_with("[[collider]]\nmesh = \"set.obj\"\n"));
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(says(refused.err,
                   {"inside of this body", "; with voxel = 0.156 m the body that cloth feels stands out"}));
}

// What one part of a mesh covers of another is inside of their union and stands out from nothing.
TEST_F(CliBodiesTest, PartsThatOverlapAreNotWarnedOf) {
  const std::string torso = box(Vec3(-0.2, -0.5, -0.2), Vec3(0.2, -0.1, 0.2));
  const auto messages_with = [&](const std::string& part, const std::string& more = "") {
    folder_.write("set.obj", torso + part);
    const ProgramResult found = simulate(scene_with("[[collider]]\nmesh = \"set.obj\"\n" + more));
    EXPECT_EQ(found.exit_code, 0) << found.err;
    return found.err;
  };
  const std::string arm = box(Vec3(0.1, -0.4, -0.1), Vec3(0.4, -0.2, 0.1), 9);
  const std::string inner = box(Vec3(-0.05, -0.35, -0.05), Vec3(0.05, -0.25, 0.05), 9);
  const std::string shoulder = box(Vec3(0.04, -0.4, 0.04), Vec3(0.4, -0.15, 0.4), 9);
  for (const std::string& part : {arm, inner, shoulder}) {
    const std::string messages = messages_with(part);
    EXPECT_EQ(messages.find("stands out"), std::string::npos) << messages;
  }
  // Thin, and sharp: edges and corners of the torso.
  const std::string fin = box(Vec3(0, -0.3, -0.001), Vec3(0.6, -0.25, 0.001), 9);
  for (const std::string& part : {fin, std::string()})
    EXPECT_TRUE(says(messages_with(part, "voxel = 0.04\n"), {"stands out from the mesh by up to 0.0"}));
}

// Its distances reach many times as far as it is large: a grid as fine as of a large body would take minutes.
TEST_F(CliBodiesTest, ABodyInAnotherUnitIsDoubted) {
  folder_.write("crumb.obj", box(Vec3(0.1, -0.3, 0.1), Vec3(0.101, -0.299, 0.101)));
  const ProgramResult found = simulate(scene_with("[[collider]]\nmesh = \"crumb.obj\"\n"));
  EXPECT_EQ(found.exit_code, 0) << found.err;
  EXPECT_TRUE(says(found.err, {"scene.toml:6:",
                               "[[collider]] mesh: this body is 0.001 m large, and the cloth's "
                               "mean edge ",
                               "is it in another unit than the cloth?"}));
}

TEST_F(CliBodiesTest, MotionInAnotherUnitNamesItsFrame) {
  folder_.write("cube.obj", box(Vec3(0, -0.12, 0), Vec3(0.5, -0.1, 0.5)));
  write_motion([](int f, int n) -> Vec3 {
    return (f < 2 ? 1.0 : 100.0) * Vec3(n & 1 ? 0.5 : 0.0, n & 2 ? -0.1 : -0.12, n & 4 ? 0.5 : 0.0);
  });
  const std::string body = "[[collider]]\nmesh = \"cube.obj\"\nmotion = \"cube.pc2\"\n";
  const ProgramResult volume = simulate(scene_with(body));
  EXPECT_EQ(volume.exit_code, 3);
  EXPECT_TRUE(says(volume.err, {"scene.toml:8:", "[[collider]] motion: ", "cube.pc2: at frame 1003 ",
                                "voxels of 0.00781 m", "in one unit"}));
  const ProgramResult surface = simulate(scene_with(body + "as = \"surface\"\n"));
  EXPECT_TRUE(says(surface.err, {"scene.toml:8:", "cube.pc2: at frame 1003 the body is 70.7 m across",
                                 "its mesh is 0.707 m", "meters_per_unit"}));
}

// One of two boxes flies off, so that no table holds the space between them.
TEST_F(CliBodiesTest, ErrorsInTheMiddleOfARunNameTheBody) {
  const Vec3 low(0, -0.2, 0), high(0.25, -0.1, 0.25);
  folder_.write("cube.obj", box(low, high) + box(low - Vec3(0, 0.3, 0), high - Vec3(0, 0.3, 0), 9));
  write_motion(
      [&](int f, int n) -> Vec3 {
        const Vec3 corner(n & 1 ? 0.25 : 0.0, n & 2 ? -0.1 : -0.2, n & 4 ? 0.25 : 0.0);
        return n < 8 ? corner : Vec3(corner - Vec3(0, 0.3, 0) - (f == 2 ? 1e4 : 0.0) * Vec3(1, 1, 1));
      },
      16);
  const ProgramResult result =
      simulate(scene_with("[[collider]]\nmesh = \"cube.obj\"\nmotion = \"cube.pc2\"\nvoxel = 0.02\n"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(
      says(result.err, {"error: scene.toml:8:", "[[collider]] motion: ", "cube.pc2: at frame 1003: "}));
}

// The last step of a pin is rounded to after its frame at these rates, and contact took the vertex for free.
// A pole that stands still, in the way of cloth that a ball takes along at 12 m/s.
TEST_F(CliBodiesTest, WhatABodyCarriesPassesNoOther) {
  const ProgramResult result = simulate(
      "[shot]\nframes = \"1001-1003\"\nsubsteps = 4\n[cloth]\nrest = \"rest.obj\"\n[contact]\n"
      "[[collider]]\nsphere = { center = [0.125, 0.06, 0.05], radius = 0.05 }\n"
      "translate = [[1001, [0, 0, 0]], [1003, [0, -1, 0]]]\n"
      "[[collider]]\ncapsule = { start = [-1, -0.03, 0.2], end = [1.25, -0.03, 0.2], radius = 0.01 }\n"
      "[output]\nevery_step = true\n");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const VecX x = read_npy(folder_ / "out/steps.npy").values;
  ASSERT_EQ(x.size(), 9 * 3 * kVertices);
  for (Eigen::Index i = 0; i < x.size(); i += 3) {
    const bool is_above = std::abs(x[i + 2] - 0.2) > 0.012 || x[i + 1] > -0.03;
    EXPECT_TRUE(is_above) << "at " << i / 3;
  }
}

// Its triangles go straight from one step to the next.
TEST_F(CliBodiesTest, ASurfaceThatTurnsFarInAStepIsWarnedOf) {
  folder_.write("blade.obj", "v -0.1 -0.5 -1\nv 0.1 -0.5 -1\nv 0 -0.5 -2\nf 1 2 3\n");
  const auto turning = [&](double degrees) {
    return simulate(scene_with(fmt::format(
                        "[[collider]]\nmesh = \"blade.obj\"\nas = \"surface\"\npivot = [0, 0, 0]\n"
                        "rotate = [[1001, [0, 0, 0]], [1003, [0, {}, 0]]]\n",
                        degrees)))
        .err;
  };
  // 2 m out, by 20 degrees a step: 2 (1 - cos 10).
  EXPECT_TRUE(says(turning(40), {"[[collider]] rotate: at frame 100", "are 0.03 m off their way"}))
      << turning(40);
  EXPECT_FALSE(says(turning(1), {"off their way"}));
}

TEST_F(CliBodiesTest, PinsWithinABodyHoldToTheirLastFrame) {
  for (const char* fps : {"25", "29.97"}) {
    const ProgramResult result = simulate(fmt::format(
        "[shot]\nfps = {}\nframes = \"1-36\"\nsubsteps = 4\ngravity = [0, 0, 0]\n[cloth]\nrest = "
        "\"rest.obj\"\n[[pin]]\nvertices = [0]\n[[collider]]\nsphere = {{center = [0, 0, 0], radius "
        "= 0.02}}\n",
        fps));
    EXPECT_EQ(result.exit_code, 0) << fps << result.err;
  }
}

TEST_F(CliBodiesTest, PinThatLetsGoWithinABodyIsNamed) {
  const ProgramResult result = simulate(
      "[shot]\nframes = \"1-4\"\nsubsteps = 2\n[cloth]\nrest = \"rest.obj\"\n[[pin]]\nvertices = [0]\nframes "
      "= \"1-2\"\n"
      "[[collider]]\nsphere = {center = [0, 0, 0], radius = 0.02}\n");
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(says(result.err, {"a pin let go within a body", "vertex 0, counted from 0, is ",
                                " m within [[collider]] 0", "where a pin let it go"}));
}

TEST_F(CliBodiesTest, BodiesThatCloseOnTheClothAreNamed) {
  const ProgramResult result = simulate(
      "[shot]\nframes = \"1-6\"\nsubsteps = 2\n[cloth]\nrest = \"rest.obj\"\n"
      "[[collider]]\nbox = {min = [-0.1, 0.1, -0.1], max = [0.4, 0.3, 0.4]}\n"
      "translate = [[1, [0, 0, 0]], [4, [0, -0.15, 0]]]\n"
      "[[collider]]\nbox = {min = [-0.1, -0.3, -0.1], max = [0.4, -0.1, 0.4]}\n"
      "translate = [[1, [0, 0, 0]], [4, [0, 0.15, 0]]]\n");
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(says(result.err, {" m within [[collider]] ", "close on the cloth it needs room between them"}));
}

TEST_F(CliBodiesTest, StretchScaleBeyondTheStrainLimitIsNamed) {
  const ProgramResult result = simulate(scene_with(
      "[cloth.material]\npreset = \"cotton\"\nstrain_limit = 0.1\nstretch_scale = [[1001, [1, 1]], [1002, "
      "[0.5, 0.5]]]\n[[pin]]\nvertices = [0, 5, 30, 35]\n"));
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(
      says(result.err, {"pins or stretch_scale drive cloth", "; 50 triangles are beyond the strain limit"}));
}

TEST_F(CliBodiesTest, HardPinsThatDisagreeAreRefused) {
  const std::string first = "[[pin]]\nvertices = [0, 3]\naxis = [0, 1, 0]\n";
  const auto refusal = [&](const std::string& second) {
    const ProgramResult result = simulate(scene_with(first + second));
    EXPECT_EQ(result.exit_code, 3) << result.err;
    return result.err;
  };
  EXPECT_TRUE(says(refusal("[[pin]]\nvertices = [3]\n"),
                   {"scene.toml:9:",
                    "at frame 1001 vertex 3, counted from 0, is held by the [[pin]] of line 6 as well, "
                    "in other directions",
                    "give one a stiffness"}));
  Pc2Writer motion(folder_ / "pin.pc2", {1, 1001.0, 1.0});
  for (int f = 0; f < 3; ++f) {
    VecX sample(3);
    sample << 0.15 + (f == 2 ? 0.01 : 0.0), 0.1 * f, 0.0;  // along the axis, and off it in the last frame
    motion.append(sample);
  }
  motion.commit();
  const std::string moved = "[[pin]]\nvertices = [3]\naxis = [0, 1, 0]\nmotion = \"pin.pc2\"\n";
  EXPECT_TRUE(says(refusal(moved), {"at frame 1003 vertex 3,", "at another place"}));
  for (const std::string& agrees :
       {moved + "frames = \"1001-1002\"\n", std::string("[[pin]]\nvertices = [1]\n"),
        std::string("[[pin]]\nvertices = [3]\nstiffness = 10\n")}) {
    const ProgramResult result = simulate(scene_with(first + agrees));
    EXPECT_EQ(result.exit_code, 0) << agrees << result.err;
  }
}

}  // namespace
}  // namespace keydrape
