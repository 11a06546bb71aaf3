#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "io/formats/npy.h"
#include "io/formats/pc2.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

// Scenes with [[collider]] and [contact] through the program. The cloth of CliFolder: 0 <= x <= 0.25, -0.25
// <= y <= 0, z = 0, laid level here: y = 0, 0 <= z <= 0.25.
class CliContactTest : public CliFolder {
 protected:
  CliContactTest() {
    folder_.write("rest.obj", level_sheet());
    folder_.write("cube.obj", cube(Vec3(0.05, -0.12, 0.05), 0.1));
  }

  static std::string level_sheet(double height = 0.0) {
    return sheet([height](double&, double& y, double& z) {
      z = -y;
      y = height;
    });
  }

  static std::string cube(const Vec3& low, double side, bool is_open = false) {
    std::string text;
    for (int n = 0; n < 8; ++n)
      text += fmt::format("v {} {} {}\n", low.x() + (n & 1 ? side : 0), low.y() + (n & 2 ? side : 0),
                          low.z() + (n & 4 ? side : 0));
    text +=
        "f 1 3 2\nf 2 3 4\nf 5 6 7\nf 6 8 7\nf 1 2 5\nf 2 6 5\nf 3 7 4\nf 4 7 8\nf 1 5 3\nf 3 5 7\n"
        "f 2 4 6\n";
    return is_open ? text : text + "f 4 8 6\n";
  }

  // cube.pc2: where point n of a cube is in frame f.
  void write_motion(const std::function<Vec3(int f, int n)>& position, int point_count = 8) const {
    Pc2Writer motion(folder_ / "cube.pc2", {point_count, 1001.0, 1.0});
    for (int f = 0; f < 7; ++f) {
      VecX sample(3 * point_count);
      for (int n = 0; n < point_count; ++n) sample.segment<3>(3 * n) = position(f, n);
      motion.append(sample);
    }
    motion.commit();
  }

  // Seven frames: a quarter of a second's fall, which is 0.3 m without a body.
  static std::string falling(const std::string& collider, const std::string& contact = "") {
    return "[shot]\nframes = \"1001-1007\"\nsubsteps = 4\n[cloth]\nrest = \"rest.obj\"\n[contact]\n" +
           contact + "[[collider]]\n" + collider;
  }

  // Positions of every frame (frames x 36 x 3).
  VecX simulate(const std::string& scene) const {
    folder_.write("scene.toml", scene);
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--force"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.exit_code == 0 ? read_npy(folder_ / "out/positions.npy").values : VecX::Zero(7 * 36 * 3);
  }

  // The least of `distance` over all vertices and frames [m].
  double nearest(const std::string& scene, const std::function<double(const Vec3&)>& distance) const {
    const VecX x = simulate(scene);
    double least = 1e300;
    for (Eigen::Index i = 0; i < x.size(); i += 3) least = std::min(least, distance(x.segment<3>(i)));
    return least;
  }

  std::string refusal(const std::string& scene) const {
    folder_.write("scene.toml", scene);
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "refused"});
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "refused"));
    return result.err;
  }

  static constexpr double kNear = 5e-3;  // cloth that has landed is not further off than this [m]
};

TEST_F(CliContactTest, SphereHoldsTheCloth) {
  const double d = nearest(falling("sphere = {center = [0.125, -0.12, 0.125], radius = 0.1}\n"),
                           [](const Vec3& p) { return (p - Vec3(0.125, -0.12, 0.125)).norm() - 0.1; });
  EXPECT_GT(d, 0.0);
  EXPECT_LT(d, kNear);
}

TEST_F(CliContactTest, PlaneHoldsTheClothAtHalfItsThickness) {
  const double d =
      nearest(falling("plane = {point = [0, -0.02, 0], normal = [0, 2, 0]}\n", "thickness = 0.004\n"),
              [](const Vec3& p) { return p.y() + 0.02; });
  EXPECT_GT(d, 0.002);
  EXPECT_LT(d, 0.002 + kNear);
}

TEST_F(CliContactTest, CapsuleHoldsTheCloth) {
  const double d =
      nearest(falling("capsule = {start = [0, -0.08, 0.125], end = [0.25, -0.08, 0.125], radius = 0.06}\n"),
              [](const Vec3& p) {
                const Vec3 on_axis(std::clamp(p.x(), 0.0, 0.25), -0.08, 0.125);
                return (p - on_axis).norm() - 0.06;
              });
  EXPECT_GT(d, 0.0);
  EXPECT_LT(d, kNear);
}

TEST_F(CliContactTest, BoxHoldsTheCloth) {
  const double d =
      nearest(falling("box = {min = [0.05, -0.12, 0.05], max = [0.2, -0.02, 0.2]}\n"), [](const Vec3& p) {
        const Vec3 q = (p - Vec3(0.125, -0.07, 0.125)).cwiseAbs() - Vec3(0.075, 0.05, 0.075);
        return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0);
      });
  EXPECT_GT(d, 0.0);
  EXPECT_LT(d, kNear);
}

TEST_F(CliContactTest, MeshHoldsTheCloth) {
  const double d = nearest(falling("mesh = \"cube.obj\"\nvoxel = 0.01\n"), [](const Vec3& p) {
    const Vec3 q = (p - Vec3(0.1, -0.07, 0.1)).cwiseAbs() - Vec3::Constant(0.05);
    return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0);
  });
  EXPECT_GT(d, 0.0);
  EXPECT_LT(d, kNear);
}

TEST_F(CliContactTest, MeshesAreInTheScenesUnit) {
  folder_.write("rest.obj", sheet([](double& x, double& y, double& z) { x *= 100, z = -100 * y, y = 0; }));
  folder_.write("cube.obj", cube(Vec3(5, -12, 5), 10));
  // Lengths of the scene file stay metres.
  std::string scene = falling("mesh = \"cube.obj\"\nvoxel = 0.01\n");
  scene.insert(scene.find("substeps"), "meters_per_unit = 0.01\n");
  const double d = nearest(scene, [](const Vec3& p) {
    const Vec3 q = (p - Vec3(0.1, -0.07, 0.1)).cwiseAbs() - Vec3::Constant(0.05);
    return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0);
  });
  EXPECT_GT(d, 0.0);
  EXPECT_LT(d, kNear);
}

TEST_F(CliContactTest, TranslateKeysLiftTheCloth) {
  const VecX x =
      simulate(falling("box = {min = [-0.1, -0.1, -0.1], max = [0.4, -0.01, 0.4]}\nfriction = 0.5\n"
                       "translate = [[1001, [0, 0, 0]], [1007, [0, 0.3, 0]]]\n"));
  const auto frame = [&](int f) { return x.segment(f * 36 * 3, 36 * 3).reshaped(3, 36); };
  for (int f = 0; f < 7; ++f) EXPECT_GT(frame(f).row(1).minCoeff(), -0.01 + 0.05 * f) << f;
  EXPECT_GT(frame(6).row(1).minCoeff(), 0.29);
}

TEST_F(CliContactTest, RotateKeysTurnTheClothByFriction) {
  const auto turned_by = [&](const std::string& friction) {
    const VecX x =
        simulate(falling("box = {min = [-0.1, -0.1, -0.1], max = [0.35, -0.003, 0.35]}\n"
                         "rotate = [[1001, [0, 0, 0]], [1007, [0, 12, 0]]]\n" +
                         friction));
    const Vec3 middle(0.125, 0, 0.125);
    double sine = 0.0, cosine = 0.0;
    for (int i = 0; i < 36; ++i) {
      const Vec3 a = x.segment<3>(3 * i) - middle, b = x.segment<3>(3 * (6 * 36 + i)) - middle;
      sine += b.x() * a.z() - b.z() * a.x();
      cosine += b.x() * a.x() + b.z() * a.z();
    }
    return std::atan2(sine, cosine) * 180 / 3.14159265358979;
  };
  EXPECT_NEAR(turned_by("friction = 1.5\n"), 12.0, 4.0);  // it takes time to land and to catch up
  EXPECT_NEAR(turned_by(""), 0.0, 1e-3);
}

TEST_F(CliContactTest, MotionDeformsAMesh) {
  folder_.write("cube.obj", cube(Vec3(-0.1, -0.46, -0.1), 0.45));
  write_motion([](int f, int n) {
    return Vec3(n & 1 ? 0.35 : -0.1, n & 2 ? -0.01 + 0.02 * f : -0.46, n & 4 ? 0.35 : -0.1);
  });
  std::string scene = falling("mesh = \"cube.obj\"\nmotion = \"cube.pc2\"\nvoxel = 0.04\nfriction = 0.3\n");
  const VecX x = simulate(scene.replace(scene.find("substeps = 4"), 12, "substeps = 1"));
  for (int f = 0; f < 7; ++f)
    EXPECT_GT(x.segment(f * 36 * 3, 36 * 3).reshaped(3, 36).row(1).minCoeff(), -0.01 + 0.02 * f) << f;
}

TEST_F(CliContactTest, ClothThatBeginsInsideABody) {
  EXPECT_TRUE(says(refusal(falling("sphere = {center = [0.1, -0.01, 0.1], radius = 0.06}\n")),
                   {"scene.toml:7:", "[[collider]]: at the first frame ", " 5 vertices ",
                    "inside of this body", "vertex 14 by 0.0501 m", "initial"}));
}

// Its vertices are all outside.
TEST_F(CliContactTest, BodyThatBeginsWithinATriangle) {
  EXPECT_TRUE(says(refusal(falling("sphere = {center = [0.115, 0, 0.135], radius = 0.012}\n")),
                   {"scene.toml:7:", "[[collider]]: at the first frame ",
                    "points between the cloth's vertices are inside", "initial"}));
}

// As the two above, with leave to move the cloth.
TEST_F(CliContactTest, RepairMovesTheClothOut) {
  for (const char* sphere : {"sphere = {center = [0.1, -0.01, 0.1], radius = 0.06}\n",
                             "sphere = {center = [0.115, 0, 0.135], radius = 0.012}\n"}) {
    folder_.write("scene.toml", falling(sphere, "repair = true\n"));
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--force"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(says(result.err, {"[contact] repair: ", "it was moved", "farthest, by "}));
  }
  folder_.write("scene.toml", falling("sphere = {center = [0, -1, 0], radius = 0.1}\n", "repair = true\n"));
  EXPECT_FALSE(says(run({"simulate", "scene.toml", "-o", "out", "--force"}).err, {"repair"}));
}

TEST_F(CliContactTest, RepairMayFail) {
  folder_.write("start.obj", sheet([](double& x, double& y, double& z) {
                  const double seed = 100 * x + 17 * y;
                  x = 0.2 * std::sin(31 * seed * seed), z = 0.2 * std::sin(57 * seed * seed);
                  y = 0.2 * std::cos(91 * seed * seed);
                }));
  std::string scene = falling("sphere = {center = [0, -1, 0], radius = 0.1}\n", "repair = true\n");
  scene.insert(scene.find("[contact]"), "initial = \"start.obj\"\n");
  EXPECT_TRUE(says(refusal(scene), {"scene.toml:", "the cloth goes through itself in ",
                                    "repair = true was tried for ", " steps"}));
}

TEST_F(CliContactTest, KeyframesThatNoClothCanTakeAreWarnedOf) {
  // Vertex 14 is in the ball; the last vertex is bent round below the row before it.
  folder_.write("key.obj", sheet([](double& x, double& y, double& z) {
                  z = -y, y = 0;
                  if (x > 0.24 && z > 0.24) x = 0.17, z = 0.16, y = -0.01;
                  if (x > 0.19 && x < 0.21 && z > 0.24) y = 0.01;
                }));
  std::string scene = falling("sphere = {center = [0.1, -0.07, 0.1], radius = 0.08}\n");
  scene = scene.replace(scene.find("0.08"), 4, "0.05") +
          "translate = [[1001, [0, 0, 0]], [1004, [0, 0.03, 0]]]\n";
  folder_.write("scene.toml", scene + "[[keyframe]]\nframe = 1004\nmesh = \"key.obj\"\n");
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(says(result.err, {"the target at frame 1004 lies within the [[collider]] of line 7",
                                "at vertex 14 at (", "settles for the nearest"}));
  EXPECT_TRUE(
      says(result.err, {"the target at frame 1004 goes through itself in ", "passes through triangle "}));
}

TEST_F(CliContactTest, CheckReportsContact) {
  const std::string changes = "test runs cross a change of the contact set";
  const auto check_above = [&](const std::string& height) {
    folder_.write("scene.toml",
                  falling("plane = {point = [0, " + height + ", 0], normal = [0.3, 1, 0.1]}\n"));
    ProgramResult result = run({"check", "scene.toml", "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
  };
  const ProgramResult result = check_above("-0.1");
  const nlohmann::json check = nlohmann::json::parse(result.out);
  EXPECT_GE(check["contact_pairs"], 30);
  EXPECT_GE(check["contact_steps"], 10);
  EXPECT_LT(check["least_distance_m"], 5e-3);
  EXPECT_GT(check["least_distance_m"], 0.0);
  EXPECT_GT(check["contact_changes"], 0);
  EXPECT_TRUE(says(result.err, {changes}));
  const ProgramResult far = check_above("-5");
  const nlohmann::json none = nlohmann::json::parse(far.out);
  EXPECT_EQ(none["contact_pairs"], 0);
  EXPECT_EQ(none["contact_changes"], 0);
  EXPECT_FALSE(says(far.err, {changes}));
}

TEST_F(CliContactTest, StepsTellTheLeastDistance) {
  simulate(falling("plane = {point = [0, -0.02, 0], normal = [0, 1, 0]}\n"));
  const auto steps = read_json_lines("out/steps.jsonl");
  EXPECT_TRUE(steps.front()["least_distance_m"].is_null());
  EXPECT_EQ(steps.front()["contact_pairs"], 0);
  EXPECT_GT(steps.back()["contact_pairs"], 30);
  EXPECT_GT(steps.back()["least_distance_m"], 0.9e-4);  // half the thickness of cotton
  EXPECT_LT(steps.back()["least_distance_m"], 5e-3);
}

TEST_F(CliContactTest, PinnedClothMayBeginInsideABody) {
  folder_.write("scene.toml", falling("sphere = {center = [0, 0, 0], radius = 0.03}\n") + pin_text());
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

// A cube without a piece of its side: cloth falls on it from above, and is as near to it as to a volume.
TEST_F(CliContactTest, OpenMeshCollidesAsASurface) {
  folder_.write("cube.obj", cube(Vec3(0.05, -0.12, 0.05), 0.1, true));
  const auto box = [](const Vec3& p) {
    const Vec3 q = (p - Vec3(0.1, -0.07, 0.1)).cwiseAbs() - Vec3::Constant(0.05);
    return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0);
  };
  for (const std::string as : {"", "as = \"surface\"\n"}) {
    const double d = nearest(falling("mesh = \"cube.obj\"\n" + as), box);
    EXPECT_GT(d, 0.0);
    EXPECT_LT(d, kNear);
  }
  folder_.write("scene.toml", falling("mesh = \"cube.obj\"\n"));
  EXPECT_TRUE(says(run({"simulate", "scene.toml", "-o", "out", "--force"}).err,
                   {"scene.toml:7:", "edge (3, 5) belongs to 1 triangle", "collide as a surface"}));
}

TEST_F(CliContactTest, OpenMeshIsNoVolume) {
  folder_.write("cube.obj", cube(Vec3(0.05, -0.12, 0.05), 0.1, true));
  EXPECT_TRUE(says(refusal(falling("mesh = \"cube.obj\"\nas = \"volume\"\n")),
                   {"scene.toml:7:", "[[collider]]: ", "edge (3, 5) belongs to 1 triangle", "close it"}));
  EXPECT_TRUE(says(refusal(falling("mesh = \"cube.obj\"\nvoxel = 0.01\n")),
                   {"scene.toml:7:", "edge (3, 5) belongs to 1 triangle", "leave out voxel"}));
}

TEST_F(CliContactTest, ClothThatBeginsThroughASurface) {
  folder_.write("cube.obj", cube(Vec3(0.06, -0.03, 0.06), 0.1, true));
  EXPECT_TRUE(says(refusal(falling("mesh = \"cube.obj\"\nas = \"surface\"\n")),
                   {"scene.toml:7:", "at the first frame the cloth goes through this body in", "initial"}));
}

TEST_F(CliContactTest, SurfaceThatDeformsRubs) {
  folder_.write("cube.obj", cube(Vec3(-0.1, -0.46, -0.1), 0.45));
  write_motion([](int f, int n) {
    return Vec3(n & 1 ? 0.35 : -0.1, n & 2 ? -0.01 + 0.02 * f : -0.46, n & 4 ? 0.35 : -0.1);
  });
  std::string scene =
      falling("mesh = \"cube.obj\"\nas = \"surface\"\nmotion = \"cube.pc2\"\nfriction = 0.3\n");
  const VecX x = simulate(scene.replace(scene.find("substeps = 4"), 12, "substeps = 1"));
  for (int f = 0; f < 7; ++f)
    EXPECT_GT(x.segment(f * 36 * 3, 36 * 3).reshaped(3, 36).row(1).minCoeff(), -0.01 + 0.02 * f) << f;
}

TEST_F(CliContactTest, KeysThatHaveNoEffect) {
  write_motion([](int, int n) { return Vec3(n & 1, n & 2, n & 4); });
  const std::string sphere = "sphere = {center = [0, -1, 0], radius = 0.1}\n";
  EXPECT_TRUE(says(refusal(falling(sphere + "motion = \"cube.pc2\"\n")),
                   {"scene.toml:9:", "motion", "no effect", "together with mesh"}));
  EXPECT_TRUE(says(refusal(falling(sphere + "voxel = 0.01\n")),
                   {"scene.toml:9:", "voxel", "no effect", "together with mesh"}));
  EXPECT_TRUE(says(refusal(falling(sphere + "as = \"volume\"\n")),
                   {"scene.toml:9:", "as", "no effect", "together with mesh"}));
  EXPECT_TRUE(says(refusal(falling("mesh = \"cube.obj\"\nas = \"surface\"\nvoxel = 0.01\n")),
                   {"scene.toml:10:", "voxel", "no effect", "without as"}));
  const std::string deforming = "mesh = \"cube.obj\"\nmotion = \"cube.pc2\"\n";
  EXPECT_TRUE(says(refusal(falling(deforming + "translate = [0, 1, 0]\n")),
                   {"scene.toml:10:", "translate", "no effect", "without motion"}));
  EXPECT_TRUE(says(refusal(falling(deforming + "rotate = [0, 90, 0]\n")),
                   {"scene.toml:10:", "rotate", "no effect", "without motion"}));
  EXPECT_TRUE(says(refusal(falling(sphere + "pivot = [0, 1, 0]\n")),
                   {"scene.toml:9:", "pivot", "no effect", "together with rotate"}));
  for (const char* key : {"thickness = 0.004\n", "repair = true\n", "friction = 0.3\n",
                          "activation = 0.003\n", "stiffness = 0.2\n", "sliding_speed = 0.001\n"}) {
    const std::string alone = shot_text() + "[contact]\nself = false\n" + key;
    EXPECT_TRUE(says(refusal(alone), {"scene.toml:8:", "[contact]", "no effect", "with a [[collider]]"}))
        << key;
  }
  EXPECT_TRUE(says(refusal(falling(sphere, "self = false\nstart_crossings = \"exempt\"\n")),
                   {"[contact]", "start_crossings", "no effect", "without self = false"}));
}

TEST_F(CliContactTest, FilesThatAreMissing) {
  EXPECT_TRUE(says(refusal(falling("mesh = \"nowhere.obj\"\n")), {"scene.toml:", "nowhere.obj"}));
  EXPECT_TRUE(says(refusal(falling("mesh = \"cube.obj\"\nmotion = \"nowhere.pc2\"\n")),
                   {"scene.toml:", "nowhere.pc2"}));
  EXPECT_TRUE(says(refusal(falling("vdb = \"nowhere.vdb\"\n")), {"scene.toml:", "nowhere.vdb"}));
}

TEST_F(CliContactTest, MotionOfAnotherMesh) {
  write_motion([](int, int) { return Vec3(0, 0, 0); }, 7);
  EXPECT_TRUE(says(refusal(falling("mesh = \"cube.obj\"\nmotion = \"cube.pc2\"\n")),
                   {"scene.toml:9:", "cube.pc2", "has 7 points", "8"}));
}

// What touches later costs what no first step shows, the more the finer the points that hold bodies off.
TEST_F(CliContactTest, ADryRunBoundsNoTimeThatContactMayTake) {
  folder_.write("scene.toml", scene_text());
  EXPECT_TRUE(says(run({"solve", "scene.toml", "--dry-run"}).out, {"at most about "}));
  const std::string far =
      "[contact]\n[[collider]]\nsphere = {center = [0, -9, 0], radius = 1}\npoint_spacing = 0.002\n";
  folder_.write("scene.toml", scene_text() + far);
  const std::string plan = run({"solve", "scene.toml", "--dry-run"}).out;
  EXPECT_TRUE(says(plan, {"more once it touches more than in its first steps", "a body is held off ",
                          " times its vertices", "point_spacing in [[collider]] makes fewer"}))
      << plan;
  EXPECT_FALSE(says(plan, {"at most about "})) << plan;
}

TEST_F(CliContactTest, ShapesThatAreNone) {
  EXPECT_TRUE(says(refusal(falling("friction = 0.5\n")), {"scene.toml:", "sphere", "vdb"}));
  EXPECT_TRUE(
      says(refusal(falling("sphere = {center = [0, 0, 0], radius = -1}\n")), {"scene.toml:8:", "radius"}));
  EXPECT_TRUE(says(refusal(falling("box = {min = [0, 0, 0], max = [1, 0, 1]}\n")), {"scene.toml:8:", "max"}));
  folder_.write("points.obj", "v 0 -1 0\n");
  EXPECT_TRUE(
      says(refusal(falling("mesh = \"points.obj\"\n")), {"scene.toml:8:8", "points.obj has no triangle"}));
  EXPECT_TRUE(says(refusal(falling("sphere = {center = [0, -9, 0], radius = 1}\npoint_spacing = 1e-7\n")),
                   {"scene.toml:7:1", "point_spacing", "at most 20,000,000"}));
}

}  // namespace
}  // namespace keydrape
