#include "io/formats/usda/usda.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/small_cache.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

MeshCache usda_of(const std::string& text, std::vector<std::string>* warnings = nullptr) {
  const TemporaryFolder folder;
  return read_usda(folder.write("a.usda", text), warnings);
}

std::string usda_refusal(const std::string& text) {
  return message_of<InputError>([&] { usda_of(text); });
}

// As Blender writes it: a mesh below a transform, polygons, samples where something moves.
const std::string kBlender = R"(#usda 1.0
(
    defaultPrim = "root"
    doc = "Blender v4.2.0"
    endTimeCode = 4
    metersPerUnit = 1
    startTimeCode = 1
    timeCodesPerSecond = 25
    upAxis = "Z"
)

def Xform "root" (
    customData = {
        dictionary Blender = {
            bool generated = 1
        }
    }
)
{
    def Xform "Plane"
    {
        matrix4d xformOp:transform.timeSamples = {
            1: ( (2, 0, 0, 0), (0, 2, 0, 0), (0, 0, 2, 0), (10, 0, 0, 1) ),
        }
        uniform token[] xformOpOrder = ["xformOp:transform"]

        def Mesh "Plane" (
            prepend apiSchemas = ["MaterialBindingAPI"]
        )
        {
            float3[] extent = [(-1, -1, 0), (1, 1, 0)]
            int[] faceVertexCounts = [4]
            int[] faceVertexIndices = [0, 1, 3, 2]
            rel material:binding = </root/_materials/Cloth>
            normal3f[] normals = [(0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1)] (
                interpolation = "faceVarying"
            )
            point3f[] points = [(-1, -1, 0), (1, -1, 0), (-1, 1, 0), (1, 1, 0)]
            point3f[] points.timeSamples = {
                1: [(-1, -1, 0), (1, -1, 0), (-1, 1, 0), (1, 1, 0)],
                3: [(-1, -1, 2), (1, -1, 2), (-1, 1, 2), (1, 1, 2)],
                4: [(-1, -1, 3), (1, -1, 3), (-1, 1, 3), (1, 1, 3)],
            }
            int[] primvars:material_index = [0] (
                interpolation = "uniform"
            )
            texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 1)] (
                interpolation = "faceVarying"
            )
            uniform token subdivisionScheme = "none"
        }
    }

    def Camera "Camera"
    {
        matrix4d xformOp:transform.timeSamples = {
            1: ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) ),
            2: ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 5, 1) ),
        }
        uniform token[] xformOpOrder = ["xformOp:transform"]
    }
}
)";

TEST(ReadUsda, ReadsWhatBlenderWrites) {
  std::vector<std::string> warnings;
  const MeshCache cache = usda_of(kBlender, &warnings);
  EXPECT_EQ(cache.header.first_frame, 1);
  EXPECT_EQ(cache.header.frame_count, 4);
  EXPECT_EQ(cache.header.fps, 25.0);
  EXPECT_EQ(cache.header.space, (Space{1.0, UpAxis::kZ}));
  EXPECT_EQ(cache.header.mesh.triangles, (std::vector<Triangle>{{0, 1, 3}, {0, 3, 2}}));
  EXPECT_EQ(cache.header.mesh.uv_triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(cache.header.mesh.positions[1], Vec3(12, -2, 0));       // doubled, then moved by 10
  EXPECT_EQ(cache.at(2).positions.segment<3>(3), Vec3(12, -2, 2));  // filled linearly
  EXPECT_EQ(cache.at(4).positions.segment<3>(9), Vec3(12, 2, 6));
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_TRUE(says(warnings[0], {"filled linearly"}));
  EXPECT_TRUE(says(warnings[1], {"primvars:material_index", "are not read"}));
}

// As Houdini writes it: layer defaults left out, 'orientation', transforms by parts, velocities.
const std::string kHoudini = R"(#usda 1.0
(
    framesPerSecond = 24
    timeCodesPerSecond = 24
    upAxis = "Y"
)
def Xform "cloth" ( kind = "component" )
{
    double3 xformOp:translate = (0, 1, 0)
    float3 xformOp:rotateXYZ = (0, 0, 90)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ"]
    def Mesh "mesh_0" {
        int[] faceVertexCounts.timeSamples = { 1001: [3], 1002: [3] }
        int[] faceVertexIndices.timeSamples = { 1001: [0, 1, 2], 1002: [0, 1, 2] }
        uniform token orientation = "leftHanded"
        point3f[] points.timeSamples = { 1001: [(0, 0, 0), (1, 0, 0), (0, 0, 1)], 1002: [(0, 0, 0), (1, 0, 0), (0, 0, 2)] }
        vector3f[] velocities.timeSamples = { 1001: [(1, 0, 0), (0, 0, 0), (0, 0, 24)], 1002: [(0, 0, 0), (0, 0, 0), (0, 0, 24)] }
        float[] primvars:Pw.timeSamples = { 1001: [1, 1, 1], 1002: [1, 1, 1] } # no interpolation: not a field
        float[] primvars:miss (interpolation = "vertex")
        float[] primvars:miss.timeSamples = { 1001: [0, 0.5, 1], 1002: [0, 0, 0], }
    }
}
)";

TEST(ReadUsda, ReadsWhatHoudiniWrites) {
  std::vector<std::string> warnings;
  const MeshCache cache = usda_of(kHoudini, &warnings);
  EXPECT_EQ(cache.header.space, (Space{0.01, UpAxis::kY}));
  EXPECT_EQ(cache.header.mesh.triangles, (std::vector<Triangle>{{0, 2, 1}}));
  EXPECT_LT((cache.at(1001).positions.segment<3>(3) - Vec3(0, 2, 0)).norm(), 1e-12);  // turned, then moved
  EXPECT_LT((cache.at(1002).positions.segment<3>(6) - Vec3(0, 1, 2)).norm(), 1e-12);
  ASSERT_EQ(cache.header.fields.size(), 2u);
  EXPECT_EQ(cache.header.fields[0], (FieldHeader{kVelocityField, FieldPlace::kVertex, 3, true}));
  EXPECT_LT((cache.at(1001).fields[0].segment<3>(0) - Vec3(0, 1, 0)).norm(), 1e-12);
  EXPECT_EQ(cache.at(1001).fields[1], VecX(Vec3(0, 0.5, 1)));
  EXPECT_TRUE(says(warnings[0], {"metersPerUnit", "0.01"}));
  EXPECT_TRUE(says(warnings[1], {"primvars:Pw"}));
}

MeshCache written_and_read(const TemporaryFolder& folder, const MeshCache& written) {
  const auto writer = open_usda_writer(folder / "a.usda", written.header);
  for (const CacheFrame& frame : written.frames) writer->append(frame);
  writer->commit();
  std::vector<std::string> warnings;
  MeshCache cache = read_usda(folder / "a.usda", &warnings);
  EXPECT_TRUE(warnings.empty()) << warnings[0];
  return cache;
}

TEST(Usda, RoundTripRoundsToSinglePrecisionOnly) {
  const TemporaryFolder folder;
  MeshCache written = small_cache();
  written.header.space = {0.01, UpAxis::kZ};
  written.header.fps = 25;
  const MeshCache cache = written_and_read(folder, written);
  EXPECT_EQ(cache.header.space, written.header.space);
  EXPECT_EQ(cache.header.fps, 25.0);
  EXPECT_EQ(cache.header.frames().text(), "1001-1004");
  EXPECT_EQ(cache.header.mesh.triangles, written.header.mesh.triangles);
  EXPECT_EQ(cache.header.mesh.uvs, written.header.mesh.uvs);
  EXPECT_EQ(cache.header.mesh.uv_triangles, written.header.mesh.uv_triangles);
  EXPECT_EQ(cache.header.fields, written.header.fields);
  for (std::size_t f = 0; f < 4; ++f) {
    EXPECT_EQ(cache.frames[f].positions, rounded(written.frames[f].positions));
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(cache.frames[f].fields[i], rounded(written.frames[f].fields[i]));
  }
}

TEST(ReadUsda, NamesLineAndColumn) {
  using namespace std::string_literals;
  const auto with = [](const std::string& what, const std::string& by) {
    return usda_refusal(replaced(kBlender, what, by));
  };
  EXPECT_TRUE(says(with("#usda 1.0", "#sdf 1.4"), {"a.usda:1:1: "}));
  EXPECT_TRUE(says(with("3: [(-1, -1, 2)", "3: [(-1, -1, nan)"), {"a.usda:41:30: 'nan)'", "finite number"}));
  EXPECT_TRUE(says(with("3: [(-1, -1, 2)", "3: [(-1, -1)"), {"a.usda:41:28: ')'", "','"}));
  EXPECT_TRUE(
      says(with("3: [(-1, -1, 2), ", "3: ["), {"a.usda:41:20: 9 numbers", "12 as in the first sample"}));
  EXPECT_TRUE(says(with("3: [", "2.5: ["), {"a.usda:41:22: the time 2.5", "without subframes"}));
  EXPECT_TRUE(says(with("3: [", "5: ["), {"a.usda:42:17: a sample at 4 behind one at 5"}));
  EXPECT_TRUE(says(with("4: [", "9000000: ["), {"at most 100000 frames"}));
  EXPECT_TRUE(says(with("[0, 1, 3, 2]", "[0, 1, 3, 4]"), {"vertex index 4", "0 to 3"}));
  EXPECT_TRUE(says(with("[0, 1, 3, 2]", "[0, 1, 3, 1]"), {"face 0", "vertex 1 twice"}));
  EXPECT_TRUE(says(with("[0, 1, 3, 2]", "[0, 1, 3]"), {"face 0", "4 corners"}));
  EXPECT_TRUE(says(with("= [4]", "= [4.5]"), {"whole numbers"}));
  EXPECT_TRUE(says(with("1: ( (2, 0, 0, 0)",
                        "0: ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) ), 1: ( (2, 0, 0, 0)"),
                   {"xformOp:transform moves", "bake"}));
  EXPECT_TRUE(
      says(with("customData =", "references = @a.usd@ customData ="), {":13:5: references", "flatten"}));
  EXPECT_TRUE(says(with("def Camera", "variantSet"), {"variantSet"}));
  EXPECT_TRUE(says(with("def Camera", "def Mesh \"Other\" {} def Camera"),
                   {"2 prims of type Mesh: /root/Plane/Plane, /root/Other"}));
  EXPECT_TRUE(says(with("def Mesh", "def Points"), {"0 prims of type Mesh"}));
  EXPECT_TRUE(says(with("metersPerUnit = 1", "metersPerUnit = 0"), {"metersPerUnit = 0"}));
  EXPECT_TRUE(says(with("\"Z\"", "\"X\""), {"upAxis = \"X\""}));
  EXPECT_TRUE(says(usda_refusal("PXR-USDC\0\0"s), {"binary USD"}));
  std::string deep = "#usda 1.0\n";
  for (int i = 0; i < 1000; ++i) deep += "def Xform \"a\" {";
  EXPECT_TRUE(says(usda_refusal(deep), {"deeper than 64"}));
}

// Numbers that are finite in the file alone, and frames that are not in it.
TEST(ReadUsda, RefusesWhatGrowsOutOfBounds) {
  const std::string mesh =
      "#usda 1.0\n(metersPerUnit = 1)\ndef Mesh \"m\"\n{\n  int[] faceVertexCounts = [3]\n"
      "  int[] faceVertexIndices = [0, 1, 2]\n  POINTS\n}\n";
  const std::string scaled =
      "double3[] points = [(0, 0, 0), (1e200, 0, 0), (0, 1, 0)]\n  double3 xformOp:scale = (1e200, 1, 1)\n"
      "  uniform token[] xformOpOrder = [\"xformOp:scale\"]";
  EXPECT_TRUE(
      says(usda_refusal(replaced(mesh, "POINTS", scaled)),
           {"a.usda:7:13: a number in points that is too large once it is placed; expected numbers up to"}));
  const std::string apart =
      "double3[] points.timeSamples = {1: [(1e308, 0, 0), (1, 0, 0), (0, 1, 0)],\n"
      "    3: [(-1e308, 0, 0), (1, 0, 0), (0, 1, 0)]}";
  EXPECT_TRUE(says(usda_refusal(replaced(mesh, "POINTS", apart)),
                   {"a.usda:7:13: a number in points that is too large"}));
  std::string many = "point3f[] points.timeSamples = {1: [P], 99999: [P]}";
  std::string points = "(0, 0, 0), (1, 0, 0), (0, 1, 0)";
  for (int i = 0; i < 400; ++i) points += ", (0, 0, 1)";
  many = replaced(replaced(many, "P", points), "P", points);
  EXPECT_TRUE(
      says(usda_refusal(replaced(mesh, "POINTS", many)),
           {"a sample 99998 frames behind the one before; expected at most 1e+08 numbers in frames"}));
}

TEST(ReadUsda, KeepsOneFieldOfAName) {
  std::vector<std::string> warnings;
  const MeshCache cache = usda_of(
      "#usda 1.0\n(metersPerUnit = 1)\ndef Mesh \"m\"\n{\n  int[] faceVertexCounts = [3]\n"
      "  int[] faceVertexIndices = [0, 1, 2]\n"
      "  point3f[] points.timeSamples = {1: [(0, 0, 0), (1, 0, 0), (0, 1, 0)]}\n"
      "  vector3f[] velocities.timeSamples = {1: [(0, 0, 0), (1, 0, 0), (0, 1, 0)]}\n"
      "  float[] primvars:velocity.timeSamples = {1: [1, 2, 3]} (interpolation = \"vertex\")\n"
      "  float[] primvars:.timeSamples = {1: [1, 2, 3]} (interpolation = \"vertex\")\n}\n",
      &warnings);
  ASSERT_EQ(cache.header.fields.size(), 1U);
  EXPECT_EQ(cache.header.fields[0].components, 3);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(says(warnings[0], {"the attributes primvars:velocity, primvars: of /m are not read"}));
}

// A triangle of a layer with these times, at frames 2 and 3.
std::string sampled(const std::string& times, const std::string& more = "") {
  return "#usda 1.0\n(metersPerUnit = 1\n" + times +
         ")\ndef Mesh \"m\"\n{\n  int[] faceVertexCounts = [3]\n  int[] faceVertexIndices = [0, 1, 2]\n"
         "  point3f[] points.timeSamples = {2: [(0, 0, 0), (1, 0, 0), (0, 1, 0)], "
         "3: [(0, 0, 0), (1, 0, 0), (0, 1, 2)]}\n" +
         more + "}\n";
}
const std::string kFourFrames = "startTimeCode = 1\nendTimeCode = 4\n";

// Writers leave out samples that do not change: at the ends of the layer's range, too.
TEST(ReadUsda, HoldsTheFirstAndTheLastSampleOverTheLayersRange) {
  std::vector<std::string> warnings;
  const MeshCache cache = usda_of(sampled(kFourFrames), &warnings);
  EXPECT_EQ(cache.header.frames().text(), "1-4");
  EXPECT_EQ(cache.at(1).positions, cache.at(2).positions);
  EXPECT_EQ(cache.at(4).positions, cache.at(3).positions);
  EXPECT_EQ(cache.at(4).positions[8], 2.0);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(says(warnings[0], {"a.usda: ", "frames 2-3", "1-4", "held"}));
  EXPECT_EQ(usda_of(sampled("startTimeCode = 0.5\nendTimeCode = 3.9\n")).header.frames().text(), "1-3");
  warnings.clear();
  for (const char* times :
       {"endTimeCode = 4\n", "startTimeCode = 1\n", "startTimeCode = 2\nendTimeCode = 2\n",
        "startTimeCode = 9\nendTimeCode = 1\n", "startTimeCode = 1.2\nendTimeCode = 1.8\n"})
    EXPECT_EQ(usda_of(sampled(times), &warnings).header.frames().text(), "2-3") << times;
  const std::string third = ", 3: [(0, 0, 0), (1, 0, 0), (0, 1, 2)]}";
  const std::string pose = replaced(sampled(kFourFrames), third, "}");
  EXPECT_EQ(usda_of(pose, &warnings).header.frames().text(), "2-2");
  const std::string still = replaced(replaced(pose, ".timeSamples = {2: ", " = "), "}", "");
  EXPECT_EQ(usda_of(still, &warnings).header.frame_count, 1);
  EXPECT_TRUE(warnings.empty());
}

TEST(ReadUsda, HoldsFieldsAsItHoldsThePoints) {
  std::vector<std::string> warnings;
  const MeshCache cache = usda_of(sampled(kFourFrames, R"(
  vector3f[] velocities.timeSamples = {3: [(0, 0, 0), (1, 0, 0), (0, 1, 0)]}
  float[] primvars:a.timeSamples = {1: [0, 0, 0], 4: [3, 3, 3]} (interpolation = "vertex")
  float[] primvars:b.timeSamples = {2: [0, 0, 0], 5: [3, 3, 3]} (interpolation = "vertex")
)"),
                                  &warnings);
  ASSERT_EQ(cache.header.fields.size(), 2u);
  for (int f = 1; f <= 4; ++f) {
    EXPECT_EQ(cache.at(f).fields[0][3], 1.0);
    EXPECT_EQ(cache.at(f).fields[1], VecX(VecX::Constant(3, f - 1)));
  }
  EXPECT_TRUE(says(warnings.back(), {"the attributes primvars:b of /m are not read"}));
}

TEST(ReadUsda, HoldsNoMoreThanFitsInMemory) {
  for (const char* times :
       {"startTimeCode = 1\nendTimeCode = 200000\n", "startTimeCode = -1e300\nendTimeCode = 1e300\n"}) {
    std::vector<std::string> warnings;
    EXPECT_EQ(usda_of(sampled(times), &warnings).header.frames().text(), "2-3");
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_TRUE(says(warnings[0], {"frames 2-3", "at most 100000 frames", "correct startTimeCode"}));
  }
}

TEST(ReadUsda, ReadsValuesThatArePickedByIndices) {
  std::vector<std::string> warnings;
  const MeshCache cache = usda_of(sampled("", R"(
  float[] primvars:a.timeSamples = {2: [5, 6], 3: [7, 8]} (interpolation = "vertex")
  int[] primvars:a:indices = [1, 0, 1]
  float3[] primvars:b.timeSamples = {2: [(1, 2, 3)], 3: [(4, 5, 6)]} (interpolation = "vertex")
  int[] primvars:b:indices = [0, 0, 0]
  float[] primvars:c.timeSamples = {2: [1, 2, 3], 3: [1, 2, 3]} (interpolation = "vertex")
  int[] primvars:c:indices = [2, 1, 0]
  float[] primvars:d.timeSamples = {2: [1, 2, 3], 3: [1, 2, 3]} (interpolation = "vertex")
  int[] primvars:d:indices.timeSamples = {2: [2, 1, 0], 3: [0, 1, 2]}
  float[] primvars:e.timeSamples = {2: [1, 2, 3], 3: [1, 2, 3]} (interpolation = "vertex")
  int[] primvars:e:indices = [0, 3, -1]
)"),
                                  &warnings);
  ASSERT_EQ(cache.header.fields.size(), 3u);
  EXPECT_EQ(cache.at(2).fields[0], VecX(Vec3(6, 5, 6)));
  EXPECT_EQ(cache.at(3).fields[0], VecX(Vec3(8, 7, 8)));
  EXPECT_EQ(cache.at(3).fields[1].tail(3), VecX(Vec3(4, 5, 6)));
  EXPECT_EQ(cache.at(2).fields[2], VecX(Vec3(3, 2, 1)));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(says(warnings[0],
                   {"primvars:d, primvars:d:indices, primvars:e, primvars:e:indices of /m are not read"}));
  EXPECT_TRUE(says(usda_refusal(sampled("", R"(
  float[] primvars:a.timeSamples = {2: [5], 3: [7]} (interpolation = "vertex")
  int[] primvars:a:indices = [0, 0]
)")),
                   {"primvars:a with 2 numbers; expected 3, as 3 points"}));
}

TEST(ReadUsda, WarnsOfFacesThatAreNotConvexOrGivenTwice) {
  for (const char* orientation : {"rightHanded", "leftHanded"}) {
    std::vector<std::string> warnings;
    usda_of(std::string("#usda 1.0\n(metersPerUnit = 1)\ndef Mesh \"m\"\n{\n"
                        "  uniform token orientation = \"") +
                orientation +
                "\"\n  int[] faceVertexCounts = [3, 4, 4]\n"
                "  int[] faceVertexIndices = [0, 1, 4, 0, 1, 2, 3, 3, 0, 1, 2]\n"
                "  point3f[] points = [(-1, 0, 0), (0, 0, 0.2), (1, 0, 0), (0, 0, 1), (0, 1, 0)]\n}\n",
            &warnings);
    ASSERT_EQ(warnings.size(), 2u) << orientation;
    EXPECT_TRUE(says(warnings[0], {"a.usda: face 1 (counted from 0) is not convex", "triangulate"}));
    EXPECT_TRUE(says(warnings[1], {"face 2 (counted from 0) is given twice (1 such in all): face 1"}));
  }
}

// What is called so and is no vector of each vertex.
TEST(Usda, AFieldOfTheNameOfVelocitiesIsAPrimvar) {
  const TemporaryFolder folder;
  for (const FieldHeader& field : {FieldHeader{kVelocityField, FieldPlace::kVertex, 1, false},
                                   FieldHeader{kVelocityField, FieldPlace::kTriangle, 3, false}}) {
    MeshCache written = small_cache();
    written.header.fields = {field};
    for (CacheFrame& frame : written.frames)
      frame.fields = {VecX::LinSpaced(written.header.value_count(field), 0, 1)};
    const MeshCache cache = written_and_read(folder, written);
    ASSERT_EQ(cache.header.fields, written.header.fields);
    EXPECT_EQ(cache.frames[1].fields[0], rounded(written.frames[1].fields[0]));
    EXPECT_FALSE(says(folder.read("a.usda"), {"velocities"}));
  }
}

TEST(ReadUsda, NoTruncationAndNoChangedByteDoesHarm) {
  const TemporaryFolder folder;
  for (const std::string& whole : {kBlender, kHoudini}) {
    for (std::size_t size = 0; size + 2 < whole.size(); size += 11) {
      const auto path = folder.write("cut.usda", whole.substr(0, size));
      message_of<InputError>([&] { read_usda(path); });
    }
    int refused = 0, read = 0;
    for (std::size_t at = 0; at < whole.size(); at += 5) {
      std::string text = whole;
      text[at] = std::string(
          "\0\xff"
          "9\"}[",
          6)[at / 5 % 6];
      try {
        const MeshCache cache = read_usda(folder.write("changed.usda", text));
        for (const CacheFrame& frame : cache.frames) EXPECT_TRUE(frame.positions.allFinite());
        for (const Triangle& t : cache.header.mesh.triangles)
          for (const int vertex : t) EXPECT_TRUE(vertex >= 0 && vertex < cache.header.vertex_count());
        ++read;
      } catch (const InputError&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, 50);
    EXPECT_GT(read, 10);  // blanks, names
  }
}

}  // namespace
}  // namespace keydrape
