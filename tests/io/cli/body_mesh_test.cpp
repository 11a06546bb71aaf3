#include <fmt/format.h>

#include "io/formats/npy.h"
#include "io/formats/write_cache.h"
#include "io/report/run.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

// [[collider]] mesh in every format that has triangles: the same body, whatever file it came from. The cloth
// of CliFolder lies level here, y = 0, 0 <= x, z <= 0.25, and falls onto a cube.
class CliBodyMeshTest : public CliFolder {
 protected:
  CliBodyMeshTest() {
    folder_.write("rest.obj", sheet([](double&, double& y, double& z) {
                    z = -y;
                    y = 0;
                  }));
  }

  // A cube whose top rises by 1/64 m a frame from 1001 to 1007. Coordinates are exact in single precision.
  static MeshCache rising_cube() {
    MeshCache cache;
    cache.header.mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                   {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    cache.header.first_frame = 1001;
    cache.header.frame_count = 7;
    for (int f = 0; f < 7; ++f) {
      VecX x(24);
      for (int n = 0; n < 8; ++n)
        x.segment<3>(3 * n) =
            Vec3(n & 1 ? 0.1875 : 0.0625, n & 2 ? -0.125 + 0.015625 * f : -0.25, n & 4 ? 0.1875 : 0.0625);
      cache.frames.push_back({x, {}});
    }
    for (int n = 0; n < 8; ++n)
      cache.header.mesh.positions.emplace_back(cache.frames[0].positions.segment<3>(3 * n));
    return cache;
  }

  static MeshCache frame_of(MeshCache cache, int frame) {
    keep_frames(cache, {frame, frame});
    for (int n = 0; n < 8; ++n) cache.header.mesh.positions[n] = cache.frames[0].positions.segment<3>(3 * n);
    return cache;
  }

  static std::string scene_with(const std::string& collider) {
    return "[shot]\nframes = \"1001-1007\"\nsubsteps = 4\n[cloth]\nrest = \"rest.obj\"\n[contact]\n"
           "self = false\n[[collider]]\n" +
           collider;
  }

  struct Run {
    VecX positions;
    std::string shape;  // of the body, in the record
  };

  Run simulate(const std::string& collider) const {
    folder_.write("scene.toml", scene_with(collider));
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--force"});
    EXPECT_EQ(result.exit_code, 0) << collider << result.err;
    if (result.exit_code != 0) return {};
    return {read_npy(folder_ / "out/positions.npy").values,
            read_report_run(folder_ / "out").shot.bodies.at(0).shape};
  }

  std::string refusal(const std::string& collider) const {
    folder_.write("scene.toml", scene_with(collider));
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "refused"});
    EXPECT_EQ(result.exit_code, 3) << collider << result.err;
    return result.err;
  }
};

TEST_F(CliBodyMeshTest, EveryFormatGivesTheSameBits) {
  const MeshCache rising = rising_cube(), third = frame_of(rising, 1003);
  for (const char* name : {"cube.obj", "cube.ply", "cube.usda"}) write_cache(folder_ / name, third);
  for (const char* name : {"seq.####.obj", "seq.####.ply", "seq.usda"}) write_cache(folder_ / name, rising);
  const Run expected = simulate("mesh = \"cube.obj\"\nvoxel = 0.02\n");
  EXPECT_LT(expected.positions.tail(108).minCoeff(), -0.1);  // it has fallen beside the cube, and lies on it
  EXPECT_GT(expected.positions.tail(108).reshaped(3, 36).row(1).maxCoeff(), -0.1);
  for (const char* name :
       {"cube.ply", "cube.usda", "seq.####.obj@1003", "seq.####.ply@1003", "seq.usda@1003"}) {
    const Run found = simulate(fmt::format("mesh = \"{}\"\nvoxel = 0.02\n", name));
    EXPECT_EQ(found.positions, expected.positions) << name;
    EXPECT_EQ(found.shape, expected.shape) << name;
  }
}

TEST_F(CliBodyMeshTest, FilesThatSayTheirUnitAndAxesAreTakenByTheirWord) {
  MeshCache cube = frame_of(rising_cube(), 1003);
  write_cache(folder_ / "cube.obj", cube);
  change_space(cube, {0.01, UpAxis::kZ});
  write_cache(folder_ / "cube.usda", cube);
  const Run expected = simulate("mesh = \"cube.obj\"\nvoxel = 0.02\n"),
            found = simulate("mesh = \"cube.usda\"\nvoxel = 0.02\n");
  EXPECT_LT((found.positions - expected.positions).cwiseAbs().maxCoeff(), 1e-6);
}

TEST_F(CliBodyMeshTest, OneFileIsTheMeshAndItsMotion) {
  const MeshCache rising = rising_cube();
  write_cache(folder_ / "cube.obj", frame_of(rising, 1001));
  for (const char* name : {"seq.pc2", "seq.usda", "seq.####.ply"}) write_cache(folder_ / name, rising);
  const Run expected = simulate("mesh = \"cube.obj\"\nmotion = \"seq.pc2\"\nas = \"surface\"\n");
  EXPECT_GT(expected.positions.tail(108).reshaped(3, 36).row(1).maxCoeff(), -0.04);  // the top is at -1/32
  for (const char* name : {"seq.usda", "seq.####.ply"}) {
    const Run found =
        simulate(fmt::format("mesh = \"{0}@1001\"\nmotion = \"{0}\"\nas = \"surface\"\n", name));
    EXPECT_EQ(found.positions, expected.positions) << name;
    EXPECT_EQ(found.shape, expected.shape) << name;
  }
}

TEST_F(CliBodyMeshTest, MotionOfOtherTrianglesBringsAWarning) {
  MeshCache rising = rising_cube();
  write_cache(folder_ / "cube.obj", frame_of(rising, 1001));
  const auto warnings = [&] {
    write_cache(folder_ / "seq.####.ply", rising);
    folder_.write("scene.toml",
                  scene_with("mesh = \"cube.obj\"\nmotion = \"seq.####.ply\"\nas = \"surface\"\n"));
    return run({"simulate", "scene.toml", "-o", "out", "--force"}).err;
  };
  EXPECT_FALSE(says(warnings(), {"triangles than its mesh"}));
  std::swap(rising.header.mesh.triangles[0], rising.header.mesh.triangles[1]);
  EXPECT_TRUE(says(warnings(), {"scene.toml:10:10: motion: ", "has other triangles than its mesh"}));
}

TEST_F(CliBodyMeshTest, FilesWithoutTrianglesAreRefused) {
  const MeshCache rising = rising_cube();
  for (const char* name : {"seq.pc2", "seq.mdd", "seq.npy"}) {
    write_cache(folder_ / name, rising);
    for (const char* frame : {"", "@1001"})
      EXPECT_TRUE(
          says(refusal(fmt::format("mesh = \"{}{}\"\n", name, frame)),
               {"scene.toml:9:8: [[collider]] mesh: ", "holds points alone", "expected the surface of a body",
                "name a mesh of the same body here (.obj, .ply, .usda)", "under motion"}));
  }
  folder_.write("points.ply",
                "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                "property float z\nend_header\n0 0 0\n");
  EXPECT_TRUE(says(refusal("mesh = \"points.ply\"\n"),
                   {"scene.toml:9:8: [[collider]] mesh: ", "points.ply has no triangle", "faces"}));
  write_cache(folder_ / "cube.glb", frame_of(rising, 1001));
  EXPECT_TRUE(says(refusal("mesh = \"cube.glb\"\n"), {"cube.glb", "only written, not read"}));
  folder_.write("cube.stl", "solid\n");
  EXPECT_TRUE(says(refusal("mesh = \"cube.stl\"\n"), {"cube.stl: STL", "neither read nor written"}));
}

TEST_F(CliBodyMeshTest, OneFrameHasToBeChosen) {
  const MeshCache rising = rising_cube();
  for (const char* name : {"seq.usda", "seq.####.ply"}) write_cache(folder_ / name, rising);
  EXPECT_TRUE(says(refusal("mesh = \"seq.usda\"\n"),
                   {"scene.toml:9:8: [[collider]] mesh: ", "has frames 1001-1007", "seq.usda@1001"}));
  EXPECT_TRUE(says(refusal("mesh = \"seq.####.ply\"\n"), {"is a sequence", "expected one frame"}));
  EXPECT_TRUE(says(refusal("mesh = \"seq.usda@1009\"\n"), {"choose one of them behind the @"}));
  EXPECT_TRUE(says(refusal("mesh = \"seq.####.ply@1009\"\n"), {"seq.1009.ply", "cannot be read"}));
}

}  // namespace
}  // namespace keydrape
