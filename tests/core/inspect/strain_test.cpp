#include "core/inspect/strain.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "tests/support/meshes.h"
#include "tests/support/spectrum.h"

namespace keydrape {
namespace {

constexpr int kStrainedCells = 4;
constexpr double kStrainedSide = 0.4;

ClothDescription square_along_threads() {
  ClothDescription cloth;
  cloth.mesh = test::square(kStrainedCells, kStrainedSide);
  cloth.material = *find_material_preset("cotton");
  cloth.rest.warp = Vec3(1, 0, 0);
  return cloth;
}

// Every vertex at A x.
VecX moved(const ClothDescription& cloth, const Mat3& A) {
  VecX x = stacked(cloth.mesh.positions);
  for (Eigen::Index i = 0; i < x.size(); i += 3) x.segment<3>(i) = (A * x.segment<3>(i)).eval();
  return x;
}

std::vector<char> none_of(const ClothDescription& cloth) {
  return std::vector<char>(static_cast<std::size_t>(cloth.mesh.vertex_count()), 0);
}

StrainFigures strain(const ClothDescription& cloth, const VecX& x) {
  return StrainMeter(cloth).at(x, 0.0, none_of(cloth));
}

// (P1), (P2) in closed form, whichever way the cloth is turned.
TEST(Strain, OfAStretchAlongBothThreads) {
  const ClothDescription cloth = square_along_threads();
  const Mat3 turn = Eigen::AngleAxisd(1.1, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
  for (const Mat3& rotation : {Mat3(Mat3::Identity()), turn}) {
    const StrainFigures figures = strain(cloth, moved(cloth, rotation * Vec3(1.2, 0.9, 1.0).asDiagonal()));
    EXPECT_NEAR(figures.area, kStrainedSide * kStrainedSide, 1e-12);
    EXPECT_NEAR(figures.stretch.strain, 0.2, 1e-12);
    EXPECT_NEAR(figures.squeeze.strain, 0.1, 1e-12);
    EXPECT_NEAR(figures.stretch_99, 0.2, 1e-12);
    EXPECT_NEAR(figures.squeeze_99, 0.1, 1e-12);
    EXPECT_NEAR(figures.warp.strain, 0.2, 1e-12);
    EXPECT_NEAR(figures.weft.strain, -0.1, 1e-12);
    EXPECT_NEAR(figures.shear.strain, 0.0, 1e-12);
    EXPECT_DOUBLE_EQ(figures.beyond, 1.0);
  }
}

// A simple shear by s: singular values sqrt(1 + s^2/4) +- s/2; the threads are turned by atan s.
TEST(Strain, OfAShear) {
  const ClothDescription cloth = square_along_threads();
  constexpr double s = 0.3;
  Mat3 A = Mat3::Identity();
  A(0, 1) = s;
  const StrainFigures figures = strain(cloth, moved(cloth, A));
  EXPECT_NEAR(figures.stretch.strain, std::sqrt(1 + s * s / 4) + s / 2 - 1, 1e-12);
  EXPECT_NEAR(figures.squeeze.strain, 1 - std::sqrt(1 + s * s / 4) + s / 2, 1e-12);
  EXPECT_NEAR(figures.warp.strain, 0.0, 1e-12);
  EXPECT_NEAR(figures.weft.strain, std::sqrt(1 + s * s) - 1, 1e-12);
  EXPECT_NEAR(figures.shear.strain, std::atan(s), 1e-12);
}

// What the cloth has grown by is no strain.
TEST(Strain, IsCountedFromTheScaledLengths) {
  ClothDescription cloth = square_along_threads();
  cloth.stretch_scale = Vec2(1.2, 0.9);
  const StrainFigures figures = strain(cloth, moved(cloth, Vec3(1.2, 0.9, 1.0).asDiagonal()));
  EXPECT_NEAR(figures.stretch.strain, 0.0, 1e-12);
  EXPECT_NEAR(figures.squeeze.strain, 0.0, 1e-12);
  EXPECT_DOUBLE_EQ(figures.beyond, 0.0);
}

// One corner pulled away strains its triangles alone; they are named, and left out with it.  (P4)
TEST(Strain, NamesTheWorstTriangleAndLeavesOut) {
  const ClothDescription cloth = square_along_threads();
  VecX x = stacked(cloth.mesh.positions);
  x.head<3>() += Vec3(-0.05, -0.05, 0.0);
  const StrainFigures figures = strain(cloth, x);
  const Triangle& worst = cloth.mesh.triangles[static_cast<std::size_t>(figures.stretch.triangle)];
  EXPECT_NE(std::find(worst.begin(), worst.end(), 0), worst.end());
  const double triangle = 0.5 * (kStrainedSide / kStrainedCells) * (kStrainedSide / kStrainedCells);
  EXPECT_NEAR(figures.beyond, 2 * triangle / (kStrainedSide * kStrainedSide), 1e-12);
  EXPECT_GT(figures.stretch_99, 0.05);  // two of 32 triangles are more than 1 %

  std::vector<char> left_out = none_of(cloth);
  left_out[0] = 1;
  const StrainFigures others = StrainMeter(cloth).at(x, 0.0, left_out);
  EXPECT_NEAR(others.area, kStrainedSide * kStrainedSide - 2 * triangle, 1e-12);
  EXPECT_NEAR(others.stretch.strain, 0.0, 1e-12);
  EXPECT_DOUBLE_EQ(others.beyond, 0.0);
}

// Each vertex has the largest of its triangles, by size and with its sign.
TEST(Strain, AMapHasTheLargestOfTheTrianglesAround) {
  const ClothDescription cloth = square_along_threads();
  VecX x = moved(cloth, Vec3(1.0, 0.9, 1.0).asDiagonal());
  const StrainMap even = StrainMeter(cloth).map(x, 0.0);
  ASSERT_EQ(even.rows(), cloth.mesh.vertex_count());
  const Eigen::Vector<double, 6> expected(0.0, 0.1, 0.0, -0.1, 0.0, 0.1);  // flat: it would fold
  for (int v = 0; v < even.rows(); ++v)
    EXPECT_NEAR((even.row(v).transpose() - expected).norm(), 0.0, 1e-12) << v;

  x.head<3>() += Vec3(-0.05, -0.05, 0.0);
  const StrainMap pulled = StrainMeter(cloth).map(x, 0.0);
  const StrainFigures figures = strain(cloth, x);
  EXPECT_EQ(pulled(0, 0), figures.stretch.strain);
  EXPECT_EQ(pulled.col(0).maxCoeff(), figures.stretch.strain);
  EXPECT_EQ(pulled.col(2).cwiseAbs().maxCoeff(), std::abs(figures.warp.strain));
  EXPECT_EQ(pulled.col(4).maxCoeff(), figures.shear.strain);
  int changed = 0;
  for (int v = 0; v < pulled.rows(); ++v) changed += (pulled.row(v) - even.row(v)).norm() > 1e-9;
  EXPECT_GE(changed, 3);
  EXPECT_LE(changed, 4);  // of the corner's one or two triangles
}

// (P3)
// Squeeze hides no stretch, and a woven cloth's shear is none.
TEST(Strain, TheLongestThread) {
  ClothDescription cloth = square_along_threads();
  VecX x = moved(cloth, Vec3(0.7, 1.1, 1.0).asDiagonal());
  EXPECT_NEAR(StrainMeter(cloth).longest_thread(x, 0.0).strain, 0.1, 1e-12);
  const int corner = cloth.mesh.triangles[3][1];
  x.segment<3>(3 * corner) += Vec3(0.0, 0.0, 0.5);
  const StrainPlace pulled = StrainMeter(cloth).longest_thread(x, 0.0);
  EXPECT_GT(pulled.strain, 0.5);
  const Triangle& place = cloth.mesh.triangles[pulled.triangle];
  EXPECT_NE(std::find(place.begin(), place.end(), corner), place.end());
  const StrainPlace none = StrainMeter(cloth).longest_thread(moved(cloth, 0.9 * Mat3::Identity()), 0.0);
  EXPECT_EQ(none.strain, 0.0);
  EXPECT_EQ(none.triangle, -1);

  constexpr double kShear = 0.2;
  Mat3 shear = Mat3::Identity();
  shear(0, 1) = kShear;
  const double thread = std::sqrt(1.0 + kShear * kShear) - 1.0;
  EXPECT_NEAR(StrainMeter(cloth).longest_thread(moved(cloth, shear), 0.0).strain, thread, 1e-12);
  cloth.material.isotropic = Isotropic{1e6, 0.3};
  const double principal = std::sqrt(1.0 + 0.25 * kShear * kShear) + 0.5 * kShear - 1.0;
  EXPECT_NEAR(StrainMeter(cloth).longest_thread(moved(cloth, shear), 0.0).strain, principal, 1e-12);
}

// A pleated sheet whose threads are squeezed: fabric that gives way does not feel it, one that cannot does.
TEST(Strain, SqueezeIsFeltWhereNothingGivesWay) {
  ClothDescription cloth = square_along_threads();
  constexpr double kPitch = kStrainedSide / kStrainedCells, kHeight = 0.03, kSqueezed = 0.9 * kPitch;
  VecX x = stacked(cloth.mesh.positions);
  for (Eigen::Index i = 0; i < x.size(); i += 3) {
    const int row = static_cast<int>(std::lround(x[i + 1] / kPitch));
    x[i + 1] = row * std::sqrt(kSqueezed * kSqueezed - kHeight * kHeight);
    x[i + 2] = row % 2 == 0 ? 0.0 : kHeight;
  }
  ASSERT_EQ(cloth.material.compression.law, Compression::Law::kBuckling);
  EXPECT_NEAR(strain(cloth, x).squeeze.strain, 0.1, 1e-12);
  EXPECT_LT(strain(cloth, x).beyond, 0.3);  // along two edges triangles have no neighbour to bend against
  cloth.material.bend = 0.0;
  EXPECT_DOUBLE_EQ(strain(cloth, x).beyond, 1.0);
  cloth.material.bend = 1e-4;
  cloth.material.isotropic = Isotropic{1e6, 0.3};
  EXPECT_DOUBLE_EQ(strain(cloth, x).beyond, 1.0);
}

TEST(Strain, TheLimitIsTheFabrics) {
  ClothDescription cloth = square_along_threads();
  EXPECT_DOUBLE_EQ(StrainMeter(cloth).limit(), 0.05);
  const double length = std::sqrt(2.0) * kStrainedSide;
  cloth.material.k_weft = cloth.material.density * kStandardGravity * length / 0.04;
  EXPECT_NEAR(StrainMeter(cloth).limit(), 0.12, 1e-12);
  cloth.material.strain_limit = 0.03;
  EXPECT_DOUBLE_EQ(StrainMeter(cloth).limit(), 0.03);
}

// A woven fabric gives way to shear: as much less is felt of it as it is softer.  (P7)
TEST(Strain, ShearIsFeltByItsStiffness) {
  ClothDescription cloth = square_along_threads();
  cloth.material.k_warp = cloth.material.k_weft = 2000.0;
  constexpr double s = 0.2;
  Mat3 A = Mat3::Identity();
  A(0, 1) = s;
  for (const double k_shear : {5000.0, 1000.0, 90.0}) {
    cloth.material.k_shear = k_shear;
    const double share = std::min(1.0, std::sqrt(2 * k_shear / 2000.0));
    Mat2 C;
    C << 1.0, share * s, share * s, 1.0 + s * s;
    const Vec2 lambda = test::eigenvalues(C);
    const double felt = std::max(std::sqrt(lambda(1)) - 1.0, 1.0 - std::sqrt(lambda(0)));
    EXPECT_NEAR(strain(cloth, moved(cloth, A)).felt_99, felt, 1e-12) << k_shear;
    EXPECT_DOUBLE_EQ(strain(cloth, moved(cloth, A)).beyond, felt > 0.05 ? 1.0 : 0.0) << k_shear;
  }
  cloth.material.strain_limit = 0.08;  // which a shear comes up to as a stretch does
  EXPECT_NEAR(strain(cloth, moved(cloth, A)).felt_99, std::sqrt(1 + s * s / 4) + s / 2 - 1, 1e-12);
}

// Fabric that gives way when it is pushed together may be drawn smaller than it is, where it is bent.
TEST(Strain, SqueezeCountsWhereTheFabricResistsIt) {
  ClothDescription cloth = square_along_threads();
  cloth.material.compression = {};
  const VecX x = moved(cloth, Vec3(0.8, 1.0, 1.0).asDiagonal());
  EXPECT_DOUBLE_EQ(strain(cloth, x).beyond, 1.0);
  cloth.material.compression.law = Compression::Law::kBuckling;
  EXPECT_DOUBLE_EQ(strain(cloth, x).beyond, 1.0) << "flat, it would fold";
  EXPECT_NEAR(strain(cloth, x).squeeze.strain, 0.2, 1e-12);
  VecX folded = x;  // every other vertex stands out, along both sides
  const int row = static_cast<int>(std::lround(std::sqrt(cloth.mesh.vertex_count())));
  for (int i = 0; i < cloth.mesh.vertex_count(); ++i) folded[3 * i + 2] += 0.01 * ((i / row + i % row) % 2);
  EXPECT_GT(strain(cloth, folded).squeeze.strain, 0.1);
  EXPECT_DOUBLE_EQ(strain(cloth, folded).beyond, 0.0);
  // Folds that are sewn in, as they are and turned inside out.
  for (int i = 0; i < cloth.mesh.vertex_count(); ++i)
    cloth.mesh.positions[i].z() = 0.03 * ((i / row + i % row) % 2);
  EXPECT_DOUBLE_EQ(strain(cloth, moved(cloth, 0.9 * Mat3::Identity())).beyond, 1.0);
  EXPECT_DOUBLE_EQ(strain(cloth, moved(cloth, Vec3(0.9, 0.9, -0.9).asDiagonal())).beyond, 0.0);
}

}  // namespace
}  // namespace keydrape
