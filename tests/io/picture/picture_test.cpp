#include "io/picture/picture.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdio>
#include <cstdlib>

#include "io/file/file.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

std::uint32_t big_endian_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k) value = value << 8U | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

TEST(PictureTest, PngHoldsEveryPixel) {
  Picture picture(5, 3, {1, 2, 3});
  picture.set(4, 2, {250, 251, 252});
  picture.set(5, 0, {9, 9, 9});
  picture.set(0, -1, {9, 9, 9});
  const std::string file = png(picture);
  ASSERT_EQ(file.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::string rows;
  std::size_t at = 8, chunks = 0;
  for (; at < file.size(); ++chunks) {
    const std::uint32_t size = big_endian_at(file, at);
    const std::string name = file.substr(at + 4, 4);
    const auto* bytes = reinterpret_cast<const Bytef*>(file.data() + at + 4);
    EXPECT_EQ(big_endian_at(file, at + 8 + size), ::crc32(0, bytes, size + 4)) << name;
    if (name == "IHDR") {
      EXPECT_EQ(big_endian_at(file, at + 8), 5u);
      EXPECT_EQ(big_endian_at(file, at + 12), 3u);
    }
    if (name == "IDAT") {
      rows.resize(3 * (1 + 5 * 3));
      uLongf length = rows.size();
      ASSERT_EQ(::uncompress(reinterpret_cast<Bytef*>(rows.data()), &length, bytes + 4, size), Z_OK);
      ASSERT_EQ(length, rows.size());
    }
    at += 12 + size;
  }
  EXPECT_EQ(at, file.size());
  EXPECT_EQ(chunks, 3u);
  EXPECT_EQ(rows.substr(1, 3), "\x01\x02\x03");
  EXPECT_EQ(rows.substr(rows.size() - 3), "\xfa\xfb\xfc");
}

TEST(PictureTest, WritesLetters) {
  Picture picture(20, 7, {255, 255, 255});
  picture.write("1h", 0, 0, 1, {0, 0, 0});
  std::string dots;
  for (int y = 0; y < 5; ++y, dots += '\n')
    for (int x = 0; x < 7; ++x) dots += picture.at(x, y)[0] == 0 ? '#' : '.';
  EXPECT_EQ(dots, ".#..#.#\n##..#.#\n.#..###\n.#..#.#\n###.#.#\n");
}

// A square that hangs in the plane z = 0 or before it.
VecX square(double z, double size = 1) {
  VecX x(12);
  x << 0, 0, z, size, 0, z, size, size, z, 0, size, z;
  return x;
}
const std::vector<Triangle> kTwoTriangles = {{0, 1, 2}, {0, 2, 3}};

bool is_paper(const Colour& c) { return c == Colour{246, 246, 244}; }

TEST(DrawClothTest, LooksFromWhereMostIsSeenAndHoldsAll) {
  for (const bool is_z_up : {false, true}) {
    VecX x = square(0);
    if (is_z_up)
      for (int v = 0; v < 4; ++v) std::swap(x[3 * v + 1], x[3 * v + 2]);
    const View view = view_of({{x, kTwoTriangles}}, is_z_up ? Vec3(0, 0, 1) : Vec3(0, 1, 0), 60, 40);
    EXPECT_GT(std::abs(view.towards[is_z_up ? 1 : 2]), 0.9);
    EXPECT_NEAR(view.right.cross(view.up).dot(view.towards), 1, 1e-12);
    const Picture picture = draw_cloth(x, kTwoTriangles, {}, view, 60, 40);
    int covered = 0;
    for (int y = 0; y < 40; ++y)
      for (int px = 0; px < 60; ++px) covered += !is_paper(picture.at(px, y));
    EXPECT_GT(covered, 800);
    EXPECT_LT(covered, 1600);
    for (int px = 0; px < 60; ++px) {
      EXPECT_TRUE(is_paper(picture.at(px, 0)));
      EXPECT_TRUE(is_paper(picture.at(px, 39)));
    }
  }
}

TEST(DrawClothTest, LooksAtEachClothByItsOwnTriangles) {
  VecX large(18);  // its square stands in the plane x = 0, of vertices that the small one does not have
  large << square(0).head<6>(), 0, 0, 0, 0, 9, 0, 0, 9, 9, 0, 0, 9;
  const std::vector<Triangle> later = {{2, 3, 4}, {2, 4, 5}};
  const SeenCloth small{square(0), kTwoTriangles};
  EXPECT_GT(std::abs(view_of({small, {large, later}}, Vec3(0, 1, 0), 60, 40).towards.x()), 0.9);
  EXPECT_GT(std::abs(view_of({{large, later}, small}, Vec3(0, 1, 0), 60, 40).towards.x()), 0.9);
}

TEST(DrawClothTest, TheNearerHidesTheFartherInAnyOrder) {
  VecX both(24);
  both << square(0), square(0.2);
  // The farther one looks away: its other side is seen, which has another colour.
  const std::vector<Triangle> apart = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}};
  const std::vector<Triangle> swapped = {apart[2], apart[3], apart[0], apart[1]};
  View view = view_of({{both, apart}}, Vec3(0, 1, 0), 40, 40);
  if (view.towards.z() < 0) view.towards = -view.towards, view.right = -view.right;
  const Colour seen = draw_cloth(both, apart, {}, view, 40, 40).at(20, 20);
  EXPECT_EQ(seen, draw_cloth(both, swapped, {}, view, 40, 40).at(20, 20));
  EXPECT_GT(seen[0], seen[2]);  // the front is warm, the back is blue
  EXPECT_LT(draw_cloth(square(0), {apart[0], apart[1]}, {}, view, 40, 40).at(20, 20)[0],
            draw_cloth(square(0), {apart[0], apart[1]}, {}, view, 40, 40).at(20, 20)[2]);
}

TEST(DrawClothTest, TheRimOfTheTargetLiesOnTop) {
  const View view = view_of({{square(0), kTwoTriangles}}, Vec3(0, 1, 0), 60, 60);
  const auto count = [&](const VecX& target) {
    const Picture picture = draw_cloth(square(0), kTwoTriangles, target, view, 60, 60);
    int rim = 0;
    for (int y = 0; y < 60; ++y)
      for (int x = 0; x < 60; ++x) rim += picture.at(x, y)[0] > 200 && picture.at(x, y)[2] < 60;
    return rim;
  };
  EXPECT_EQ(count({}), 0);
  EXPECT_GT(count(square(-0.1, 0.5)), 40);   // behind the cloth
  EXPECT_LT(count(square(-0.1, 0.5)), 200);  // without the diagonal
}

}  // namespace
}  // namespace keydrape
