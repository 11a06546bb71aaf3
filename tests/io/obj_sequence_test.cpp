#include "io/obj_sequence.h"

#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "io/obj.h"
#include "tests/io/temporary_folder.h"

namespace keydrape {
namespace {

std::string path_of(const std::string& pattern, int frame) {
  const auto parsed = FramePattern::parse(pattern);
  return parsed ? parsed->path(frame).string() : "no pattern";
}

TEST(FramePattern, KnowsEveryNotation) {
  EXPECT_EQ(path_of("a/key.####.obj", 7), "a/key.0007.obj");
  EXPECT_EQ(path_of("key_##.obj", 1001), "key_1001.obj");
  EXPECT_EQ(path_of("key.@@@@.obj", 7), "key.0007.obj");
  EXPECT_EQ(path_of("key.@.obj", 7), "key.7.obj");
  EXPECT_EQ(path_of("key.%04d.obj", 7), "key.0007.obj");
  EXPECT_EQ(path_of("key.%d.obj", 7), "key.7.obj");
  EXPECT_EQ(path_of("key.$F4.obj", 7), "key.0007.obj");
  EXPECT_EQ(path_of("key.$F.obj", 7), "key.7.obj");
  EXPECT_EQ(path_of("key.####.obj", -7), "key.-0007.obj");
  EXPECT_EQ(path_of("key.####.obj", 1234567), "key.1234567.obj");
}

TEST(FramePattern, LeavesOtherNamesAlone) {
  EXPECT_FALSE(FramePattern::parse("key.0001.obj"));
  EXPECT_FALSE(FramePattern::parse("shot##/key.obj"));
  EXPECT_FALSE(FramePattern::parse("100%.obj"));
}

TEST(FramePattern, RefusesTwoPlaces) {
  EXPECT_TRUE(says(message_of<InputError>([] { FramePattern::parse("a.##.%04d.obj"); }),
                   {"a.##.%04d.obj", "two places"}));
}

TriangleMesh square() {
  TriangleMesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  return mesh;
}

TEST(ObjSequence, RoundTripIsBitExact) {
  const TemporaryFolder folder;
  TriangleMesh mesh = square();
  for (int frame = 1001; frame <= 1003; ++frame) {
    for (Vec3& x : mesh.positions) x *= 1.1;
    write_obj_frame(folder.path(), "cloth", frame, mesh);
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "cloth.1002.obj"));
  const ObjSequence sequence =
      read_obj_sequence(*FramePattern::parse(folder / "cloth.####.obj"), {1001, 1003});
  ASSERT_EQ(sequence.samples.size(), 3u);
  EXPECT_EQ(sequence.samples[2], stacked(mesh.positions));
  EXPECT_EQ(sequence.samples[0], stacked(sequence.mesh.positions));
  EXPECT_NE(sequence.samples[0], sequence.samples[1]);
  EXPECT_EQ(sequence.mesh.triangles, mesh.triangles);
}

TEST(ObjSequence, WritesAtLeastFourDigits) {
  EXPECT_EQ(obj_frame_path("obj", "cloth", 7), "obj/cloth.0007.obj");
  EXPECT_EQ(obj_frame_path("obj", "cloth", 12345), "obj/cloth.12345.obj");
}

TEST(ObjSequence, NamesAMissingFrame) {
  const TemporaryFolder folder;
  write_obj_frame(folder.path(), "cloth", 1, square());
  const auto pattern = FramePattern::parse(folder / "cloth.####.obj");
  const std::string message = message_of<InputError>([&] { read_obj_sequence(*pattern, {1, 2}); });
  EXPECT_TRUE(says(message, {"cloth.0002.obj", "No such file"}));
}

TEST(ObjSequence, RefusesAMeshThatChanges) {
  const TemporaryFolder folder;
  const auto pattern = FramePattern::parse(folder / "cloth.####.obj");
  write_obj_frame(folder.path(), "cloth", 1, square());

  TriangleMesh more = square();
  more.positions.push_back({2, 2, 2});
  write_obj_frame(folder.path(), "cloth", 2, more);
  EXPECT_TRUE(says(message_of<InputError>([&] {
                     read_obj_sequence(*pattern, {1, 2});
                   }),
                   {"cloth.0002.obj", "5 vertices", "frame 1"}));

  TriangleMesh turned = square();
  turned.triangles[1] = {2, 3, 0};
  write_obj_frame(folder.path(), "cloth", 2, turned);
  EXPECT_TRUE(says(message_of<InputError>([&] {
                     read_obj_sequence(*pattern, {1, 2});
                   }),
                   {"cloth.0002.obj", "one mesh"}));
}

}  // namespace
}  // namespace keydrape
