#include "io/shot/body/body_mesh.h"

#include <fmt/format.h>

#include <cassert>

#include "core/base/error.h"
#include "io/formats/format.h"
#include "io/formats/read_cache.h"
#include "io/shot/input/cache.h"

namespace keydrape {
namespace {

constexpr const char* kRole = "[[collider]] mesh";

[[noreturn]] void refuse(const scene::FilePath& file, const std::string& found, const std::string& remedy) {
  throw InputError(fmt::format("{}: {}: {} {}; expected the surface of a body with its triangles; {}",
                               file.source.where(), kRole, file.value.string(), found, remedy));
}

// Before the file is read: it may be large, and would be refused for its number of frames.
void check_format_has_triangles(const scene::FilePath& file) {
  const auto choice = split_frame(file.value);
  const FormatTraits& format = traits(format_of(choice ? choice->file : file.value));
  if (format.has_triangles) return;
  refuse(file, fmt::format("holds points alone ({})", format.name),
         fmt::format("name a mesh of the same body here ({}), and the cache under motion",
                     extensions_of_meshes()));
}

}  // namespace

TriangleMesh read_body_mesh(const Scene& scene, const scene::Collider& collider, ShotWarnings& warnings) {
  assert(collider.mesh);
  const scene::FilePath& file = *collider.mesh;
  check_format_has_triangles(file);
  TriangleMesh mesh = read_shot_cache(scene, file, {.role = kRole}, warnings).header.mesh;
  if (mesh.triangles.empty()) refuse(file, "has no triangle", "export its faces");
  return mesh;
}

}  // namespace keydrape
