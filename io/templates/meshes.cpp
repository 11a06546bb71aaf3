#include "io/templates/meshes.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/templates/sheet.h"

namespace keydrape {
namespace {

using std::numbers::pi;

TriangleMesh with_groups(TriangleMesh mesh, std::map<std::string, std::vector<int>> groups) {
  mesh.groups = std::move(groups);
  return mesh;
}

}  // namespace

NamedMeshes flag_meshes() {
  constexpr SheetSize kSize = {.rows = 13, .columns = 19};
  constexpr double kEdge = 0.05, kTop = 2.0;  // [m]
  const auto flag = [&](const std::function<double(int)>& angle) {
    const std::vector<Vec3> thread = bent({.along = Vec3::UnitX(),
                                           .towards = Vec3::UnitZ(),
                                           .edge_count = kSize.columns - 1,
                                           .edge_length = kEdge},
                                          angle);
    std::vector<int> hoist;
    hoist.reserve(kSize.rows);
    for (int row = 0; row < kSize.rows; ++row) hoist.push_back(row * kSize.columns);
    return with_groups(
        make_sheet(kSize, [&](int row,
                              int column) { return Vec3(thread[column] + Vec3(0, kTop - kEdge * row, 0)); }),
        {{"hoist", hoist}});
  };
  // A wave that grows towards the free end.
  const auto wave = [&](int edge) {
    const double t = (edge + 0.5) / (kSize.columns - 1);
    return 0.8 * t * std::sin(2 * pi * t);
  };
  return {{"rest.obj", flag([](int) { return 0.0; })}, {"key.1024.obj", flag(wave)}};
}

NamedMeshes skirt_meshes() {
  constexpr SheetSize kSize = {.rows = 12, .columns = 40, .closed = true};
  constexpr double kWaistRadius = 0.12, kHemRadius = 0.32, kLength = 0.5, kWaistHeight = 1.0;  // [m]
  const double height = std::sqrt(kLength * kLength - std::pow(kHemRadius - kWaistRadius, 2));
  // Rings are leant about the waist's middle, the farther down the more, but those of the hem as one: between
  // them cloth keeps its lengths.
  constexpr double kHem = static_cast<double>(kSize.rows - 2) / (kSize.rows - 1);
  const auto skirt = [&](double lean) {
    return with_groups(
        make_sheet(kSize,
                   [&](int row, int column) {
                     const double t = static_cast<double>(row) / (kSize.rows - 1);
                     const double radius = kWaistRadius + t * (kHemRadius - kWaistRadius);
                     const double azimuth = 2 * pi * column / kSize.columns;
                     const Vec3 ring(radius * std::sin(azimuth), -t * height, radius * std::cos(azimuth));
                     return Vec3(Vec3(0, kWaistHeight, 0) +
                                 Eigen::AngleAxisd(lean * std::min(t, kHem), Vec3::UnitZ()) * ring);
                   }),
        {{"waist", rows_of(kSize, 0, 1)}, {"hem", rows_of(kSize, kSize.rows - 2, kSize.rows - 1)}});
  };
  return {{"rest.obj", skirt(0.0)}, {"key.1024.obj", skirt(0.2)}};
}

NamedMeshes cape_meshes() {
  constexpr SheetSize kSize = {.rows = 19, .columns = 15};
  constexpr double kEdge = 0.05, kShoulders = 1.4, kBehind = -0.17;  // [m]
  const auto cape = [&](const std::function<double(int)>& angle) {
    const Vec3 top(-0.5 * kEdge * (kSize.columns - 1), kShoulders, kBehind);
    const std::vector<Vec3> thread = bent({.start = top,
                                           .along = -Vec3::UnitY(),
                                           .towards = -Vec3::UnitZ(),
                                           .edge_count = kSize.rows - 1,
                                           .edge_length = kEdge},
                                          angle);
    return with_groups(
        make_sheet(kSize,
                   [&](int row, int column) { return Vec3(thread[row] + Vec3(kEdge * column, 0, 0)); }),
        {{"collar", rows_of(kSize, 0, 0)}});
  };
  // Lifted from the middle of the back on, its end level with the ground.
  const auto lifted = [&](int edge) { return 1.4 * std::pow((edge + 0.5) / (kSize.rows - 1), 1.5); };
  return {{"rest.obj", cape([](int) { return 0.0; })}, {"key.1024.obj", cape(lifted)}};
}

}  // namespace keydrape
