#include "io/formats/vdb/vdb_file.h"

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "io/formats/vdb/vdb_info.h"
#include "io/formats/vdb/vdb_process.h"
#include "tests/support/vdb_sphere.h"

// Level sets that users bring: the good ones are read right, all others refused with a reason.

namespace keydrape {
namespace {

TEST_F(VdbFile, IsReadAndItsBandIsWidened) {
  for (const std::uint32_t compression : {0u, 2u, 3u, 6u}) {  // none, active mask, with zip, with blosc
    write(folder_ / "a.vdb", {sphere()}, compression);
    const auto field = read("a.vdb");
    EXPECT_NEAR(field->voxel(), kVoxel, 1e-9);
    EXPECT_GE(field->band(), kBand);
    EXPECT_LT(deviation(*field), 0.05) << compression;
  }
}

TEST_F(VdbFile, TheUnitIsApplied) {
  write(folder_ / "a.vdb", {sphere()});
  const auto field = read_vdb({folder_ / "a.vdb", {}}, {.meters_per_unit = 0.01, .band = 0.01 * kBand});
  EXPECT_NEAR(field->voxel(), 0.01 * kVoxel, 1e-9);
  EXPECT_NEAR(field->distance(Vec3(0.0035, 0, 0)), 0.0005, 2e-6);
}

TEST_F(VdbFile, TranslatedGridsKeepTheirPlace) {
  const auto grid = sphere();
  grid->transform().postTranslate(openvdb::Vec3d(1, 2, 3));
  write(folder_ / "a.vdb", {grid});
  EXPECT_NEAR(read("a.vdb")->distance(Vec3(1.32, 2, 3)), 0.02, 1e-3);
}

TEST_F(VdbFile, HalfPrecisionIsRead) {
  const auto grid = sphere();
  grid->setSaveFloatAsHalf(true);
  write(folder_ / "a.vdb", {grid});
  EXPECT_LT(deviation(*read("a.vdb")), 0.05);
}

TEST_F(VdbFile, AGridIsChosenByName) {
  const auto small = openvdb::tools::createLevelSetSphere<FloatGrid>(0.1f, openvdb::Vec3f(0), kVoxel);
  small->setName("head");
  write(folder_ / "two.vdb", {sphere(), small});
  EXPECT_TRUE(says(refusal("two.vdb"), {"2 grids", "\"body\"", "\"head\"", "file.vdb:name"}));
  EXPECT_TRUE(says(refusal("two.vdb:tail"), {"no grid \"tail\"", "\"body\""}));
  EXPECT_LT(deviation(*read("two.vdb:body")), 0.05);
  EXPECT_NEAR(read("two.vdb:head")->distance(Vec3(0.12, 0, 0)), 0.02, 1e-3);
}

TEST_F(VdbFile, GridsOfOneNameAreToldApart) {
  const auto small = openvdb::tools::createLevelSetSphere<FloatGrid>(0.1f, openvdb::Vec3f(0), kVoxel);
  small->setName("body");
  write(folder_ / "same.vdb", {sphere(), small, sphere("head")});
  EXPECT_TRUE(says(refusal("same.vdb:body"), {"2 grids \"body\"", "one of \"body[0]\", \"body[1]\";"}));
  EXPECT_LT(deviation(*read("same.vdb:body[0]")), 0.05);
  EXPECT_NEAR(read("same.vdb:body[1]")->distance(Vec3(0.12, 0, 0)), 0.02, 1e-3);
  EXPECT_LT(deviation(*read("same.vdb:head")), 0.05);
}

// OpenVDB writes the voxels of a grid and of its shallow copies once.
TEST_F(VdbFile, GridsThatShareTheirVoxelsAreRead) {
  const auto grid = sphere(), twin = grid->copy();
  twin->setName("twin");
  twin->setTransform(grid->transform().copy());
  twin->transform().postTranslate(openvdb::Vec3d(1, 2, 3));
  write(folder_ / "shared.vdb", {grid, twin});
  EXPECT_LT(deviation(*read("shared.vdb:body")), 0.05);
  EXPECT_NEAR(read("shared.vdb:twin")->distance(Vec3(1.32, 2, 3)), 0.02, 1e-3);
  EXPECT_NEAR(read("shared.vdb:twin")->distance(Vec3(1.28, 2, 3)), -0.02, 1e-3);
  for (const VdbGridInfo& info : read_vdb_info({folder_ / "shared.vdb", {}})) {
    EXPECT_EQ(info.defect, "");
    ASSERT_TRUE(info.contents);
    EXPECT_EQ(info.contents->active_voxels, static_cast<std::int64_t>(grid->activeVoxelCount()));
  }
  std::string bytes = folder_.read("shared.vdb");  // of the twin's parent: a name that nobody has
  const std::size_t at = bytes.rfind("body");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'x';
  folder_.write("lost.vdb", bytes);
  EXPECT_TRUE(says(refusal("lost.vdb:twin"), {"damaged", "missing"}));
}

TEST_F(VdbFile, NamesMayHaveColons) {
  write(folder_ / "a.vdb", {sphere("left:arm"), sphere("b.vdb:c")});
  std::filesystem::create_directory(folder_ / "x:y.vdb:z");
  write(folder_ / "x:y.vdb:z/c:d.vdb", {sphere()});
  for (const char* name : {"a.vdb:left:arm", "a.vdb:b.vdb:c", "x:y.vdb:z/c:d.vdb", "x:y.vdb:z/c:d.vdb:body"})
    EXPECT_LT(deviation(*read(name)), 0.05) << name;
  const VdbReference missing = VdbReference::parse("no:where.VDB:left:arm");
  EXPECT_EQ(missing.path, "no:where.VDB");
  EXPECT_EQ(missing.grid, "left:arm");
  EXPECT_EQ(VdbReference::parse("no:where.obj").path, "no:where.obj");
  EXPECT_EQ(VdbReference::parse(std::string(5000, 'x') + ":body").grid, std::nullopt);  // no file's name
}

TEST_F(VdbFile, LargeFilesMayTakeLongerAndNoneForEver) {
  const auto seconds = [&](std::uintmax_t bytes) {
    std::filesystem::resize_file(folder_.write("sparse.vdb", ""), bytes);
    const ProcessLimits limits = vdb_limits(folder_ / "sparse.vdb");
    EXPECT_GE(limits.wall_seconds, 10 * limits.processor_seconds);
    return limits.processor_seconds;
  };
  EXPECT_EQ(seconds(1000), 10);
  EXPECT_NEAR(seconds(14'000'000), 56, 1e-9);
  EXPECT_EQ(seconds(1'000'000'000), 120);
  EXPECT_TRUE(says(message_of<InputError>([&] { seconds(kMaxVdbBytes + 1); }), {"1.5 GiB", "expected"}));
}

// Whatever a reader comes to grief by, somebody knows what to do.
TEST_F(VdbFile, LimitsSayWhatWasExpected) {
  const auto failure = [](const std::function<std::string()>& work, const ProcessLimits& limits) {
    return run_vdb_reader(work, limits, "use larger voxels").failure;
  };
  const auto spin = []() -> std::string {
    for (volatile unsigned i = 0;;) i = i + 1;
  };
  const auto wait = []() -> std::string {
    for (;;) ::pause();
  };
  EXPECT_TRUE(says(failure(spin, {.processor_seconds = 1}),
                   {"1 s of processor time; expected", "read in that time; use larger voxels"}));
  EXPECT_TRUE(says(failure(wait, {.wall_seconds = 0.2}), {"0.2 s; expected", "; try again"}));
  EXPECT_TRUE(says(failure([] { return std::string(2000, 'x'); }, {.answer_bytes = 1000}),
                   {"GiB; expected", "; use larger voxels"}));
  EXPECT_TRUE(says(failure([]() -> std::string { std::_Exit(3); }, {}),
                   {"without a reason; expected a whole .vdb file; export"}));
  EXPECT_EQ(failure([]() -> std::string { throw InputError("is none; expected one; make it"); }, {}),
            "is none; expected one; make it");
}

TEST_F(VdbFile, ReadingWorksAfterThreadsHaveRun) {
  std::atomic<int> sum = 0;
  tbb::parallel_for(0, 1000, [&](int i) { sum += i; });
  write(folder_ / "a.vdb", {sphere()});
  for (int i = 0; i < 3; ++i) EXPECT_LT(deviation(*read("a.vdb")), 0.05);
}

TEST_F(VdbFile, OtherThingsThanLevelSetsAreRefused) {
  const auto refused = [&](const openvdb::GridBase::Ptr& grid) {
    write(folder_ / "bad.vdb", {grid});
    return refusal("bad.vdb");
  };
  const auto changed = [&](const std::function<void(FloatGrid&)>& change) {
    const auto grid = sphere();
    change(*grid);
    return refused(grid);
  };
  EXPECT_TRUE(says(changed([](FloatGrid& g) { g.setGridClass(openvdb::GRID_FOG_VOLUME); }), {"fog volume"}));
  EXPECT_TRUE(
      says(changed([](FloatGrid& g) { g.setGridClass(openvdb::GRID_UNKNOWN); }), {"unknown", "level set"}));
  EXPECT_TRUE(says(changed([](FloatGrid& g) {
                     g.setTransform(openvdb::math::Transform::createFrustumTransform(
                         openvdb::BBoxd(openvdb::Vec3d(0), openvdb::Vec3d(10)), 0.5, 3.0, 0.1));
                   }),
                   {"frustum"}));
  EXPECT_TRUE(
      says(changed([](FloatGrid& g) { g.transform().postScale(openvdb::Vec3d(1, 2, 1)); }), {"unevenly"}));
  EXPECT_TRUE(says(changed([](FloatGrid& g) { g.transform().postRotate(0.3); }), {"turned"}));
  EXPECT_TRUE(says(changed([](FloatGrid& g) { g.transform().postScale(0.5); }), {"voxels"}));
  EXPECT_TRUE(says(changed([](FloatGrid& g) { g.transform().postScale(1.3); }), {"gradients"}));
  EXPECT_TRUE(says(changed([](FloatGrid& g) { g.clear(); }), {"no narrow band"}));
  EXPECT_TRUE(says(changed([](FloatGrid& g) {
                     for (auto v = g.beginValueOn(); v; ++v) v.setValue(std::abs(*v));
                   }),
                   {"no distance"}));
  EXPECT_TRUE(says(changed([](FloatGrid& g) { g.tree().setValue(openvdb::Coord(15, 0, 0), NAN); }),
                   {"not a number"}));
  EXPECT_TRUE(says(changed([](FloatGrid& g) { g.tree().setValueOff(openvdb::Coord(15, 0, 0), 0.06f); }),
                   {"changes by"}));
  EXPECT_TRUE(says(changed([](FloatGrid& g) {  // half of the body is missing
                     for (auto v = g.beginValueOn(); v; ++v)
                       if (v.getCoord().x() > 0) v.setValue(g.background()), v.setActiveState(false);
                   }),
                   {"changes by"}));
  EXPECT_TRUE(says(refused(openvdb::GridBase::createGrid("Tree_vec3s_5_4_3")), {"Tree_vec3s_5_4_3"}));
  EXPECT_TRUE(says(refused(openvdb::GridBase::createGrid("Tree_double_5_4_3")), {"Tree_double_5_4_3"}));
}

TEST_F(VdbFile, OtherFilesAreRefused) {
  folder_.write("empty.vdb", "");
  folder_.write("text.vdb", "v 0 0 0\nf 1 2 3\n");
  refusal("empty.vdb");
  refusal("text.vdb");
  EXPECT_TRUE(says(refusal("missing.vdb"), {"cannot be read"}));
  write(folder_ / "none.vdb", {});
  EXPECT_TRUE(says(refusal("none.vdb"), {"no grid"}));
}

TEST_F(VdbFile, TruncatedAndLengthenedFilesAreRefused) {
  write(folder_ / "whole.vdb", {sphere()});
  const std::string whole = folder_.read("whole.vdb");
  for (int i = 0; i < 40; ++i) {
    const std::size_t size = i < 20 ? whole.size() * i / 20 : whole.size() - (i - 19);
    folder_.write("cut.vdb", whole.substr(0, size));
    refusal("cut.vdb");
  }
  folder_.write("long.vdb", whole + "x");
  refusal("long.vdb");
}

}  // namespace
}  // namespace keydrape
