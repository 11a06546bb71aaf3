// What is on the stage of a layer, and how it lies there.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.h"
#include "io/formats/usda/usda.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

MeshCache stage_of(const std::string& prims, std::vector<std::string>* warnings = nullptr) {
  const TemporaryFolder folder;
  return read_usda(folder.write("a.usda", "#usda 1.0\n(metersPerUnit = 1)\n" + prims), warnings);
}

// A triangle with texture coordinates.
std::string mesh_prim(const std::string& more, const std::string& metadata = "") {
  return "def Mesh \"m\" (" + metadata + R"()
{
  int[] faceVertexCounts = [3]
  int[] faceVertexIndices = [0, 1, 2]
  point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
  texCoord2f[] primvars:st = [(0, 0), (1, 0), (0, 1)] (interpolation = "faceVarying")
)" + more +
         "\n}\n";
}

// UsdGeomGprim: an orientation is that of the mesh's own space.
TEST(ReadUsdaStage, TurnsRoundWhatIsMirrored) {
  const auto scaled = [](const std::string& scale, const std::string& more = "") {
    return stage_of(mesh_prim("  double3 xformOp:scale = " + scale +
                              "\n  uniform token[] xformOpOrder = [\"xformOp:scale\"]\n" + more))
        .header.mesh;
  };
  const std::string left = "  uniform token orientation = \"leftHanded\"";
  const std::vector<Triangle> as_written = {{0, 1, 2}}, turned_round = {{0, 2, 1}};
  EXPECT_EQ(scaled("(2, 1, 1)").triangles, as_written);
  EXPECT_EQ(scaled("(-1, 1, 1)").triangles, turned_round);
  EXPECT_EQ(scaled("(-1, 1, 1)").uv_triangles, turned_round);
  EXPECT_EQ(scaled("(-1, -1, 1)").triangles, as_written);
  EXPECT_EQ(scaled("(1, 1, -1)", left).triangles, as_written);
  EXPECT_EQ(scaled("(1, 1, 1)", left).triangles, turned_round);
}

TEST(ReadUsdaStage, TakesNamesBeyondAscii) {
  std::vector<std::string> warnings;
  stage_of(mesh_prim("  float[] primvars:\u5e03 = [1, 2, 3]"), &warnings);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(says(warnings[0], {"the attributes primvars:\u5e03 of /m are not read"}));
}

TEST(ReadUsdaStage, CountsColumnsInCharacters) {
  EXPECT_TRUE(says(message_of<InputError>([] { stage_of("def Mesh \"\u5e03\u5e03\" ( bad )"); }),
                   {"a.usda:3:21: ')'"}));
}

TEST(ReadUsdaStage, LeavesOutInactivePrims) {
  std::vector<std::string> warnings;
  const std::string old = "def Xform \"old\" (active = false) { def Mesh \"shape\" {} }\n";
  EXPECT_EQ(stage_of(old + mesh_prim("", "active = true"), &warnings).header.mesh.triangle_count(), 1);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(says(warnings[0], {"the inactive /old is not read"}));
  EXPECT_TRUE(
      says(message_of<InputError>([] { stage_of(mesh_prim("", "kind = \"component\"; active = 0")); }),
           {"0 prims of type Mesh"}));
}

}  // namespace
}  // namespace keydrape
