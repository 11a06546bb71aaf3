#include "io/formats/vdb/vdb_info.h"

#include <random>

#include "tests/support/cli_folder.h"
#include "tests/support/vdb_sphere.h"

// What `keydrape info` says of a level set, and of one that is none.

namespace keydrape {
namespace {

class CliVdbInfoTest : public CliFolder {
 protected:
  static void SetUpTestSuite() { openvdb::initialize(); }

  // The grids of what `info NAME --json` prints.
  nlohmann::json grids(const std::string& name, int exit_code) const {
    const ProgramResult result = run({"info", name, "--json"});
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    const nlohmann::json info = nlohmann::json::parse(result.out);
    EXPECT_EQ(info["format"], "OpenVDB");
    return info["grids"];
  }
};

TEST_F(CliVdbInfoTest, ALevelSetIsDescribed) {
  const auto grid = sphere();
  grid->transform().postTranslate(openvdb::Vec3d(1, 2, 3));
  write(folder_ / "ball.vdb", {grid});
  const nlohmann::json info = grids("ball.vdb", 0).at(0);
  EXPECT_EQ(info["name"], "body");
  EXPECT_EQ(info["type"], "Tree_float_5_4_3");
  EXPECT_EQ(info["class"], "level set");
  EXPECT_NEAR(info["voxel"][0], kVoxel, 1e-9);
  EXPECT_NEAR(info["band"], 3 * kVoxel, 1e-6);
  for (int a = 0; a < 3; ++a) {
    EXPECT_NEAR(info["bounding_box"]["min"][a], a + 1 - kRadius - 3 * kVoxel, 2 * kVoxel);
    EXPECT_NEAR(info["bounding_box"]["max"][a], a + 1 + kRadius + 3 * kVoxel, 2 * kVoxel);
  }
  EXPECT_EQ(info["active_voxels"], grid->activeVoxelCount());
  EXPECT_GT(info["memory_bytes"], 4 * grid->activeVoxelCount());
  EXPECT_TRUE(info["defect"].is_null());
  const ProgramResult text = run({"info", "ball.vdb"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_TRUE(says(text.out, {"OpenVDB", "name", "\"body\"", "level set", "active_voxels"}));
}

TEST_F(CliVdbInfoTest, EachGridSaysWhatIsWrongWithIt) {
  const auto fog = sphere("smoke");
  fog->setGridClass(openvdb::GRID_FOG_VOLUME);
  const auto vectors = openvdb::GridBase::createGrid("Tree_vec3s_5_4_3");
  vectors->setName("wind");
  write(folder_ / "all.vdb", {sphere(), fog, vectors});
  const nlohmann::json all = grids("all.vdb", 0);  // one of them serves
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(all[0]["defect"].is_null());
  EXPECT_TRUE(says(all[1]["defect"], {"fog volume", "expected a level set"}));
  EXPECT_TRUE(all[1]["band"].is_null());
  EXPECT_TRUE(says(all[2]["defect"], {"Tree_vec3s_5_4_3"}));
  EXPECT_EQ(all[2]["active_voxels"], 0);
  EXPECT_TRUE(all[2]["bounding_box"].is_null());
  EXPECT_EQ(grids("all.vdb:smoke", 3).size(), 1u);
  EXPECT_EQ(grids("all.vdb:body", 0).size(), 1u);
  const ProgramResult none = run({"info", "all.vdb:tail"});
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_TRUE(says(none.err, {"all.vdb", "no grid \"tail\"", "\"smoke\""}));
}

TEST_F(CliVdbInfoTest, NamesOfAnyBytesMakeValidJson) {
  write(folder_ / "ball.vdb", {sphere("K\xf6rper\x1b[31m")});
  EXPECT_EQ(grids("ball.vdb", 0).size(), 1u);
}

TEST_F(CliVdbInfoTest, FilesThatAreNoneAreRefused) {
  write(folder_ / "ball.vdb", {sphere()});
  const std::string whole = folder_.read("ball.vdb");
  folder_.write("empty.vdb", "");
  folder_.write("text.vdb", "v 0 0 0\n");
  folder_.write("cut.vdb", whole.substr(0, whole.size() / 2));
  folder_.write("long.vdb", whole + "x");
  for (const char* name : {"empty.vdb", "text.vdb", "cut.vdb", "long.vdb", "missing.vdb"}) {
    const ProgramResult result = run({"info", name});
    EXPECT_EQ(result.exit_code, 3) << name;
    EXPECT_TRUE(says(result.err, {name})) << name;
  }
}

bool takes(const VdbReference& file) {
  try {
    read_vdb(file, {.band = 1e-12});
    return true;
  } catch (const InputError&) {
    return false;
  }
}

// Whatever happens to a file, it is described or refused, and has no defect only where the reader takes it.
TEST_F(CliVdbInfoTest, DamagedFilesEndNothing) {
  write(folder_ / "ball.vdb", {sphere()}, openvdb::io::COMPRESS_BLOSC | openvdb::io::COMPRESS_ACTIVE_MASK);
  const std::string whole = folder_.read("ball.vdb");
  std::mt19937_64 random(3);
  int refused = 0, with_defect = 0;
  for (int i = 0; i < 60; ++i) {
    std::string bytes = whole;
    const std::size_t at = random() % (i % 2 == 0 ? 2000 : whole.size());
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    folder_.write("mutant.vdb", bytes);
    const VdbReference file{folder_ / "mutant.vdb", {}};
    const bool is_read = takes(file);
    try {
      const std::vector<VdbGridInfo> grids = read_vdb_info(file);
      ASSERT_EQ(grids.size(), 1u);
      EXPECT_EQ(grids[0].defect.empty(), is_read) << i << ": " << grids[0].defect;
      with_defect += !grids[0].defect.empty();
    } catch (const InputError&) {
      EXPECT_FALSE(is_read) << i;
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(with_defect, 0);
}

}  // namespace
}  // namespace keydrape
