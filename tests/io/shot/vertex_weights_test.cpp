#include "io/shot/input/vertex_weights.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"
#include "io/formats/npy.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

VecX read_text(const std::string& text, int vertex_count) {
  const TemporaryFolder folder;
  return read_vertex_weights(folder.write("w.txt", text), vertex_count).values;
}

// The message, and that it begins with path:line:column.
std::string refusal(const std::string& text, int vertex_count, const std::string& place) {
  const TemporaryFolder folder;
  const auto path = folder.write("w.txt", text);
  std::string message = message_of<InputError>([&] { read_vertex_weights(path, vertex_count); });
  EXPECT_TRUE(message.starts_with(path.string() + ":" + place + ": ")) << message;
  return message;
}

TEST(ReadVertexWeights, ReadsOneWeightALine) {
  EXPECT_EQ(read_text("# painted\n0\r\n\n0.25 # hem\n1\n", 3), Vec3(0, 0.25, 1));
}

TEST(ReadVertexWeights, ReadsPairs) { EXPECT_EQ(read_text("2 0.5\n0 1\n", 3), Vec3(1, 0, 0.5)); }

TEST(ReadVertexWeights, SaysWhichVerticesAListNames) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_vertex_weights(folder.write("pairs.txt", "2 0.5\n0 0\n"), 3).named,
            (std::vector<char>{1, 0, 1}));
  EXPECT_EQ(read_vertex_weights(folder.write("all.txt", "0.5\n0\n1\n"), 3).named,
            (std::vector<char>{1, 1, 1}));
}

TEST(ReadVertexWeights, ReadsAnArray) {
  const TemporaryFolder folder;
  write_npy(folder / "w.npy", {{3}, Vec3(0, 0.25, 1)});
  const PaintedWeights read = read_vertex_weights(folder / "w.npy", 3);
  EXPECT_EQ(read.values, Vec3(0, 0.25, 1));
  EXPECT_EQ(read.named, std::vector<char>(3, 1));
}

TEST(ReadVertexWeights, RefusesBadTextAtItsPlace) {
  EXPECT_TRUE(says(refusal("0\n1.5\n0\n", 3, "2:1"), {"weight is 1.5", "0 to 1"}));
  EXPECT_TRUE(says(refusal("0 1\n1 -0.1\n", 3, "2:3"), {"weight is -0.1"}));
  EXPECT_TRUE(
      says(refusal("0\n1e-31\n0\n", 3, "2:1"), {"weight is 1e-31", "0, or a number from 1e-30 to 1"}));
  EXPECT_TRUE(says(refusal("0\nnan\n0\n", 3, "2:1"), {"'nan' is not finite"}));
  EXPECT_TRUE(says(refusal("0\n0,5\n0\n", 3, "2:1"), {"decimal comma"}));
  EXPECT_TRUE(says(refusal("0 0,5\n", 3, "1:3"), {"decimal comma"}));
  EXPECT_TRUE(says(refusal("0\n1\n", 3, "3:1"), {"after 2 weights", "expected 3"}));
  EXPECT_TRUE(says(refusal("", 3, "1:1"), {"after 0 weights"}));
  EXPECT_TRUE(says(refusal("0\n1\n1\n1\n", 3, "4:1"), {"after the first 3"}));
  EXPECT_TRUE(says(refusal("3 1\n", 3, "1:1"), {"no vertex 3", "0 to 2"}));
  EXPECT_TRUE(says(refusal("0 1\n-1 1\n", 3, "2:1"), {"no vertex -1"}));
  EXPECT_TRUE(says(refusal("0.0 1\n", 3, "1:1"), {"'0.0' is not a whole number"}));
  EXPECT_TRUE(says(refusal("1 1\n1 1\n", 3, "2:1"), {"vertex 1", "second time"}));
  EXPECT_TRUE(says(refusal("1 1\n1\n", 3, "2:1"), {"a line of 1 word;", "2, as in the first line"}));
  EXPECT_TRUE(says(refusal("1 1 1\n", 3, "1:5"), {"a line of 3 words", "a vertex and its weight"}));
}

TEST(ReadVertexWeights, RefusesBadArrays) {
  const TemporaryFolder folder;
  const auto message = [&](const NpyArray& array) {
    write_npy(folder / "w.npy", array);
    return message_of<InputError>([&] { read_vertex_weights(folder / "w.npy", 3); });
  };
  EXPECT_TRUE(says(message({{2}, VecX::Zero(2)}), {"w.npy", "shape (2)", "expected (3)"}));
  EXPECT_TRUE(says(message({{3, 1}, VecX::Zero(3)}), {"shape (3, 1)"}));
  EXPECT_TRUE(says(message({{3}, Vec3(0, 2, 0)}), {"w.npy", "vertex 1", "weight 2"}));
}

TEST(GroupVertices, FindsAGroup) {
  TriangleMesh mesh;
  mesh.groups = {{"hem", {3, 4}}, {"waist", {0, 2}}};
  EXPECT_EQ(group_vertices(mesh, "waist", "scene.toml:4:9"), (std::vector<int>{0, 2}));
}

TEST(GroupVertices, ListsTheGroupsThatThereAre) {
  TriangleMesh mesh;
  mesh.groups = {{"hem", {3, 4}}, {"void", {}}, {"waist", {0, 2}}};
  EXPECT_TRUE(says(message_of<InputError>([&] { group_vertices(mesh, "wiast", "scene.toml:4:9"); }),
                   {"scene.toml:4:9: ", "'wiast' does not exist", "one of 'hem', 'waist'"}));
  EXPECT_TRUE(says(message_of<InputError>([&] { group_vertices(mesh, "void", "scene.toml:4:9"); }),
                   {"'void' is empty", "one of 'hem', 'waist'"}));
  EXPECT_TRUE(says(message_of<InputError>([&] { group_vertices({}, "hem", "scene.toml:4:9"); }),
                   {"this one has none"}));
}

}  // namespace
}  // namespace keydrape
