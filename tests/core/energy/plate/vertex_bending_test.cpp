// Bending at vertices: a plate of Poisson ratio 0 on any mesh, without soft directions.

#include "core/energy/plate/vertex_bending.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "core/linear/block_matrix.h"
#include "core/mesh/rest_shape.h"
#include "tests/support/lattice.h"
#include "tests/support/motion.h"
#include "tests/support/noise.h"
#include "tests/support/sliver_sheet.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kBend = 2e-3;  // [N m]

TriangleMesh slanted(TriangleMesh mesh, double slant) {
  for (Vec3& p : mesh.positions) p.x() += slant * p.y();
  return mesh;
}

TriangleMesh jittered(int n) { return turned_sheet(n, n, Vec2(1, 1), 0.0, 0.25); }

// With diagonals at random, so that many edges are not of Delaunay.
TriangleMesh random_diagonals(int n) {
  TriangleMesh mesh = distorted(square(n, 1.0), Vec2(1, 1), 0.25, 4);
  std::mt19937_64 random(7);
  for (size_t t = 0; t + 1 < mesh.triangles.size(); t += 2) {
    const int cell = static_cast<int>(t) / 2, a = cell / n * (n + 1) + cell % n;
    const int b = a + 1, d = a + n + 1, c = d + 1;
    const bool rises = random() % 2 == 0;
    mesh.triangles[t] = rises ? Triangle{a, b, c} : Triangle{a, b, d};
    mesh.triangles[t + 1] = rises ? Triangle{a, c, d} : Triangle{b, c, d};
  }
  return mesh;
}

// The energy, ready for steps; cloth that is flat as given.
struct Plate {
  TriangleMesh mesh;
  VertexBending bending;
  std::unique_ptr<BlockPattern> pattern;
  VecX rest, still;

  explicit Plate(TriangleMesh flat, double bend = kBend)
      : mesh(std::move(flat)), bending(make(mesh, bend)), rest(stacked(mesh.positions)) {
    std::vector<Edge> pairs;
    bending.append_couplings(pairs);
    pattern = std::make_unique<BlockPattern>(mesh.vertex_count(), pairs);
    bending.bind(*pattern);
    still = VecX::Zero(rest.size());
  }

  static VertexBending make(const TriangleMesh& mesh, double bend) {
    const Topology topology = build_topology(mesh.triangles, mesh.vertex_count());
    return {bend, mesh.triangles, build_rest_shape(mesh, topology, {}).corners, topology};
  }

  std::unique_ptr<EnergyStep> step() const { return bending.begin_step({0.01, 0.0, rest, still}); }
  double value(const VecX& y) const { return step()->value(y); }

  // Of the displacements along the normal: d2W/dz2.
  Eigen::MatrixXd hessian() const {
    BlockMatrix H(*pattern);
    step()->add_hessian(rest, {}, H);
    H.mirror_upper();
    const int n = mesh.vertex_count();
    Eigen::MatrixXd h = Eigen::MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i)
      for (int slot = pattern->row_begin(i); slot < pattern->row_end(i); ++slot)
        h(i, pattern->column(slot)) = H.block(slot)(2, 2);
    return h;
  }

  // z = (x, y) K (x, y)^T/2.
  VecX curved(const Mat2& K) const {
    VecX y = rest;
    for (int i = 0; i < mesh.vertex_count(); ++i) {
      const Vec2 p = rest.segment<2>(3 * i);
      y(3 * i + 2) = 0.5 * p.dot(K * p);
    }
    return y;
  }
};

Mat2 curvature(double xx, double yy, double xy) {
  Mat2 K;
  K << xx, xy, xy, yy;
  return K;
}

Mat2 cylinder(double direction) {
  const Vec2 along(std::cos(direction), std::sin(direction));
  return along * along.transpose();
}

double area_of(const TriangleMesh& mesh) {
  double area = 0.0;
  for (const auto& [a, b, c] : mesh.triangles)
    area += 0.5 * (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]).norm();
  return area;
}

// A plate with nu = 0 stores bend |K|^2/2. A free border has no moment across it, so that a strip as wide as
// half a cell is missing there.
TEST(VertexBending, StoresWhatAPlateDoesInEveryCurvature) {
  const std::pair<const char*, Mat2> curvatures[] = {{"cylinder, 0", cylinder(0.0)},
                                                     {"cylinder, 30", cylinder(std::numbers::pi / 6)},
                                                     {"cylinder, 45", cylinder(std::numbers::pi / 4)},
                                                     {"cylinder, 135", cylinder(3 * std::numbers::pi / 4)},
                                                     {"saddle", curvature(1, -1, 0)},
                                                     {"twist", curvature(0, 0, 1)},
                                                     {"dome", curvature(1, 1, 0)}};
  const std::pair<const char*, TriangleMesh (*)(int)> meshes[] = {
      {"parallel diagonals", [](int n) { return lattice(n, n, Vec2(1, 1)); }},
      {"slanted lattice", [](int n) { return slanted(lattice(n, n, Vec2(1, 0.6)), 0.4); }},
      {"alternating diagonals", [](int n) { return square(n, 1.0); }},
      {"alternating, cells 2 : 1", [](int n) { return sheet(n, n, Vec2(2, 1)); }},
      {"jittered Delaunay", [](int n) { return jittered(n); }}};
  for (const auto& [mesh_name, make] : meshes) {
    const Plate coarse(make(16)), fine(make(32));
    for (const auto& [name, K] : curvatures) {
      const auto error = [&K = K](const Plate& plate) {
        return plate.value(plate.curved(K)) / (0.5 * kBend * K.squaredNorm() * area_of(plate.mesh)) - 1;
      };
      const double first = error(coarse), second = error(fine);
      std::printf("%-26s %-14s %+.4f %+.4f\n", mesh_name, name, first, second);
      EXPECT_LT(std::abs(second), 0.08) << mesh_name << ", " << name;
      EXPECT_LT(std::abs(second), 0.65 * std::abs(first) + 0.01) << mesh_name << ", " << name;
    }
  }
}

TEST(VertexBending, HasNoSoftDirectionOnAnyMesh) {
  const std::pair<const char*, TriangleMesh> meshes[] = {
      {"parallel diagonals", lattice(10, 10, Vec2(1, 1))},
      {"cells 1 : 12", lattice(10, 10, Vec2(1, 12))},
      {"slanted lattice", slanted(lattice(10, 10, Vec2(1, 1)), 1.7)},
      {"alternating diagonals", square(10, 1.0)},
      {"jittered", jittered(10)},
      {"random diagonals", random_diagonals(10)},
      {"slivers of aspect 100", with_slivers(square(8, 1.0), 100, 12, 5)},
      {"ribbon of one cell", lattice(12, 1, Vec2(12, 1))},
      {"ribbon of two cells", lattice(12, 2, Vec2(12, 2))},
      {"two triangles", lattice(1, 1, Vec2(1, 1))}};
  for (const auto& [name, mesh] : meshes) {
    const Eigen::MatrixXd H = Plate(mesh).hessian();
    const VecX modes = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(H).eigenvalues();
    const double most = modes(modes.size() - 1);
    EXPECT_GT(modes(0), -1e-10 * most) << name;
    // Moved along the normal and turned in two directions: nothing else is free.
    EXPECT_LT(modes(2), 1e-9 * most) << name;
    EXPECT_GT(modes(3), 1e-5 * kBend) << name;
  }
}

TEST(VertexBending, LeavesRigidMotionsAndFlatStretchAlone) {
  const Plate plate(jittered(8));
  const Mat3 turn = Eigen::AngleAxisd(1.1, Vec3(1, 2, -0.5).normalized()).toRotationMatrix();
  VecX bent = plate.curved(curvature(0.7, 0.2, -0.4)), moved = bent, stretched = plate.rest;
  for (int i = 0; i < plate.mesh.vertex_count(); ++i) {
    moved.segment<3>(3 * i) = turn * at(bent, i) + Vec3(3, -2, 5);
    stretched.segment<3>(3 * i) =
        Vec3(1.3 * at(plate.rest, i).x() + 0.1 * at(plate.rest, i).y(), 0.8 * at(plate.rest, i).y(), 0.0);
  }
  EXPECT_NEAR(plate.value(moved), plate.value(bent), 1e-10 * plate.value(bent));
  EXPECT_LT(plate.value(stretched), 1e-12 * kBend);
}

TEST(VertexBending, HasTheGradientAndHessianOfItsValue) {
  for (const TriangleMesh& mesh : {jittered(6), lattice(5, 1, Vec2(5, 1))}) {
    const Plate plate(mesh);
    Rng random(11);
    const VecX y = plate.rest + noise(random, plate.mesh.vertex_count(), 0.1),
               d = noise(random, plate.mesh.vertex_count(), 0.1);
    VecX g = VecX::Zero(y.size()), g_moved = g, Hd = g;
    const auto step = plate.step();
    step->add_gradient(y, g);
    step->add_gradient(y + d, g_moved);
    BlockMatrix H(*plate.pattern);
    step->add_hessian(y, {}, H);
    H.mirror_upper();
    H.multiply(d, Hd);
    EXPECT_LT((g_moved - g - Hd).norm(), 1e-12 * Hd.norm());
    EXPECT_NEAR(step->value(y + d), step->value(y) + g.dot(d) + 0.5 * d.dot(Hd), 1e-12 * step->value(y));
    Eigen::MatrixXd by = Eigen::MatrixXd::Zero(y.size(), 1);
    step->add_parameter_derivative({Parameter::kLogBend}, y, by);
    EXPECT_LT((by.col(0) - g).norm(), 1e-14 * g.norm());
  }
}

TEST(VertexBending, SharesOutAllThatItStores) {
  const Plate plate(jittered(6));
  const VecX y = plate.curved(curvature(1, -0.3, 0.2));
  double sum = 0.0;
  plate.bending.for_each_stored(y, 0.0, [&](const StoredEnergy& stored) { sum += stored.energy; });
  EXPECT_NEAR(sum, plate.value(y), 1e-12 * plate.value(y));
  plate.bending.for_each_stored(plate.rest, 0.0, [&](const StoredEnergy& stored) {
    EXPECT_LT(std::abs(stored.energy), 1e-15 * kBend);  // rounding, of either sign
  });
}

// Of isometric deformations no plate's energy depends on its Poisson ratio: bend/2 over R^2 an area.
TEST(VertexBending, RollsASheetAtThePriceOfACylinder) {
  const double R = 0.4;
  for (const TriangleMesh& mesh : {lattice(40, 20, Vec2(1, 0.5)), sheet(40, 20, Vec2(1, 0.5))}) {
    const Plate plate(mesh);
    VecX rolled = plate.rest;
    for (int i = 0; i < mesh.vertex_count(); ++i) {
      const Vec3 p = at(plate.rest, i);
      rolled.segment<3>(3 * i) = Vec3(R * std::sin(p.x() / R), p.y(), R * (1 - std::cos(p.x() / R)));
    }
    const double expected = 0.5 * kBend / (R * R) * area_of(mesh);
    EXPECT_NEAR(plate.value(rolled) / expected, 1.0 - 1.0 / 40, 0.01);  // half a cell less at either end
  }
}

bool has_energy(const ClothDescription& cloth, std::string_view name) {
  const Model model = build_model(cloth);
  return std::any_of(model.energies().begin(), model.energies().end(),
                     [&](const auto& energy) { return energy->name() == name; });
}

TEST(VertexBending, IsTakenWhereHingesHaveDirectionsOfTheirOwn) {
  const auto cloth = [](const TriangleMesh& mesh) { return cloth_of(mesh, cotton(), Vec3::Zero()); };
  EXPECT_TRUE(has_energy(cloth(lattice(20, 20, Vec2(1, 1))), "vertex bending"));
  EXPECT_TRUE(has_energy(cloth(sheet(20, 20, Vec2(2, 1))), "vertex bending"));
  EXPECT_TRUE(has_energy(cloth(square(20, 1.0)), "quadratic bending"));
  ClothDescription chosen = cloth(lattice(20, 20, Vec2(1, 1)));
  chosen.bending = BendingModel::kQuadratic;
  EXPECT_TRUE(has_energy(chosen, "quadratic bending"));
  ClothDescription creased = cloth(lattice(20, 20, Vec2(1, 1)));
  creased.creases.push_back({{{22, 43}}, Animated<double>{0.5}});
  EXPECT_TRUE(has_energy(creased, "hinge bending"));
}

TEST(VertexBending, IsRefusedWhereClothIsNotFlat) {
  ClothDescription cloth = cloth_of(square(4, 1.0), cotton(), Vec3::Zero());
  for (Vec3& p : cloth.mesh.positions) p.z() = 0.2 * p.x() * p.x();
  cloth.bending = BendingModel::kVertex;
  EXPECT_THROW(build_model(cloth), InputError);
}

}  // namespace
}  // namespace keydrape
