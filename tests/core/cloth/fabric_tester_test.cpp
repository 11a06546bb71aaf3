// A sheet of cloth put through the tests of a fabric tester (KES-F) gives back the numbers that it was made
// from. All vertices are moved as the tester moves the fabric: uniform strain is in balance inside.

#include "core/cloth/fabric_tester.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kStripSide = 0.2;  // [m]
constexpr double kGf = 9.80665e-3;

TesterSheet wool_sheet() {
  TesterSheet sheet;
  sheet.emt = Vec2(5.0, 9.0);
  sheet.lt = Vec2(0.62, 0.7);
  sheet.g = 0.7;
  sheet.hg2 = 1.1;
  sheet.b = 0.11;
  sheet.hb2 = 0.05;
  sheet.weight = 19.0;
  sheet.thickness = 0.55;
  return sheet;
}

struct Tester {
  Model model;

  explicit Tester(const ClothDescription& cloth) : model(build_model(cloth)) {}
  Tester(const TriangleMesh& mesh, const Material& material)
      : Tester(cloth_of(mesh, material, Vec3::Zero())) {}

  // d(energy)/d(amount) of the step from shape(from) to shape(to), at its end: the generalised force.
  double force(const std::function<VecX(double)>& shape, double from, double to, double dt) const {
    const VecX x = shape(from), y = shape(to), v = VecX::Zero(x.size());
    VecX g = VecX::Zero(x.size());
    for (const auto& energy : model.energies()) energy->begin_step({dt, 0.0, x, v})->add_gradient(y, g);
    const double e = 1e-6;
    return g.dot(shape(to + e) - shape(to - e)) / (2 * e);
  }
};

TEST(FabricTester, TensileTestGivesBackExtensionAndLinearity) {
  const TesterSheet sheet = wool_sheet();
  const TriangleMesh mesh = distorted(square(8, kStripSide), Vec2(kStripSide, kStripSide), 0.2, 3);
  const Tester tester(mesh, with_tester_sheet(cotton(), sheet));
  for (int axis = 0; axis < 2; ++axis) {
    const auto pulled = [&](double strain) {
      VecX x = stacked(mesh.positions);
      for (Eigen::Index i = axis; i < x.size(); i += 3) x(i) *= 1 + strain;
      return x;
    };
    const auto tension = [&](double strain) {  // [gf/cm]
      return tester.force(pulled, strain, strain, 1.0) / (kStripSide * kStripSide) / (kGf * 100);
    };
    const double e = (*sheet.emt)(axis) / 100;
    EXPECT_NEAR(tension(e), 500.0, 5.0);
    double work = 0.0;  // over the extension, by the trapezoidal rule
    constexpr int kPieces = 200;
    for (int i = 0; i < kPieces; ++i)
      work += 0.5 * (tension(e * i / kPieces) + tension(e * (i + 1) / kPieces)) / kPieces;
    EXPECT_NEAR(work / 250.0, sheet.lt(axis), 0.01 * sheet.lt(axis));
  }
}

// A loop of `generalised force over amount` between -most and most: its slope between two amounts, on the way
// up, and its width at 0.
struct Loop {
  double slope, width;
};
Loop loop_of(const Tester& tester, const std::function<VecX(double)>& shape, double most, double speed,
             double low, double high) {
  constexpr int kQuarter = 40;
  const double step = most / kQuarter, dt = step / speed;
  std::vector<double> up(2 * kQuarter + 1), down(2 * kQuarter + 1);
  for (int i = -kQuarter + 1; i <= kQuarter; ++i) {
    up[i + kQuarter] = tester.force(shape, (i - 1) * step, i * step, dt);
    down[i + kQuarter - 1] = tester.force(shape, i * step, (i - 1) * step, dt);
  }
  const auto at = [&](double amount) { return static_cast<size_t>(std::lround(amount / step)) + kQuarter; };
  return {(up[at(high)] - up[at(low)]) / (high - low), up[at(0.0)] - down[at(0.0)]};
}

TEST(FabricTester, ShearTestGivesBackStiffnessAndLoop) {
  const TesterSheet sheet = wool_sheet();
  const TriangleMesh mesh = distorted(square(8, kStripSide), Vec2(kStripSide, kStripSide), 0.2, 3);
  const Tester tester(mesh, with_tester_sheet(cotton(), sheet));
  const double degree = std::numbers::pi / 180;
  const auto sheared = [&](double degrees) {  // threads turn, and keep their length
    const double angle = degrees * degree;
    VecX x = stacked(mesh.positions);
    for (int i = 0; i < mesh.vertex_count(); ++i) {
      const Vec3 p = mesh.positions[i];
      x.segment<3>(3 * i) = Vec3(p.x() + std::sin(angle) * p.y(), std::cos(angle) * p.y(), 0);
    }
    return x;
  };
  for (double speed : {10.0, 50.0}) {  // [deg/s]
    const Loop loop = loop_of(tester, sheared, 8.0, speed, 1.0, 5.0);
    const double unit = kStripSide * kStripSide * degree * kGf * 100;  // of force over degrees, in gf/cm
    EXPECT_NEAR(loop.slope / unit, *sheet.g, 0.05 * *sheet.g);
    EXPECT_NEAR(loop.width / unit, *sheet.hg2, 0.1 * *sheet.hg2);
  }
}

// Along x, of the given curvature [1/m].
VecX bent(const TriangleMesh& mesh, double curvature) {
  VecX x(3 * mesh.vertex_count());
  for (int i = 0; i < mesh.vertex_count(); ++i) {
    const Vec3 p = mesh.positions[i];
    const double s = curvature * p.x();
    const bool flat = std::abs(s) < 1e-9;
    x.segment<3>(3 * i) = Vec3(flat ? p.x() : std::sin(s) / curvature, p.y(),
                               flat ? 0.5 * s * p.x() : (1 - std::cos(s)) / curvature);
  }
  return x;
}

TEST(FabricTester, BendingTestGivesBackTheLoop) {
  const TesterSheet sheet = wool_sheet();
  for (BendingModel model : {BendingModel::kHinge, BendingModel::kQuadratic}) {
    double width = 0.0;
    constexpr int kDirections = 6;
    for (int k = 0; k < kDirections; ++k) {
      const TriangleMesh mesh =
          turned_sheet(16, 16, Vec2(kStripSide, kStripSide), std::numbers::pi * k / kDirections, 0.2);
      ClothDescription cloth = cloth_of(mesh, with_tester_sheet(cotton(), sheet), Vec3::Zero());
      cloth.bending = model;
      // Far less bent than in the tester, whose 250 1/m this mesh has no edges for: the law is linear.
      const Loop loop = loop_of(
          Tester(cloth), [&](double curvature) { return bent(mesh, curvature); }, 5.0, 50.0, 1.0, 4.0);
      width += loop.width / (kStripSide * kStripSide) / kGf / kDirections;
    }
    EXPECT_NEAR(width, *sheet.hb2, 0.1 * *sheet.hb2);
  }
}

// Mean of a sheet with free sides and of one held across, as `bend` is meant; its vertices are at rest.
TEST(FabricTester, BendingTestGivesBackTheRigidity) {
  TesterSheet sheet = wool_sheet();
  sheet.hb2 = 0.0;
  const TriangleMesh mesh = turned_sheet(14, 14, Vec2(kStripSide, kStripSide), 0.4, 0.2);
  const double curvature = 2.0, row = 1.6 * kStripSide / 14;
  const VecX x0 = bent(mesh, curvature);
  const auto rigidity = [&](bool is_held_across) {  // [gf cm^2/cm]
    ClothDescription cloth = cloth_of(mesh, with_tester_sheet(cotton(), sheet), Vec3::Zero());
    cloth.pins = {held(x0, vertices_where(mesh, [&](const Vec3& p) {
                         const bool end = p.x() < row || p.x() > kStripSide - row;
                         return end || (is_held_across && (p.y() < row || p.y() > kStripSide - row));
                       }))};
    const Model model = build_model(cloth);
    const DrapeResult rest = settle(model, x0, 1e-7);
    EXPECT_TRUE(rest.is_settled);
    const double E = elastic_energy(model, {rest.x, VecX::Zero(rest.x.size())}, 1.0, 0.0);
    return 2 * E / (curvature * curvature * kStripSide * kStripSide) / (kGf * 1e-2);
  };
  const double free = rigidity(false), across = rigidity(true);
  EXPECT_GT(across, free);
  EXPECT_NEAR(0.5 * (free + across), *sheet.b, 0.05 * *sheet.b);
}

}  // namespace
}  // namespace keydrape
