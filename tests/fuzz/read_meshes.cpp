#include <algorithm>

#include "io/cache/mesh_cache.h"
#include "io/formats/obj.h"
#include "io/formats/ply/ply.h"
#include "io/formats/usda/usda.h"
#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/readers.h"
#include "tests/fuzz/sound.h"

namespace keydrape::fuzz {
namespace {

bool same(const TriangleMesh& a, const TriangleMesh& b) {
  return a.positions == b.positions && a.triangles == b.triangles && a.uvs == b.uvs &&
         a.uv_triangles == b.uv_triangles && a.lines == b.lines && a.groups == b.groups;
}

}  // namespace

void run_obj(std::string_view bytes) {
  const auto file = input_folder().write("a.obj", bytes);
  expect_answer([&] {
    std::vector<std::string> warnings;
    expect_sound(read_obj(file, {.keep_uvs = false, .warnings = &warnings}));
  });
  expect_answer([&] {
    const TriangleMesh mesh = read_obj(file);
    expect_sound(mesh);
    const auto again = input_folder() / "again.obj";
    write_obj(again, mesh);
    expect(same(read_obj(again), mesh), "an OBJ that is written reads as another mesh");
  });
}

void run_ply(std::string_view bytes) {
  const auto file = input_folder().write("a.ply", bytes);
  expect_answer([&] { expect_sound(read_ply(file)); });
}

void run_usda(std::string_view bytes) {
  const auto file = input_folder().write("a.usda", bytes);
  expect_answer([&] {
    std::vector<std::string> warnings;
    expect_sound(read_usda(file, &warnings));
  });
}

}  // namespace keydrape::fuzz
