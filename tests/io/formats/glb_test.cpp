#include "io/formats/glb.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "io/cache/vertex_normals.h"
#include "io/formats/file_summary.h"
#include "io/formats/vtp.h"
#include "io/formats/write_cache.h"
#include "tests/support/number_at.h"
#include "tests/support/small_cache.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

struct Glb {
  nlohmann::json json;
  std::string binary;

  // Number `i` of an accessor of floats.
  float at(const nlohmann::json& accessor_index, std::size_t i) const {
    const auto& accessor = json["accessors"][accessor_index.get<std::size_t>()];
    const auto& view = json["bufferViews"][accessor["bufferView"].get<std::size_t>()];
    return number_at<float>(binary, view["byteOffset"].get<std::size_t>() +
                                        accessor["byteOffset"].get<std::size_t>() + sizeof(float) * i);
  }
};

Glb open(const std::string& bytes) {
  EXPECT_EQ(bytes.substr(0, 4), "glTF");
  EXPECT_EQ(number_at<std::uint32_t>(bytes, 4), 2u);
  EXPECT_EQ(number_at<std::uint32_t>(bytes, 8), bytes.size());
  const std::size_t json_bytes = number_at<std::uint32_t>(bytes, 12);
  EXPECT_EQ(bytes.substr(16, 4), "JSON");
  EXPECT_EQ(json_bytes % 4, 0u);
  EXPECT_EQ(number_at<std::uint32_t>(bytes, 20 + json_bytes), bytes.size() - 28 - json_bytes);
  EXPECT_EQ(bytes.substr(24 + json_bytes, 4), std::string("BIN\0", 4));
  return {nlohmann::json::parse(bytes.substr(20, json_bytes)), bytes.substr(28 + json_bytes)};
}

Glb written(const MeshCache& cache) {
  const TemporaryFolder folder;
  write_cache(folder / "a.glb", cache);
  return open(folder.read("a.glb"));
}

TEST(Glb, EveryFrameIsTheFirstPlusItsTarget) {
  const MeshCache cache = small_cache();
  const Glb glb = written(cache);
  const auto& primitive = glb.json["meshes"][0]["primitives"][0];
  ASSERT_EQ(primitive["targets"].size(), 3u);
  for (std::size_t f = 0; f < 4; ++f) {
    const VecX normals = vertex_normals(cache.header.mesh.triangles, cache.frames[f].positions);
    for (std::size_t i = 0; i < 12; ++i) {
      double position = glb.at(primitive["attributes"]["POSITION"], i);
      double normal = glb.at(primitive["attributes"]["NORMAL"], i);
      if (f > 0) {
        position += glb.at(primitive["targets"][f - 1]["POSITION"], i);
        normal += glb.at(primitive["targets"][f - 1]["NORMAL"], i);
      }
      EXPECT_NEAR(position, cache.frames[f].positions[static_cast<Eigen::Index>(i)], 2e-7);
      EXPECT_NEAR(normal, normals[static_cast<Eigen::Index>(i)], 2e-7);
    }
  }
  EXPECT_EQ(glb.at(primitive["attributes"]["TEXCOORD_0"], 1), 1.0f);  // v runs downwards
}

TEST(Glb, OneTargetAtATimeCountsFully) {
  const Glb glb = written(small_cache());
  const auto& sampler = glb.json["animations"][0]["samplers"][0];
  for (std::size_t f = 0; f < 4; ++f) {
    EXPECT_FLOAT_EQ(glb.at(sampler["input"], f), static_cast<float>(f) / 24.0f);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(glb.at(sampler["output"], 3 * f + k), f == k + 1 ? 1.0f : 0.0f);
  }
}

TEST(Glb, BoundsAreExact) {
  const Glb glb = written(small_cache());
  const auto& target = glb.json["meshes"][0]["primitives"][0]["targets"][2]["POSITION"];
  const auto& accessor = glb.json["accessors"][target.get<std::size_t>()];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    float low = 1e9f, high = -1e9f;
    for (std::size_t i = axis; i < 12; i += 3) {
      low = std::min(low, glb.at(target, i));
      high = std::max(high, glb.at(target, i));
    }
    EXPECT_EQ(accessor["min"][axis].get<float>(), low);
    EXPECT_EQ(accessor["max"][axis].get<float>(), high);
  }
}

TEST(Glb, IsInMetresWithYUpWhateverTheCacheIsIn) {
  MeshCache cache = small_cache();
  const Glb metres = written(cache);
  change_space(cache, {0.01, UpAxis::kZ});
  const Glb centimetres = written(cache);
  const auto& position = metres.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"];
  for (std::size_t i = 0; i < 12; ++i) EXPECT_FLOAT_EQ(centimetres.at(position, i), metres.at(position, i));
}

TEST(Glb, SeamsHaveNoTextureCoordinates) {
  MeshCache cache = small_cache();
  cache.header.mesh.uvs.push_back({0.5, 0.5});
  cache.header.mesh.uv_triangles[1][0] = 4;  // vertex 0 now has two
  EXPECT_FALSE(written(cache).json["meshes"][0]["primitives"][0]["attributes"].contains("TEXCOORD_0"));
}

TEST(Glb, ManyFramesFitTheRoomOfTheirJson) {
  MeshCache cache = small_cache();
  cache.header.frame_count = 2000;
  while (cache.frames.size() < 2000) {
    cache.frames.push_back(cache.frames[cache.frames.size() % 4]);
    cache.frames.back().positions *= -1.2345678e-30;  // the longest numbers
  }
  EXPECT_EQ(written(cache).json["meshes"][0]["primitives"][0]["targets"].size(), 1999u);
}

TEST(VertexNormals, AreTheMeanOverTheTrianglesByArea) {
  VecX x(15);
  x << 0, 0, 0, 2, 0, 0, 0, 0, -2, 0, 1, 0, 5, 5, 5;  // a floor of area 2, a wall of area 1, a vertex alone
  const VecX normals = vertex_normals({{0, 1, 2}, {0, 1, 3}}, x);
  EXPECT_LT((normals.segment<3>(0) - Vec3(0, 2, 1).normalized()).norm(), 1e-15);
  EXPECT_EQ(normals.segment<3>(6), VecX(Vec3(0, 1, 0)));
  EXPECT_EQ(normals.segment<3>(9), VecX(Vec3(0, 0, 1)));
  EXPECT_EQ(normals.segment<3>(12), VecX(Vec3(0, 1, 0)));
}

TEST(FileSummary, CountsWhatIsWritten) {
  const TemporaryFolder folder;
  for (const char* name : {"a.glb", "a & <b>.pvd"}) {
    write_cache(folder / name, small_cache());
    const FileSummary summary = summarize_file(folder / name);
    EXPECT_EQ(summary.vertices, 4) << name;
    EXPECT_EQ(summary.triangles, 2);
    EXPECT_EQ(summary.frames, 4);
    EXPECT_EQ(summary.first_frame, 1001);
  }
  EXPECT_EQ(summarize_file(folder / "a & <b>_vtp/a & <b>.1001.vtp").fields,
            (std::vector<std::string>{"velocity", "miss", "energy_density"}));
}

TEST(FileSummary, RefusesWhatIsNone) {
  const TemporaryFolder folder;
  write_cache(folder / "a.glb", small_cache());
  write_cache(folder / "a.pvd", small_cache());
  const std::string glb = folder.read("a.glb");
  for (std::size_t size = 0; size < glb.size(); size += 97)
    EXPECT_TRUE(
        says(message_of<InputError>([&] { summarize_file(folder.write("b.glb", glb.substr(0, size))); }),
             {"b.glb"}));
  const auto refusal_of_pvd = [&](const std::string& text) {
    return message_of<InputError>([&] { summarize_file(folder.write("b.pvd", text)); });
  };
  for (const char* text : {"", "<VTKFile>", "<DataSet file=\""})
    EXPECT_TRUE(says(refusal_of_pvd(text), {"b.pvd: lists no files"}));
  for (const std::string name : {"none.vtp", "/none.vtp"})
    EXPECT_TRUE(says(refusal_of_pvd("<DataSet file=\"" + name + "\"/>"), {"b.pvd: lists '" + name, "read"}));
  for (const char* text :
       {"", "<Piece NumberOfPoints=\"x\"", "<Piece NumberOfPoints=\"3\" NumberOfPolys=\"-1\""})
    message_of<InputError>([&] { summarize_file(folder.write("b.vtp", text)); });
}

}  // namespace
}  // namespace keydrape
