#include "core/energy/calibration/bending_calibration.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <random>
#include <set>

#include "core/energy/calibration/vertex_fan.h"
#include "core/energy/hinge_bending.h"
#include "core/mesh/rest_shape.h"
#include "tests/support/meshes.h"

namespace keydrape {
namespace {

constexpr int kCalibrationCells = 16;  // along each side

struct Sheet {
  std::vector<Vec2> points;
  std::vector<Triangle> triangles;
  std::vector<RestCorners> corners;
  Topology topology;
};

// A grid of cells whose points are at(i, j) and whose diagonal rises from (i, j) to (i + 1, j + 1) where
// rises(i, j). Every panel of cloth lies in a plane of its own here: corners are turned by an angle that
// depends on the triangle.
template <class Point, class Rises>
Sheet grid(const Point& at, const Rises& rises) {
  Sheet sheet;
  for (int j = 0; j <= kCalibrationCells; ++j)
    for (int i = 0; i <= kCalibrationCells; ++i) sheet.points.push_back(at(i, j));
  for (int j = 0; j < kCalibrationCells; ++j)
    for (int i = 0; i < kCalibrationCells; ++i) {
      const int a = j * (kCalibrationCells + 1) + i, b = a + 1, d = a + kCalibrationCells + 1, c = d + 1;
      const bool up = rises(i, j);
      sheet.triangles.push_back(up ? Triangle{a, b, c} : Triangle{a, b, d});
      sheet.triangles.push_back(up ? Triangle{a, c, d} : Triangle{b, c, d});
    }
  for (size_t t = 0; t < sheet.triangles.size(); ++t) {
    const Eigen::Rotation2Dd turn(0.7 * static_cast<double>(t));
    const auto [a, b, c] = sheet.triangles[t];
    sheet.corners.push_back({turn * sheet.points[a], turn * sheet.points[b], turn * sheet.points[c]});
  }
  sheet.topology = build_topology(sheet.triangles, static_cast<int>(sheet.points.size()));
  return sheet;
}

Sheet equilateral() {
  return grid([](int i, int j) { return Vec2(0.1 * (i + 0.5 * (j % 2)), 0.1 * j * std::sqrt(0.75)); },
              [](int, int j) { return j % 2 == 1; });
}

Sheet union_jack() {
  return grid([](int i, int j) { return Vec2(0.1 * i, 0.1 * j); },
              [](int i, int j) { return (i + j) % 2 == 0; });
}

Sheet jittered() {
  std::mt19937_64 rng(3);
  std::uniform_real_distribution<double> shift(-0.025, 0.025);
  const auto inner = [](int i) { return i > 0 && i < kCalibrationCells; };
  return grid(
      [&](int i, int j) {
        const double dx = shift(rng), dy = shift(rng);
        return Vec2(0.1 * i + (inner(i) ? dx : 0.0), 0.1 * j + (inner(j) ? dy : 0.0));
      },
      [&](int, int) { return shift(rng) > 0; });
}

double angle_of(const Vec2& d) { return std::atan2(d.y(), d.x()); }

// The energy of a unit cylinder over that of a plate of rigidity 1, without what stands at the boundary: the
// least and the most over 12 directions.
struct Shares {
  double least = 1e300, most = 0.0;
};

Shares shares_of_cylinder(const Sheet& sheet, const std::vector<double>& k) {
  const std::vector<VertexFan> fans = lay_out_fans(sheet.triangles, sheet.corners);
  Shares shares;
  for (int n = 0; n < 12; ++n) {
    const double direction = n * std::numbers::pi / 12;
    double energy = 0.0, expected = 0.0;
    for (const VertexFan& fan : fans) expected += fan.closed ? 0.5 * fan.area : 0.0;
    for (size_t e = 0; e < k.size(); ++e) {
      const Hinge& hinge = sheet.topology.hinges[e];
      const auto [v0, v1, v2, v3] = hinge.vertices;
      const double theta = CylinderAngle::of(unfold(hinge, sheet.triangles, sheet.corners))
                               .at(direction - angle_of(sheet.points[v1] - sheet.points[v0]));
      for (int v : {v0, v1}) energy += fans[v].closed ? 0.25 * k[e] * theta * theta : 0.0;
    }
    shares.least = std::min(shares.least, energy / expected);
    shares.most = std::max(shares.most, energy / expected);
  }
  return shares;
}

std::vector<double> nominal(const Sheet& sheet) {
  std::vector<double> k;
  for (const Hinge& hinge : sheet.topology.hinges)
    k.push_back(nominal_hinge_stiffness(unfold(hinge, sheet.triangles, sheet.corners)));
  return k;
}

std::vector<double> calibrated(const Sheet& sheet) {
  return calibrated_hinge_stiffness(sheet.triangles, sheet.corners, sheet.topology).k;
}

// D of a plate with bend() = 1 and nu = -1/3: equilateral triangles held on a cylinder, which do not ripple.
constexpr double kHeldOnCylinder = 18.0 / 17;

TEST(BendingCalibration, IsExactOnEquilateralTriangles) {
  const Shares usual = shares_of_cylinder(equilateral(), nominal(equilateral()));
  EXPECT_NEAR(usual.least, 3.0, 1e-12);
  EXPECT_NEAR(usual.most, 3.0, 1e-12);
  const Shares shares = shares_of_cylinder(equilateral(), calibrated(equilateral()));
  EXPECT_NEAR(shares.least, kHeldOnCylinder, 1e-6);
  EXPECT_NEAR(shares.most, kHeldOnCylinder, 1e-6);
}

TEST(BendingCalibration, MakesTheEnergyOfACylinderIndependentOfItsDirection) {
  for (const auto& [sheet, spread] : {std::pair(union_jack(), 0.01), {jittered(), 0.15}}) {
    const Shares usual = shares_of_cylinder(sheet, nominal(sheet)),
                 shares = shares_of_cylinder(sheet, calibrated(sheet));
    std::printf("held on a cylinder: %.3f to %.3f of its energy, usual choice %.3f to %.3f\n", shares.least,
                shares.most, usual.least, usual.most);
    EXPECT_GT(usual.most / usual.least, 1.1);
    EXPECT_LE(shares.most / shares.least, 1 + spread);
    EXPECT_GT(shares.least, kHeldOnCylinder);  // ripples lower it
    EXPECT_LT(shares.most, 1.6);
  }
}

TEST(BendingCalibration, KeepsStiffnessesPositive) {
  const Sheet sheet = jittered();
  const auto k = calibrated(sheet), usual = nominal(sheet);
  ASSERT_EQ(k.size(), sheet.topology.hinges.size());
  for (size_t e = 0; e < k.size(); ++e) EXPECT_GE(k[e], 0.0999 * usual[e]);
}

TEST(BendingCalibration, IsOfNoDimension) {  // k_e [J/rad^2 per N m] does not depend on the size of the sheet
  const Sheet sheet = jittered();
  std::vector<RestCorners> larger = sheet.corners;
  for (RestCorners& triangle : larger)
    for (Vec2& corner : triangle) corner *= 10.0;
  const auto k = calibrated(sheet),
             k_larger = calibrated_hinge_stiffness(sheet.triangles, larger, sheet.topology).k;
  for (size_t e = 0; e < k.size(); ++e) EXPECT_NEAR(k_larger[e], k[e], 1e-9 * k[e]);
}

TEST(BendingCalibration, GivesARolledSheetItsPlateEnergy) {
  const Sheet sheet = equilateral();
  const double B = 3e-5, kappa = 0.5;
  const auto k = calibrated(sheet);
  const auto rolled = [&](int v) {
    const Vec2& p = sheet.points[v];
    return Vec3(std::sin(kappa * p.x()) / kappa, p.y(), (1 - std::cos(kappa * p.x())) / kappa);
  };
  const VecX none;
  double energy = 0.0;
  for (size_t e = 0; e < k.size(); ++e) {
    const HingeBending hinge{sheet.topology.hinges[e].vertices, 0.0, B * k[e], 0.0};
    Stencil<4> x;
    for (int a = 0; a < 4; ++a) x.col(a) = rolled(hinge.vertices[a]);
    energy += hinge.value(x, hinge.start({}, {0.01, 0.0, none, none}, {x, x}));
  }
  const double area = kCalibrationCells * 0.1 * kCalibrationCells * 0.1 * std::sqrt(0.75);
  const double expected = 0.5 * B * kHeldOnCylinder * kappa * kappa * area;
  // Boundary edges store nothing: softer by up to one cell in kCalibrationCells.
  EXPECT_LT(energy, expected);
  EXPECT_GT(energy, expected * (1 - 1.0 / kCalibrationCells));
}

TEST(BendingCalibration, CopesWithSheetsWithoutInnerVertices) {
  const std::vector<Triangle> one{{0, 1, 2}}, two{{0, 1, 2}, {1, 3, 2}};
  const RestCorners corners{Vec2(0, 0), Vec2(1, 0), Vec2(0, 1)}, other{Vec2(1, 0), Vec2(1, 1), Vec2(0, 1)};
  EXPECT_TRUE(calibrated_hinge_stiffness(one, {corners}, build_topology(one, 3)).k.empty());
  const auto k = calibrated_hinge_stiffness(two, {corners, other}, build_topology(two, 4)).k;
  ASSERT_EQ(k.size(), 1u);
  EXPECT_NEAR(k[0], 2.0, 1e-12);  // a third of 3 |e|^2/A
}

TEST(VertexFan, FillsAFullTurnRoundAnInnerVertex) {
  const Sheet sheet = union_jack();
  const auto fans = lay_out_fans(sheet.triangles, sheet.corners);
  ASSERT_EQ(fans.size(), sheet.points.size());
  int closed = 0;
  for (size_t i = 0; i < fans.size(); ++i) {
    closed += fans[i].closed;
    std::set<int> neighbours;
    const Vec2 first = sheet.points[fans[i].spokes[0].vertex] - sheet.points[i];
    for (const auto& [vertex, direction] : fans[i].spokes) {
      EXPECT_TRUE(neighbours.insert(vertex).second);
      const double expected = angle_of(sheet.points[vertex] - sheet.points[i]) - angle_of(first);
      EXPECT_NEAR(std::remainder(direction - expected, 2 * std::numbers::pi), 0.0, 1e-12);
    }
  }
  EXPECT_EQ(closed, (kCalibrationCells - 1) * (kCalibrationCells - 1));
}

// On curved cloth directions are carried from vertex to vertex; whichever comes first must not matter.
TEST(BendingCalibration, DoesNotKnowHowVerticesAreNumbered) {
  std::mt19937_64 rng(8);
  std::uniform_real_distribution<double> bump(-0.15, 0.15);
  TriangleMesh mesh = test::square(9, 8.0);
  for (Vec3& p : mesh.positions) p += Vec3(bump(rng), bump(rng), bump(rng));
  const auto stiffness_of_edges = [](const TriangleMesh& numbered) {
    const Topology topology = build_topology(numbered.triangles, numbered.vertex_count());
    const RestShape rest = build_rest_shape(numbered, topology, {});
    const std::vector<double> k = calibrated_hinge_stiffness(numbered.triangles, rest.corners, topology).k;
    std::map<Edge, double> of;
    for (size_t e = 0; e < k.size(); ++e) {
      const auto [v0, v1, v2, v3] = topology.hinges[e].vertices;
      of[{std::min(v0, v1), std::max(v0, v1)}] = k[e];
    }
    return of;
  };
  const std::map<Edge, double> first = stiffness_of_edges(mesh);
  for (int attempt = 0; attempt < 5; ++attempt) {
    std::vector<int> number(mesh.vertex_count());
    std::iota(number.begin(), number.end(), 0);
    std::shuffle(number.begin(), number.end(), rng);
    TriangleMesh other = mesh;
    for (int v = 0; v < mesh.vertex_count(); ++v) other.positions[number[v]] = mesh.positions[v];
    for (Triangle& t : other.triangles) t = {number[t[0]], number[t[1]], number[t[2]]};
    std::shuffle(other.triangles.begin(), other.triangles.end(), rng);
    const std::map<Edge, double> again = stiffness_of_edges(other);
    for (const auto& [edge, k] : first) {
      const int a = number[edge[0]], b = number[edge[1]];
      EXPECT_NEAR(again.at({std::min(a, b), std::max(a, b)}), k, 1e-10 * k);
    }
  }
}

}  // namespace
}  // namespace keydrape
