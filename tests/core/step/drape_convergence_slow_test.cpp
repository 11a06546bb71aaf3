#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

// A square of 1 m hung from two corners that have come 10 % closer. Its fold is wide enough for the
// coarsest mesh: the bending length (B / rho g)^(1/3) is 9 cm. At rest, the same material must give the
// same drape on every mesh.
struct Probe {
  const char* name;
  Vec2 where;  // share of the sides
};
constexpr double kSide = 1.0, kSpan = 0.9;

VecX drape(int cells) {
  const Material material{0.15, 500, 500, 100, 1e-3, 0.0, 4e-4};
  ClothDescription cloth = cloth_of(square(cells, kSide), material, Vec3(0, -9.81, 0));
  cloth.bending = BendingModel::kHinge;
  // A shallow wave: the fold's side is then no matter of chance.
  VecX start = stacked(cloth.mesh.positions);
  for (int i = 0; i < cloth.mesh.vertex_count(); ++i) {
    const double s = start(3 * i) / kSide;
    start(3 * i) = kSpan * s;
    start(3 * i + 2) = 0.2 * std::sin(M_PI * s);
  }
  const int corner = cells * (cells + 1);
  cloth.pins = {held(start, {corner, corner + cells})};
  const DrapeResult rest = settle(build_model(cloth), start, 1e-7);
  std::printf("drape, %d cells: %d rounds, %.1e of the weight left\n", cells, rest.rounds, rest.residual);
  EXPECT_TRUE(rest.is_settled);
  return rest.x;
}

TEST(DrapeConvergence, DoesNotDependOnTheMesh) {
  const std::array<Probe, 4> probes{{{"middle of the upper edge", {0.5, 1.0}},
                                     {"centre", {0.5, 0.5}},
                                     {"lower corner", {0.0, 0.0}},
                                     {"middle of the lower edge", {0.5, 0.0}}}};
  constexpr std::array<int, 3> kCellCounts{16, 32, 64};
  std::array<std::array<Vec3, 4>, 3> found;
  for (size_t m = 0; m < 3; ++m) {
    const int n = kCellCounts[m];
    const VecX x = drape(n);
    for (size_t p = 0; p < 4; ++p)
      found[m][p] = at(x, static_cast<int>(std::lround(probes[p].where.x() * n)) +
                              static_cast<int>(std::lround(probes[p].where.y() * n)) * (n + 1));
  }
  double coarse = 0.0, fine = 0.0;
  for (size_t p = 0; p < 4; ++p) {
    const double first = (found[1][p] - found[0][p]).norm(), second = (found[2][p] - found[1][p]).norm();
    const Vec3& x = found[2][p];
    std::printf("%-26s 16 -> 32 cells %.5f m, 32 -> 64 cells %.5f m; at (%.4f, %.4f, %.4f)\n", probes[p].name,
                first, second, x.x(), x.y(), x.z());
    coarse += first * first;
    fine += second * second;
  }
  std::printf("all probes: %.5f m, then %.5f m\n", std::sqrt(coarse), std::sqrt(fine));
  EXPECT_LT(std::sqrt(fine), 0.7 * std::sqrt(coarse));
}

}  // namespace
}  // namespace keydrape
