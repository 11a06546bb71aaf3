#include <openvdb/openvdb.h>
#include <openvdb/tools/LevelSetSphere.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "core/contact/body/level_set/mesh_distances.h"
#include "io/formats/npy.h"
#include "io/report/page.h"
#include "io/report/run.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

// A .vdb file as a body: what of it stands in the record of a run, and in its report.
class CliVdbRecordTest : public CliFolder {
 protected:
  static constexpr double kRadius = 0.3, kVoxel = 0.02, kUnit = 0.5;  // of the file; metres per unit

  // A sphere beside the cloth, round (2, -1, 3) in the file's unit.
  void write_ball() const {
    openvdb::initialize();
    const auto grid =
        openvdb::tools::createLevelSetSphere<openvdb::FloatGrid>(kRadius, openvdb::Vec3f(2, -1, 3), kVoxel);
    openvdb::io::File file((folder_ / "ball.vdb").string());
    file.write({grid});
    file.close();
  }

  // The same, lifted and turned.
  void simulate() const {
    write_ball();
    folder_.write("scene.toml", shot_text("meters_per_unit = 0.5\n") + pin_text() +
                                    "[[collider]]\nvdb = \"ball.vdb\"\npivot = [0, 0, 0]\n"
                                    "rotate = [[1001, [0, 0, 0]], [1005, [0, 0, 180]]]\n"
                                    "translate = [0, 7, 0]\n");
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--force"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    std::filesystem::remove(folder_ / "ball.vdb");  // the record does without it
  }

  // Turns by half about its own middle: how far that moves at most [m].
  double farthest_middle(const std::string& contact) const {
    const Vec3 middle(1.0, -0.5, 1.5);
    write_ball();
    folder_.write("scene.toml", shot_text("meters_per_unit = 0.5\n") + pin_text() + contact +
                                    "[[collider]]\nvdb = \"ball.vdb\"\n"
                                    "rotate = [[1001, [0, 0, 0]], [1005, [0, 0, 180]]]\n");
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--force"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const VecX poses = read_npy(folder_ / "out/shot/collider_0.npy").values;
    double farthest = 0.0;
    for (Eigen::Index k = 0; k + 7 <= poses.size(); k += 7) {
      const Eigen::Quaterniond turn(poses(k + 3), poses(k), poses(k + 1), poses(k + 2));
      farthest = std::max(farthest, (turn * middle + poses.segment<3>(k + 4) - middle).norm());
    }
    return farthest;
  }

  // Changes the body's object in shot.json.
  void change_record(const std::function<void(nlohmann::json& body)>& change) const {
    nlohmann::json record = read_json("out/shot/shot.json");
    change(record["colliders"][0]);
    folder_.write("out/shot/shot.json", record.dump());
  }
};

TEST_F(CliVdbRecordTest, OneOfSeveralGridsIsNamed) {
  openvdb::initialize();
  openvdb::GridPtrVec grids;
  for (const auto& [name, radius] : {std::pair("small", 0.1f), {"large", 0.3f}}) {
    grids.push_back(openvdb::tools::createLevelSetSphere<openvdb::FloatGrid>(radius, openvdb::Vec3f(2, -1, 3),
                                                                             static_cast<float>(kVoxel)));
    grids.back()->setName(name);
  }
  openvdb::io::File file((folder_ / "two.vdb").string());
  file.write(grids);
  file.close();
  const auto simulated = [&](const std::string& name) {
    folder_.write("scene.toml", shot_text() + pin_text() + "[[collider]]\nvdb = \"" + name + "\"\n");
    return run({"simulate", "scene.toml", "-o", "out", "--force"});
  };
  EXPECT_TRUE(says(simulated("two.vdb").err, {"holds 2 grids", "two.vdb:"}));
  EXPECT_TRUE(says(simulated("two.vdb:middle").err, {"no grid \"middle\""}));
  EXPECT_TRUE(says(simulated("none.vdb:small").err, {"there is no file", "none.vdb"}));
  for (const auto& [name, radius] : {std::pair("small", 0.1), {"large", 0.3}}) {
    const ProgramResult result = simulated(std::string("two.vdb:") + name);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const nlohmann::json shape =
        nlohmann::json::parse(read_report_run(folder_ / "out").shot.bodies.at(0).shape);
    const nlohmann::json p = shape["positions"][0];
    EXPECT_NEAR((Vec3(p[0], p[1], p[2]) - Vec3(2, -1, 3)).norm(), radius, kVoxel) << name;
  }
}

TEST_F(CliVdbRecordTest, HoldsTheSurfaceAndWhereItGoes) {
  simulate();
  const RecordedBody body = read_report_run(folder_ / "out").shot.bodies.at(0);
  const nlohmann::json shape = nlohmann::json::parse(body.shape);
  EXPECT_EQ(shape["kind"], "vdb");
  const auto triangles = shape["triangles"].get<std::vector<Triangle>>();
  EXPECT_GT(triangles.size(), 1000u);
  EXPECT_FALSE(find_open_edge(triangles));
  std::vector<Vec3> positions;
  for (const nlohmann::json& p : shape["positions"]) positions.emplace_back(p[0], p[1], p[2]);
  double worst = 0;  // off the sphere, in metres
  for (const auto& [i, j, k] : triangles) {
    const Vec3 middle = (positions.at(i) + positions.at(j) + positions.at(k)) / 3;
    for (const Vec3& p : {positions[i], middle})
      worst = std::max(worst, std::abs((p - kUnit * Vec3(2, -1, 3)).norm() - kUnit * kRadius));
  }
  std::printf("%zu triangles, off by %.3f voxels at most\n", triangles.size(), worst / (kUnit * kVoxel));
  EXPECT_LT(worst, 0.5 * kUnit * kVoxel);

  ASSERT_EQ(body.poses.size(), 6u);
  VecX quarter(7);  // about z
  quarter << 0, 0, std::sqrt(0.5), std::sqrt(0.5), 0, 7, 0;
  EXPECT_LT((body.poses[2] - quarter).norm(), 1e-14) << body.poses[2].transpose();
}

TEST_F(CliVdbRecordTest, RecordsWithoutASurfaceStillOpen) {
  simulate();
  change_record([](nlohmann::json& body) { body = {{"kind", "vdb"}, {"motion", "none"}}; });
  EXPECT_EQ(read_report_run(folder_ / "out").shot.bodies.at(0).poses.size(), 0u);
  change_record([](nlohmann::json& body) { body = {{"kind", "vdb"}}; });  // before bodies moved in reports
  const RecordedBody body = read_report_run(folder_ / "out").shot.bodies.at(0);
  EXPECT_EQ(nlohmann::json::parse(body.shape), (nlohmann::json{{"kind", "vdb"}}));
  if (report_obstacle()) return;
  EXPECT_EQ(run({"report", "out"}).exit_code, 0);
}

// Whatever contact has stored of it around.
TEST_F(CliVdbRecordTest, TurnsAboutItsMiddle) {
  EXPECT_LT(farthest_middle("[contact]\nthickness = 0.002\n"), 1e-4);
  EXPECT_LT(farthest_middle("[contact]\nthickness = 0.06\nactivation = 0.06\nself = false\n"), 1e-4);
}

}  // namespace
}  // namespace keydrape
