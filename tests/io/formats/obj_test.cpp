#include "io/formats/obj.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <locale>
#include <string>

#include "io/file/file.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

TriangleMesh read_text(const std::string& text, const ObjOptions& options = {}) {
  const TemporaryFolder folder;
  return read_obj(folder.write("mesh.obj", text), options);
}

// Four vertices at the corners of the unit square.
const std::string kSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

void expect_same(const TriangleMesh& a, const TriangleMesh& b) {
  EXPECT_EQ(a.positions, b.positions);
  EXPECT_EQ(a.triangles, b.triangles);
  EXPECT_EQ(a.uvs, b.uvs);
  EXPECT_EQ(a.uv_triangles, b.uv_triangles);
  EXPECT_EQ(a.lines, b.lines);
  EXPECT_EQ(a.groups, b.groups);
}

TEST(ReadObj, ReadsPositionsAndTriangles) {
  const TriangleMesh mesh = read_text("v 1.5 -2 3e-2\nv +1 .5 -.25\nv 1.582638e-001 0 -0\nf 1 2 3\n");
  ASSERT_EQ(mesh.vertex_count(), 3);
  EXPECT_EQ(mesh.positions[0], Vec3(1.5, -2, 3e-2));
  EXPECT_EQ(mesh.positions[1], Vec3(1, .5, -.25));
  EXPECT_EQ(mesh.positions[2], Vec3(0.1582638, 0, 0));
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}}));
  EXPECT_FALSE(mesh.has_uvs());
}

TEST(ReadObj, TakesEveryFormOfCorner) {
  const std::string head = kSquare + "vt 0 0\nvt 1 0\nvt 1 1 0\nvn 0 0 1\n";
  for (const char* face : {"f 1 2 3", "f 1//1 2//1 3//1", "f -4 -3 -2", "f -4//-1 -3//-1 -2//-1"}) {
    EXPECT_EQ(read_text(head + face).triangles, (std::vector<Triangle>{{0, 1, 2}})) << face;
  }
  for (const char* face : {"f 1/1 2/2 3/3", "f 1/1/1 2/2/1 3/3/1", "f -4/-3 -3/-2 -2/-1"}) {
    const TriangleMesh mesh = read_text(head + face);
    EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}})) << face;
    EXPECT_EQ(mesh.uv_triangles, (std::vector<Triangle>{{0, 1, 2}})) << face;
    EXPECT_EQ(mesh.uvs[2], Vec2(1, 1));
  }
}

TEST(ReadObj, NegativeIndicesCountFromTheirOwnLine) {
  const TriangleMesh mesh = read_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 0 1 0\nf -4 -2 -1\n");
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
}

TEST(ReadObj, PositiveIndicesMayPointForward) {
  EXPECT_EQ(read_text("f 1 2 3\n" + kSquare).triangles, (std::vector<Triangle>{{0, 1, 2}}));
}

TEST(ReadObj, SplitsPolygonsIntoFansWhateverThePose) {
  EXPECT_EQ(read_text(kSquare + "f 1 2 3 4\n").triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
  // The diagonal 2-4 is the shorter one of this pose.
  EXPECT_EQ(read_text("v 0 0 0\nv 1 0 0\nv 9 9 0\nv 0 1 0\nf 1 2 3 4\n").triangles,
            (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
  const TriangleMesh pentagon = read_text(kSquare + "v -1 .5 0\nvt 0 0\nvt 1 0\nf 1/1 2/2 3/1 4/2 5/1\n");
  EXPECT_EQ(pentagon.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}));
  EXPECT_EQ(pentagon.uv_triangles, (std::vector<Triangle>{{0, 1, 0}, {0, 0, 1}, {0, 1, 0}}));
}

TEST(ReadObj, WarnsOfPolygonsThatAreNotConvex) {
  std::vector<std::string> warnings;
  read_text(kSquare + "f 1 2 3 4\n", {.warnings = &warnings});
  EXPECT_TRUE(warnings.empty());
  // An arrow head whose notch is corner 2.
  read_text("v 0 0 0\nv 1 1 0\nv 2 0 0\nv 1 3 0\nf 1 2 3 4\n", {.warnings = &warnings});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(says(warnings[0], {"mesh.obj:5:1: ", "not convex"}));
}

TEST(ReadObj, TakesWindowsAndOldMacLineEnds) {
  const TriangleMesh expected = read_text(kSquare + "f 1 2 3\n");
  for (const char* end : {"\r\n", "\r"}) {
    std::string text = kSquare + "\n# comment\n\nf 1 2 3";  // and none at the end of the file
    for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += std::string(end).size()) {
      text.replace(at, 1, end);
    }
    expect_same(read_text(text), expected);
  }
}

TEST(ReadObj, TakesByteOrderMarkBlanksCommentsAndContinuations) {
  const TriangleMesh mesh = read_text(
      "\xEF\xBB\xBF"
      "v 0 0 0 # origin\n\n   \t\n#v 9 9 9\n  v\t1 \\\n 0 \\\r\n0\nv 1 1 0\n# ends in a backslash \\\nf 1 2 "
      "\\\n3\n");
  EXPECT_EQ(mesh.vertex_count(), 3);
  EXPECT_EQ(mesh.positions[1], Vec3(1, 0, 0));
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}}));
}

TEST(ReadObj, DropsWeightsAndColours) {
  const TriangleMesh mesh = read_text("v 1 2 3 1\nv 4 5 6 0.1 0.2 0.3\n");
  EXPECT_EQ(mesh.positions, (std::vector<Vec3>{{1, 2, 3}, {4, 5, 6}}));
}

TEST(ReadObj, SkipsMaterialsAndSmoothing) {
  EXPECT_EQ(read_text("mtllib a.mtl\n" + kSquare + "usemtl red\ns off\ns 1\nf 1 2 3\n").triangle_count(), 1);
}

TEST(ReadObj, KeepsLooseVertices) { EXPECT_EQ(read_text(kSquare + "f 1 2 3\n").vertex_count(), 4); }

TEST(ReadObj, MakesLinesOfPolylines) {
  const TriangleMesh mesh = read_text(kSquare + "vt 0 0\nl 1 2 3\nl 4/1 -4/1\n");
  EXPECT_EQ(mesh.lines, (std::vector<Edge>{{0, 1}, {1, 2}, {3, 0}}));
}

TEST(ReadObj, GroupsAreTheVerticesOfTheirElements) {
  const TriangleMesh mesh = read_text(
      kSquare +
      "v 2 0 0\nv 3 0 0\no sleeve left\ng default\nf 3 2 1\ng waist hem\nf 1 3 4\ng waist\nf 2 5 3\n"
      "g\nf 5 6 3\ng tip empty\ng tip\np 6\ng off\nf 3 6 5\n");
  const std::map<std::string, std::vector<int>> expected = {{"sleeve_left", {0, 1, 2, 3, 4, 5}},
                                                            {"waist", {0, 1, 2, 3, 4}},
                                                            {"hem", {0, 2, 3}},
                                                            {"tip", {5}},
                                                            {"empty", {}}};
  EXPECT_EQ(mesh.groups, expected);
}

// What another object of the file leaves behind, beside good polygons.
TEST(ReadObj, LeavesOutParameterVerticesAndLinesOfOne) {
  std::vector<std::string> warnings;
  const TriangleMesh mesh = read_text(kSquare + "o curve\nvp 0.5\nvp 0.1 0.2 1\nl 4\nl 1\no sheet\nf 1 2 3\n",
                                      {.warnings = &warnings});
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}}));
  EXPECT_TRUE(mesh.lines.empty());
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_TRUE(says(warnings[0], {":6:1: ", "curved surface", "left out"})) << warnings[0];
  EXPECT_TRUE(says(warnings[1], {":8:1: ", "1 vertex", "left out"})) << warnings[1];
}

TEST(ReadObj, WarnsOfAFaceGivenTwice) {
  for (const std::string again : {"f 1 2 3 4\n", "f 3 4 1 2\n", "f 4 3 2 1\n"}) {
    std::vector<std::string> warnings;
    const std::string thrice = fmt::format("{0}f 1 2 3 4\n{1}{1}", kSquare, again);
    EXPECT_EQ(read_text(thrice, {.warnings = &warnings}).triangle_count(), 6);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_TRUE(says(warnings[0], {":6:1: ", "given twice (2 such in all)", "line 5 "})) << warnings[0];
  }
  std::vector<std::string> warnings;
  read_text(kSquare + "f 1 2 3\nf 1 3 4\n", {.warnings = &warnings});
  EXPECT_TRUE(warnings.empty());
}

TEST(ReadObj, DropsOneTextureCoordinateForAll) {
  std::vector<std::string> warnings;
  const TriangleMesh mesh =
      read_text(kSquare + "vt 0 0\nf 1/1 2/1 3/1\nf 1/1 3/1 4/1\n", {.warnings = &warnings});
  EXPECT_FALSE(mesh.has_uvs());
  EXPECT_TRUE(mesh.uvs.empty());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(says(warnings[0], {"mesh.obj:6:1: ", "same texture coordinate"}));
}

TEST(ReadObj, DropsTextureCoordinatesThatNoFaceUses) {
  std::vector<std::string> warnings;
  EXPECT_TRUE(read_text(kSquare + "vt 0 0\nvt 1 0\nf 1 2 3\n", {.warnings = &warnings}).uvs.empty());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(says(warnings[0], {"mesh.obj:", "no face uses"}));
}

TEST(ReadObj, WithoutUvsSomeFacesMayLackThem) {
  const TriangleMesh mesh = read_text(kSquare + "vt 0 0\nf 1/1 2/1 3/1\nf 1 3 4\n", {.keep_uvs = false});
  EXPECT_EQ(mesh.triangle_count(), 2);
  EXPECT_TRUE(mesh.uvs.empty());
  EXPECT_FALSE(mesh.has_uvs());
}

TEST(ReadObj, TakesTheWrappedTailOfACommentWithAWarning) {
  std::vector<std::string> warnings;
  const TriangleMesh mesh =
      read_text("# OBJ\nFile Generated by Meshlab\n# Vertices\n: 4\n" + kSquare + "# End\nof File\n",
                {.warnings = &warnings});
  EXPECT_EQ(mesh.vertex_count(), 4);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(says(warnings[0], {"mesh.obj:2:1: ", "comment above"}));
}

// The decimal point of the C library and of C++ streams is a comma while this lives.
class CommaLocale {
 public:
  CommaLocale() {
    struct Comma : std::numpunct<char> {
      char do_decimal_point() const override { return ','; }
      char do_thousands_sep() const override { return '.'; }
      std::string do_grouping() const override { return "\3"; }
    };
    // Where none of these is installed, the C++ part still is a comma.
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
      if (std::setlocale(LC_ALL, name)) break;
    }
    old_ = std::locale::global(std::locale(std::locale::classic(), new Comma));
  }
  ~CommaLocale() {
    std::locale::global(old_);
    std::setlocale(LC_ALL, "C");
  }

 private:
  std::locale old_;
};

TEST(ReadObj, IgnoresTheLocaleAndSoDoesTheWriter) {
  const CommaLocale comma;
  const TemporaryFolder folder;
  const TriangleMesh mesh = read_text("v 1.5 -2.25 1234567.5\n");
  EXPECT_EQ(mesh.positions[0], Vec3(1.5, -2.25, 1234567.5));
  write_obj(folder / "out.obj", mesh);
  EXPECT_EQ(folder.read("out.obj"), "v 1.5 -2.25 1234567.5\n");
}

// Names that a line of OBJ cannot simply end with, and none.
TEST(WriteObj, RoundTripOfOddNames) {
  const TemporaryFolder folder;
  const auto first =
      folder.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\no default\ng end\\ \nf 1 2 3\ng a\\ b\\ \np 1\n");
  const TriangleMesh mesh = read_obj(first);
  const std::map<std::string, std::vector<int>> groups = {{"end\\", {0, 1, 2}}, {"a\\", {0}}, {"b\\", {0}}};
  EXPECT_EQ(mesh.groups, groups);
  write_obj(folder / "b.obj", mesh);
  EXPECT_EQ(read_obj(folder / "b.obj").groups, groups);
  EXPECT_EQ(read_obj(folder / "b.obj").triangles, mesh.triangles);
}

TEST(WriteObj, RoundTripIsBitExact) {
  TriangleMesh mesh;
  mesh.positions = {{0.1, 1.0 / 3.0, -0.0},
                    {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(), 1e-300},
                    {std::nextafter(1.0, 2.0), -1e22, 123456789012345678.0},
                    {5e-324, -2.5, M_PI},
                    {7, 8, 9}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}, {1, 4, 2}};
  mesh.uvs = {{0.1, 0.2}, {1.0 / 3.0, 0.7}, {-1, 1e-17}, {0.5, 0.5}};
  mesh.uv_triangles = {{0, 1, 2}, {0, 2, 3}, {1, 3, 2}};
  mesh.lines = {{3, 1}, {0, 4}};
  // Whole faces, one corner of a face, everything, a vertex beside whole faces, nothing.
  mesh.groups = {{"a", {0, 1, 2}}, {"b", {3}}, {"c", {0, 1, 2, 3, 4}}, {"d", {0, 2, 3, 4}}, {"e", {}}};
  const TemporaryFolder folder;
  write_obj(folder / "out.obj", mesh);
  const TriangleMesh again = read_obj(folder / "out.obj");
  expect_same(again, mesh);
  EXPECT_TRUE(std::signbit(again.positions[0].z()));
  EXPECT_EQ(folder.file_count(), 1);
}

// `g off` is none, with faces and without.
TEST(WriteObj, AGroupMayBeCalledOff) {
  const TemporaryFolder folder;
  TriangleMesh mesh = read_text(kSquare + "v 2 0 0\no off\nf 1 2 3\np 5\no\nf 1 3 4\n");
  ASSERT_EQ(mesh.groups.at("off"), (std::vector<int>{0, 1, 2, 4}));
  for (const char* more : {"", "a", "z"}) {
    if (*more != '\0') mesh.groups[more] = {0, 1, 2, 3};
    write_obj(folder / "out.obj", mesh);
    EXPECT_EQ(read_obj(folder / "out.obj").groups, mesh.groups) << more;
  }
}

TEST(WriteObj, RefusesNumbersThatAreNotFinite) {
  const TemporaryFolder folder;
  TriangleMesh mesh;
  mesh.positions = {{0, 0, 0}, {0, std::nan(""), 0}};
  const std::string message = message_of<OutputError>([&] { write_obj(folder / "out.obj", mesh); });
  EXPECT_TRUE(says(message, {"out.obj", "vertex 1", "not finite", "repair it where it comes from"}));
  EXPECT_EQ(folder.file_count(), 0);
}

}  // namespace
}  // namespace keydrape
