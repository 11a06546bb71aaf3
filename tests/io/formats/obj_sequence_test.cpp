#include "io/formats/obj_sequence.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.h"
#include "io/formats/obj.h"
#include "tests/support/temporary_folder.h"

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
  folder.write("cloth.02.obj", "");  // of another sequence
  const auto pattern = FramePattern::parse(folder / "cloth.####.obj");
  EXPECT_EQ(pattern->existing_frames(), (std::vector<int>{1001, 1002, 1003}));
  EXPECT_EQ(read_obj(pattern->path(1003)).positions, mesh.positions);
}

TEST(ObjSequence, WritesAtLeastFourDigits) {
  EXPECT_EQ(obj_frame_path("obj", "cloth", 7), "obj/cloth.0007.obj");
  EXPECT_EQ(obj_frame_path("obj", "cloth", 12345), "obj/cloth.12345.obj");
}

}  // namespace
}  // namespace keydrape
