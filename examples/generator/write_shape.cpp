#include "examples/generator/write_shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/formats/obj.h"

namespace keydrape::examples {

namespace {
constexpr double kLargestStrain = 0.01;
constexpr double kGridsPerMeter = 1e7;
constexpr double kPinTolerance = 1e-6;  // [m]
}  // namespace

void write_rounded(const std::filesystem::path& path, TriangleMesh mesh) {
  for (Vec3& x : mesh.positions) x = (x * kGridsPerMeter).array().round() / kGridsPerMeter;
  for (Vec2& uv : mesh.uvs) uv = (uv * kGridsPerMeter).array().round() / kGridsPerMeter;
  write_obj(path, mesh);
}

void write_keyframe(const std::filesystem::path& path, const SculptedShape& sculpted) {
  const ShapeCheck check = check_shape(sculpted);
  fmt::print("{}: {}\n", path.string(), describe(check));
  if (std::max(check.thread_strain, check.diagonal_strain) > kLargestStrain) {
    throw BadShape(fmt::format("{}: strained by more than {} %", path.string(), 100 * kLargestStrain));
  }
  if (check.closest_approach < kClearance) {
    throw BadShape(fmt::format("{}: layers nearer than {} m, perhaps crossing", path.string(), kClearance));
  }
  if (check.pin_error > kPinTolerance) {
    throw BadShape(fmt::format("{}: {} m away from the pins", path.string(), check.pin_error));
  }
  TriangleMesh mesh;
  mesh.positions = sculpted.shape;
  mesh.triangles = triangles(sculpted.sheet);
  write_rounded(path, mesh);
}

}  // namespace keydrape::examples
