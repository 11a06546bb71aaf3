#include "io/formats/ply/ply.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/error.h"
#include "tests/support/small_cache.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

MeshCache ply_of(const std::string& bytes) {
  const TemporaryFolder folder;
  return read_ply(folder.write("a.ply", bytes), {.frame = 7});
}

std::string ply_refusal(const std::string& bytes) {
  return message_of<InputError>([&] { ply_of(bytes); });
}

// A square, as text.
const std::string kHeader =
    "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\nproperty float y\n"
    "property double z\nproperty uchar red\nproperty float miss\nelement face 1\n"
    "property list uchar int vertex_index\nproperty int material\nend_header\n";
const std::string kPlySquare = "0 0 0 255 0.5\n1 0 0 0 1\n1 1 0 0 2\n0 1 0.25 0 3\n4 0 1 2 3 9\n";

TEST(ReadPly, ReadsAscii) {
  const MeshCache cache = ply_of(kHeader + kPlySquare);
  EXPECT_EQ(cache.header.first_frame, 7);
  EXPECT_EQ(cache.header.mesh.positions[3], Vec3(0, 1, 0.25));
  EXPECT_EQ(cache.header.mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(cache.header.fields, (std::vector<FieldHeader>{{"miss", FieldPlace::kVertex, 1, false}}));
  EXPECT_EQ(cache.frames[0].fields[0], VecX(Eigen::Vector4d(0.5, 1, 2, 3)));
  std::string crlf;
  for (const char c : kHeader + kPlySquare) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(ply_of(crlf).header.mesh.positions, cache.header.mesh.positions);
}

// The same square with every number the other way round.
TEST(ReadPly, ReadsBothOrdersOfBytes) {
  for (const bool big : {false, true}) {
    std::string bytes =
        "ply\nformat binary_" + std::string(big ? "big" : "little") +
        "_endian 1.0\nelement vertex 3\nproperty float x\nproperty double y\nproperty short z\n"
        "element edge 1\nproperty int vertex1\nelement face 1\n"
        "property list ushort uint vertex_indices\nend_header\n";
    const auto put = [&](auto value) {
      char raw[sizeof value];
      std::memcpy(raw, &value, sizeof value);
      if (big) std::reverse(std::begin(raw), std::end(raw));
      bytes.append(raw, sizeof value);
    };
    for (int i = 0; i < 3; ++i)
      put(0.5f * static_cast<float>(i)), put(0.1 * i), put(static_cast<std::int16_t>(-i * i));
    put(std::int32_t{5}), put(std::uint16_t{3}), put(2u), put(1u), put(0u);
    const MeshCache cache = ply_of(bytes);
    EXPECT_EQ(cache.header.mesh.positions[2], Vec3(1.0, 0.2, -4.0)) << big;
    EXPECT_EQ(cache.header.mesh.triangles, (std::vector<Triangle>{{2, 1, 0}}));
    const std::string header = bytes.substr(0, bytes.find("end_header"));
    for (std::size_t size = header.size(); size < bytes.size(); ++size) ply_refusal(bytes.substr(0, size));
    EXPECT_TRUE(says(ply_refusal(bytes + '\0'), {"1 bytes behind the last element"}));
  }
}

TEST(Ply, RoundTripRoundsToSinglePrecisionOnly) {
  const TemporaryFolder folder;
  MeshCache written = small_cache();
  written.header.fields.push_back({"force", FieldPlace::kVertex, 3, false});
  written.frames[2].fields.push_back(VecX::LinSpaced(12, -1, 1));
  write_ply(folder / "a.ply", written.header, written.frames[2], 1003);
  const MeshCache cache = read_ply(folder / "a.ply", {.frame = 1003});
  EXPECT_EQ(cache.frames[0].positions, rounded(written.frames[2].positions));
  EXPECT_EQ(cache.header.mesh.triangles, written.header.mesh.triangles);
  // Fields of triangles are written, but not read.
  EXPECT_EQ(cache.header.fields, (std::vector<FieldHeader>{written.header.fields[0], written.header.fields[1],
                                                           written.header.fields[3]}));
  EXPECT_EQ(cache.frames[0].fields[0], rounded(written.frames[2].fields[0]));
  EXPECT_EQ(cache.frames[0].fields[1], rounded(written.frames[2].fields[1]));
  EXPECT_EQ(cache.frames[0].fields[2], rounded(written.frames[2].fields[3]));
}

// A square of two triangles, as text.
std::string square_with(const std::string& vertex_properties, const std::string& vertices,
                        const std::string& face_properties, const std::string& faces) {
  return "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n" +
         vertex_properties + "element face 2\nproperty list uchar int vertex_indices\n" + face_properties +
         "end_header\n" + vertices + faces;
}
const std::string kPlyVertices = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n", kPlyFaces = "3 0 1 2\n3 0 2 3\n";

// As Blender, others and MeshLab write it.
TEST(ReadPly, VerticesHaveTextureCoordinates) {
  const std::string vertices = "0 0 0 .5 .25\n1 0 0 1 .25\n1 1 0 1 1\n0 1 0 .5 1\n";
  for (const auto& [u, v] : {std::pair("s", "t"), std::pair("u", "v"), std::pair("texture_u", "texture_v")}) {
    const std::string properties = fmt::format("property float {}\nproperty float {}\n", u, v);
    const TriangleMesh mesh = ply_of(square_with(properties, vertices, "", kPlyFaces)).header.mesh;
    EXPECT_EQ(mesh.uvs, (std::vector<Vec2>{{0.5, 0.25}, {1, 0.25}, {1, 1}, {0.5, 1}})) << u;
    EXPECT_EQ(mesh.uv_triangles, mesh.triangles) << u;
  }
  const std::string alone = "0 0 0 1\n1 0 0 2\n1 1 0 3\n0 1 0 4\n";
  EXPECT_FALSE(ply_of(square_with("property float s\n", alone, "", kPlyFaces)).header.mesh.has_uvs());
}

// MeshLab's: a vertex on a seam has several.
TEST(ReadPly, CornersHaveTextureCoordinates) {
  const std::string list = "property list uchar float texcoord\n";
  const auto square = [&](const std::string& first, const std::string& second) {
    return square_with("", kPlyVertices, list, "3 0 1 2 " + first + "\n3 0 2 3 " + second + "\n");
  };
  const std::string seam = square("6 0 0 1 0 1 1", "6 2 0 1 1 2 1");
  const TriangleMesh mesh = ply_of(seam).header.mesh;
  EXPECT_EQ(mesh.uvs, (std::vector<Vec2>{{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1}}));
  EXPECT_EQ(mesh.uv_triangles, (std::vector<Triangle>{{0, 1, 2}, {3, 2, 4}}));
  EXPECT_FALSE(ply_of(square("0", "0")).header.mesh.has_uvs());
  EXPECT_TRUE(says(ply_refusal(square("5 0 0 1 0 1", "0")), {"a.ply:15:1: ", "5 numbers in texcoord"}));
  const std::string mixed = square("6 0 0 1 0 1 1", "0");
  EXPECT_TRUE(says(ply_refusal(mixed), {"a.ply:16:1: ", "a face without texture coordinates"}));
  const TemporaryFolder folder;
  for (const std::string& text : {mixed, seam})
    EXPECT_FALSE(read_ply(folder.write("a.ply", text), {.keep_uvs = false}).header.mesh.has_uvs());
}

TEST(ReadPly, NoListIsOfLessThanNothing) {
  const std::string text =
      square_with("", kPlyVertices, "property list int float texcoord\n", "3 0 1 2 -1\n3 0 2 3 -1\n");
  EXPECT_TRUE(says(ply_refusal(text), {"a.ply:15:9: ", "a list of -1 numbers", "0 or more"}));
}

TEST(ReadPly, OneTextureCoordinateForAllIsNone) {
  std::vector<std::string> warnings;
  const TemporaryFolder folder;
  const std::string vertices = "0 0 0 0 0\n1 0 0 0 0\n1 1 0 0 0\n0 1 0 0 0\n";
  const auto file =
      folder.write("a.ply", square_with("property float s\nproperty float t\n", vertices, "", kPlyFaces));
  EXPECT_FALSE(read_ply(file, {.warnings = &warnings}).header.mesh.has_uvs());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(says(warnings[0], {"a.ply: every corner has the same texture coordinate"}));
}

TEST(ReadPly, WarnsOfFacesThatAreNotConvexOrGivenTwice) {
  const TemporaryFolder folder;
  const std::string header =
      "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 3\nproperty list uchar int vertex_indices\nend_header\n"
      "-1 0 0\n0 0 .2\n1 0 0\n0 0 1\n0 1 0\n";
  std::vector<std::string> warnings;
  read_ply(folder.write("a.ply", header + "3 0 1 4\n4 0 1 2 3\n4 3 2 1 0\n"), {.warnings = &warnings});
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_TRUE(says(warnings[0], {"a.ply: face 1 (counted from 0) is not convex", "triangulate the mesh"}));
  EXPECT_TRUE(says(warnings[1], {"face 2 (counted from 0) is given twice (1 such in all): face 1"}));
  warnings.clear();
  read_ply(folder.write("a.ply", header + "3 0 1 4\n3 0 1 3\n3 1 2 3\n"), {.warnings = &warnings});
  EXPECT_TRUE(warnings.empty());
}

// Read back they would be colours, texture coordinates or the end of the file.
TEST(Ply, NoFieldIsWrittenUnderANameThatMeansSomethingElse) {
  const TemporaryFolder folder;
  MeshCache written = small_cache();
  std::vector<FieldHeader> fields;
  for (const char* name : {"x", "nx", "red", "alpha", "s", "t", "u", "v", "texture_u", "texture_v"})
    fields.push_back({name, FieldPlace::kVertex, 1, false});
  for (const char* name : {"vertex_indices", "vertex_index", "texcoord"})
    fields.push_back({name, FieldPlace::kTriangle, 1, false});
  fields.push_back({"u_y", FieldPlace::kVertex, 1, false});  // beside a vector u
  const FieldHeader kept[] = {{"miss", FieldPlace::kVertex, 1, false}, {"u", FieldPlace::kVertex, 3, false}};
  const std::size_t lost_count = fields.size();
  fields.insert(fields.end(), std::begin(kept), std::end(kept));
  for (std::size_t k = 0; k < fields.size(); ++k)
    EXPECT_EQ(ply_has_place(fields[k], fields), k >= lost_count) << fields[k].name;
  written.header.fields = fields;
  written.frames[0].fields.clear();
  for (const FieldHeader& field : fields)
    written.frames[0].fields.push_back(VecX::LinSpaced(written.header.value_count(field), 0, 1));
  write_ply(folder / "a.ply", written.header, written.frames[0], 1001);
  const MeshCache cache = read_ply(folder / "a.ply");
  EXPECT_EQ(cache.frames[0].positions, rounded(written.frames[0].positions));
  EXPECT_EQ(cache.header.mesh.triangles, written.header.mesh.triangles);
  EXPECT_FALSE(cache.header.mesh.has_uvs());
  EXPECT_EQ(cache.header.fields, (std::vector<FieldHeader>(std::begin(kept), std::end(kept))));
}

TEST(ReadPly, ThreeScalarsMakeAVectorOnlyTogether) {
  const MeshCache cache = ply_of(
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
      "property float mi_y\nproperty float mi_x\nproperty float mi_z\nproperty float miss\n"
      "property float a_x\nproperty list uchar float a_y\nproperty float a_z\nproperty list uchar int b\n"
      "property float 9lives\nend_header\n0 0 0 2 1 3 4 5 0 6 0 7\n");
  ASSERT_EQ(cache.header.fields.size(), 4u);
  EXPECT_EQ(cache.header.fields[0], (FieldHeader{"mi", FieldPlace::kVertex, 3, false}));
  EXPECT_EQ(cache.frames[0].fields[0], VecX(Vec3(1, 2, 3)));
  EXPECT_EQ(cache.header.fields[1].name, "miss");
  EXPECT_EQ(cache.header.fields[2].name, "a_x");
  EXPECT_EQ(cache.header.fields[3].name, "a_z");
}

TEST(ReadPly, NoTwoFieldsHaveOneName) {
  const std::string header =
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
      "property float a_x\nproperty float a_y\nproperty float a_z\nproperty float a\nend_header\n";
  std::vector<std::string> names;
  for (const FieldHeader& field : ply_of(header + "0 0 0 1 2 3 4\n").header.fields)
    names.push_back(field.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a_x", "a_y", "a_z", "a"}));
}

TEST(ReadPly, NamesLineAndColumnInText) {
  EXPECT_TRUE(
      says(ply_refusal(kHeader + replaced(kPlySquare, "1 1 0 0 2", "1 nan 0 0 2")), {"a.ply:16:3: 'nan'"}));
  EXPECT_TRUE(says(ply_refusal(kHeader + replaced(kPlySquare, "1 1 0 0 2", "1 0,5 0 0 2")),
                   {"a.ply:16:3: ", "decimal comma"}));
  EXPECT_TRUE(
      says(ply_refusal(kHeader + replaced(kPlySquare, "0 255", "0 256")), {"a.ply:14:7: '256'", "0 to 255"}));
  EXPECT_TRUE(says(ply_refusal(kHeader + replaced(kPlySquare, "4 0 1 2 3", "4 0 1 2 4")),
                   {"a.ply:18:1: ", "index 4", "0 to 3"}));
  EXPECT_TRUE(says(ply_refusal(kHeader + replaced(kPlySquare, "4 0 1 2 3", "4 0 1 2 -1")),
                   {"a.ply:18:1: ", "index -1"}));
  EXPECT_TRUE(says(ply_refusal(kHeader + replaced(kPlySquare, "4 0 1 2 3", "4 0 1 2 1")),
                   {"a.ply:18:1: ", "vertex 1 twice"}));
  EXPECT_TRUE(
      says(ply_refusal(kHeader + replaced(kPlySquare, "4 0 1 2 3", "2 0 1")), {"a.ply:18:1: ", "2 corners"}));
  EXPECT_TRUE(
      says(ply_refusal(kHeader + replaced(kPlySquare, "1 0 0 0 1", "1 0 0 0")), {"a.ply:15:8: ", "4 words"}));
  EXPECT_TRUE(says(ply_refusal(kHeader + replaced(kPlySquare, "1 0 0 0 1", "1 0 0 0 1 7")),
                   {"a.ply:15:11: ", "6 words"}));
  EXPECT_TRUE(says(ply_refusal(kHeader + kPlySquare + "7\n"), {"a.ply:19:1: '7'", "end of the file"}));
  EXPECT_TRUE(says(ply_refusal(kHeader + "0 0 0 0 0\n"), {"ends before 'vertex' 1"}));
}

TEST(ReadPly, RefusesBadHeaders) {
  const auto with = [](const std::string& what, const std::string& by) {
    return ply_refusal(replaced(kHeader, what, by) + kPlySquare);
  };
  EXPECT_TRUE(says(with("ply", "PLY"), {":1:1: 'PLY'"}));
  EXPECT_TRUE(says(with("ascii 1.0", "ascii 2.0"), {":2:1: ", "binary_little_endian"}));
  EXPECT_TRUE(says(with("element vertex 4", "element vertex -4"), {":4:16: '-4'"}));
  EXPECT_TRUE(says(with("element vertex 4", "element vertex 99999999999"), {":4:16: "}));
  EXPECT_TRUE(says(with("element vertex 4", "element vertex 0"), {"has no vertices"}));
  EXPECT_TRUE(says(with("property float x", "property half x"), {":5:10: 'half' is no type"}));
  EXPECT_TRUE(says(with("property float y", "property float x"), {":6:16: ", "'x' twice"}));
  EXPECT_TRUE(says(with("property float y", "property float w"), {"lack one of"}));
  EXPECT_TRUE(says(with("list uchar int vertex_index", "list float int vertex_index"),
                   {":11:15: ", "whole numbers"}));
  EXPECT_TRUE(says(with("vertex_index", "corners"), {"no list vertex_indices"}));
  EXPECT_TRUE(says(with("element face 1", "element tristrips 1"), {"triangle strips"}));
  EXPECT_TRUE(says(with("end_header", "end_headers"), {"end_header"}));
  EXPECT_TRUE(says(ply_refusal(""), {"header"}));
  EXPECT_LT(with("element vertex 4", "vertices " + std::string(1000, '4')).size(), 300u);
}

// Whatever one byte is changed to: refused, or a mesh that can be used.
TEST(ReadPly, NoChangedByteDoesHarm) {
  const TemporaryFolder folder;
  const MeshCache written = small_cache();
  write_ply(folder / "whole.ply", written.header, written.frames[1], 1002);
  for (const std::string& whole : {folder.read("whole.ply"), kHeader + kPlySquare}) {
    int refused = 0;
    for (std::size_t at = 0; at < whole.size(); at += 3) {
      for (const char c : {'\0', '\xff', '9', '-', '\n'}) {
        std::string bytes = whole;
        bytes[at] = c;
        try {
          const MeshCache cache = read_ply(folder.write("changed.ply", bytes));
          EXPECT_TRUE(cache.frames[0].positions.allFinite());
          for (const Triangle& t : cache.header.mesh.triangles)
            for (const int vertex : t) EXPECT_TRUE(vertex >= 0 && vertex < cache.header.vertex_count());
        } catch (const InputError&) {
          ++refused;
        }
      }
    }
    EXPECT_GT(refused, static_cast<int>(whole.size() / 3));
  }
}

}  // namespace
}  // namespace keydrape
