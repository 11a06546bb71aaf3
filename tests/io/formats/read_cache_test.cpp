#include "io/formats/read_cache.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "io/formats/format.h"
#include "io/formats/write_cache.h"
#include "tests/support/small_cache.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

double cache_deviation(const MeshCache& a, const MeshCache& b) {
  double worst = 0.0;
  for (std::size_t f = 0; f < a.frames.size(); ++f)
    worst = std::max(worst, (a.frames[f].positions - b.frames[f].positions).cwiseAbs().maxCoeff());
  return worst;
}

TEST(WriteCache, EveryFormatThatIsReadComesBack) {
  const TemporaryFolder folder;
  const MeshCache cache = small_cache();
  for (const char* name : {"a.pc2", "a.mdd", "a.npy", "a.usda", "a.####.obj", "a.####.ply"}) {
    write_cache(folder / name, cache);
    const MeshCache back = read_cache(folder / name, {.first_frame = 1001});
    EXPECT_EQ(back.header.frames().text(), "1001-1004") << name;
    EXPECT_EQ(back.header.fps, 24.0) << name;
    EXPECT_LT(cache_deviation(cache, back), 2e-7) << name;
    if (traits(format_of(name)).has_triangles) {
      EXPECT_EQ(back.header.mesh.triangles, cache.header.mesh.triangles) << name;
    }
    const MeshCache part = read_cache(folder / name, {.first_frame = 1001, .frames = FrameRange{1002, 1003}});
    EXPECT_EQ(part.frames[1].positions, back.frames[2].positions) << name;
    EXPECT_TRUE(says(message_of<InputError>([&] {
                       read_cache(folder / name, {.first_frame = 1001, .frames = FrameRange{1004, 1005}});
                     }),
                     {"100"}))
        << name;
  }
}

TEST(WriteCache, WritesEveryFormatThatIsNotRead) {
  const TemporaryFolder folder;
  for (const char* name : {"a.glb", "a.pvd", "a.####.vtp"}) write_cache(folder / name, small_cache());
  EXPECT_TRUE(std::filesystem::exists(folder / "a_vtp/a.1004.vtp"));
  EXPECT_TRUE(std::filesystem::exists(folder / "a.1001.vtp"));
  EXPECT_TRUE(says(message_of<InputError>([&] { read_cache(folder / "a.glb"); }), {"only written", ".usda"}));
}

TEST(WriteCache, RefusesWhatCannotBeDone) {
  const TemporaryFolder folder;
  MeshCache cache = small_cache();
  EXPECT_TRUE(says(message_of<InputError>([&] { write_cache(folder / "a.obj", cache); }),
                   {"4 frames", "a.####.obj"}));
  EXPECT_TRUE(says(message_of<InputError>([&] { write_cache(folder / "a.abc", cache); }),
                   {"Alembic is neither read nor written", ".usda"}));
  cache.header.mesh.triangles.clear();
  cache.header.mesh.uv_triangles.clear();
  for (const char* name : {"a.glb", "a.usda", "a.pvd", "a.####.obj"})
    EXPECT_TRUE(
        says(message_of<InputError>([&] { write_cache(folder / name, cache); }), {"points only", "--mesh"}));
  EXPECT_EQ(folder.file_count(), 0);
}

// Of a file that is to be read, those that are read.
TEST(ReadCache, NamesTheFormatsThatItReads) {
  const TemporaryFolder folder;
  for (const char* name : {"a.txt", "a.abc"}) {
    const auto path = folder.write(name, "");
    const std::string said = message_of<InputError>([&] { read_cache(path); });
    EXPECT_TRUE(says(said, {".obj, .ply, .pc2, .mdd, .npy, .usda; "})) << said;
    EXPECT_FALSE(says(said, {".glb"})) << said;
    EXPECT_TRUE(says(message_of<InputError>([&] { format_to_write(path); }), {".usda, .glb, .vtp, .pvd; "}));
  }
}

TEST(ReadCache, FindsTheFramesOfASequence) {
  const TemporaryFolder folder;
  write_cache(folder / "a.####.obj", small_cache());
  EXPECT_EQ(read_cache(folder / "a.%04d.obj").header.frames().text(), "1001-1004");
  std::filesystem::remove(folder / "a.1002.obj");
  EXPECT_TRUE(says(message_of<InputError>([&] { read_cache(folder / "a.####.obj"); }),
                   {"a.1002.obj: is missing", "between frames 1001 and 1003"}));
  EXPECT_EQ(read_cache(folder / "a.####.obj", {.frames = FrameRange{1003, 1004}}).header.frame_count, 2);
  EXPECT_TRUE(
      says(message_of<InputError>([&] { read_cache(folder / "b.####.obj"); }), {"no file of this sequence"}));
  folder.write("a.1004.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_TRUE(says(message_of<InputError>([&] {
                     read_cache(folder / "a.####.obj", {.frames = FrameRange{1003, 1004}});
                   }),
                   {"a.1004.obj", "3 vertices and 1 triangles", "frame 1003"}));
}

// Where there is a file of the very name, a # or @ in it is a letter like any other; in folders always.
TEST(ReadCache, TakesFilesByTheirVeryNames) {
  const TemporaryFolder folder;
  const std::string mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  std::filesystem::create_directories(folder / "b#c@2");
  for (const char* name : {"a#1.obj", "a#1#2.obj", "a@b@1030.obj", "a#%04d.obj", "b#c@2/a.0007.obj"}) {
    folder.write(name, mesh);
    EXPECT_EQ(read_cache(folder / name).header.vertex_count(), 3) << name;
  }
  EXPECT_EQ(read_cache(folder / "b#c@2/a.####.obj").header.first_frame, 7);
  EXPECT_TRUE(says(message_of<InputError>([&] { read_cache(folder / "take#2.1001.obj"); }),
                   {"take#2.1001.obj: there is no file of this name", "take10012.1001.obj"}));
}

TEST(ReadCache, RefusesAnotherSpaceThanTheFileSays) {
  const TemporaryFolder folder;
  for (const char* name : {"a.usda", "a.npy", "a.pc2"}) write_cache(folder / name, small_cache());
  EXPECT_EQ(read_cache(folder / "a.pc2", {.meters_per_unit = 0.01, .up_axis = UpAxis::kZ}).header.space,
            (Space{0.01, UpAxis::kZ}));
  EXPECT_TRUE(says(message_of<InputError>([&] { read_cache(folder / "a.usda", {.meters_per_unit = 0.01}); }),
                   {"units of 1 m", "0.01"}));
  EXPECT_TRUE(says(message_of<InputError>([&] { read_cache(folder / "a.usda", {.up_axis = UpAxis::kZ}); }),
                   {"Y up"}));
  EXPECT_TRUE(says(message_of<InputError>([&] { read_cache(folder / "a.npy", {.meters_per_unit = 0.01}); }),
                   {"units of 1 m"}));
}

TEST(GiveMesh, RefusesAnotherMesh) {
  const MeshCache cache = small_cache();
  MeshCache points = cache;
  points.header.mesh.triangles.clear();
  give_mesh(points, cache.header.mesh, "a.pc2", "rest.obj");
  EXPECT_EQ(points.header.mesh.triangles, cache.header.mesh.triangles);
  TriangleMesh other = cache.header.mesh;
  other.triangles[0] = {1, 2, 3};
  EXPECT_TRUE(says(message_of<InputError>([&] { give_mesh(points, other, "a.pc2", "rest.obj"); }),
                   {"other triangles"}));
  other.positions.pop_back();
  EXPECT_TRUE(says(message_of<InputError>([&] { give_mesh(points, other, "a.pc2", "rest.obj"); }),
                   {"a.pc2: has 4 points", "rest.obj has 3"}));
}

TEST(SplitFrame, TakesTheNumberBehindTheLastAt) {
  const std::optional<FrameChoice> choice = split_frame("a/b.pc2@1030");
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->file, "a/b.pc2");
  EXPECT_EQ(choice->frame, 1030);
  EXPECT_EQ(split_frame("b.####.obj@7")->file, "b.####.obj");
  for (const char* name :
       {"b.pc2", "b.pc2@", "@12", "b.@@@@.obj", "b@1.pc2", "b.pc2@1x", "b.pc2@99999999999"})
    EXPECT_FALSE(split_frame(name)) << name;
  const TemporaryFolder folder;
  EXPECT_FALSE(split_frame(folder.write("b.obj@7", "")));  // there is a file of this very name
}

// A quarter turn about x, and lengths; forces keep their size.
TEST(ChangeSpace, TurnsAndScalesWhatItHasTo) {
  MeshCache cache = small_cache();
  cache.header.fields.push_back({"force", FieldPlace::kVertex, 3, false});
  for (CacheFrame& frame : cache.frames) frame.fields.push_back(VecX::LinSpaced(12, 1, 12));
  const MeshCache before = cache;
  change_space(cache, {0.01, UpAxis::kZ});
  const auto third = [](const VecX& x) -> Vec3 { return x.segment<3>(9); };
  const Vec3 x = third(before.frames[3].positions), v = third(before.frames[3].fields[0]);
  EXPECT_LT((third(cache.frames[3].positions) - 100 * Vec3(x.x(), -x.z(), x.y())).norm(), 1e-12);
  EXPECT_LT((third(cache.frames[3].fields[0]) - 100 * Vec3(v.x(), -v.z(), v.y())).norm(), 1e-12);
  EXPECT_EQ(third(cache.frames[3].fields[3]), Vec3(10, -12, 11));
  EXPECT_EQ(cache.frames[3].fields[1], before.frames[3].fields[1]);
  change_space(cache, {1.0, UpAxis::kY});
  EXPECT_LT(cache_deviation(cache, before), 1e-15);
}

}  // namespace
}  // namespace keydrape
