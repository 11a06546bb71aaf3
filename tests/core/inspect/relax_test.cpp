#include "core/inspect/relax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "core/base/error.h"
#include "core/contact/body/shape/sphere.h"
#include "core/inspect/overlap.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

constexpr int kCells = 8;
constexpr double kSide = 0.4;

ClothDescription cotton_square() {
  ClothDescription cloth;
  cloth.mesh = test::square(kCells, kSide);
  cloth.material = *find_material_preset("cotton");
  return cloth;
}

VecX rest_of(const ClothDescription& cloth) { return stacked(cloth.mesh.positions); }

VecX scaled(const ClothDescription& cloth, const Vec3& by) {
  VecX x = rest_of(cloth);
  for (Eigen::Index i = 0; i < x.size(); i += 3) x.segment<3>(i) = x.segment<3>(i).cwiseProduct(by).eval();
  return x;
}

RelaxResult relaxed(const ClothDescription& cloth, const VecX& pose) {
  RelaxOptions options;
  options.drape.tolerance = 1e-3;
  return relax(cloth, pose, rest_of(cloth), options);
}

// Rolled onto a cylinder, which takes bending alone.
VecX rolled(const ClothDescription& cloth) {
  constexpr double kRadius = 0.15;
  VecX x = rest_of(cloth);
  for (Eigen::Index i = 0; i < x.size(); i += 3) {
    const double angle = x[i] / kRadius;
    x[i] = kRadius * std::sin(angle);
    x[i + 2] = kRadius * (1.0 - std::cos(angle));
  }
  return x;
}

TEST(Relax, LeavesAPoseThatClothCanTakeWhereItIs) {
  const ClothDescription cloth = cotton_square();
  const RelaxResult result = relaxed(cloth, rolled(cloth));
  EXPECT_TRUE(result.is_settled && result.is_relaxed);
  EXPECT_EQ(result.start, RelaxStart::kPose);
  EXPECT_LT(result.farthest, 2e-3);  // of 0.4 m
  EXPECT_LE(result.after.stretch_99, 0.01);
}

// Nearest to a sheet that is scaled about its middle is the sheet itself, which nothing holds.  (P5)
TEST(Relax, TakesTheStretchOut) {
  const ClothDescription cloth = cotton_square();
  const RelaxResult result = relaxed(cloth, scaled(cloth, Vec3(1.0, 1.5, 1.0)));
  EXPECT_TRUE(result.is_settled && result.is_relaxed);
  EXPECT_NEAR(result.before.stretch.strain, 0.5, 1e-9);
  EXPECT_LE(result.after.stretch_99, 0.01);
  EXPECT_NEAR(result.farthest, 0.25 * kSide, 0.01 * kSide);  // the edges, by half of what is too much
  EXPECT_NEAR(result.rms, 0.5 * kSide / std::sqrt(12.0), 0.01 * kSide);
}

// Turned by more than half a circle below a line, back through the part above.
VecX folded_through_itself(const VecX& hanging, double line) {
  constexpr double kTurn = 1.25 * std::numbers::pi, kRadius = 0.03;
  VecX x = hanging;
  for (Eigen::Index i = 0; i < x.size(); i += 3) {
    const double beyond = -x[i + 1] - line;
    if (beyond <= 0.0) continue;
    const double angle = std::min(kTurn, beyond / kRadius), rest = std::max(0.0, beyond - kRadius * kTurn);
    x[i + 1] = -line - kRadius * std::sin(angle) - rest * std::cos(kTurn);
    x[i + 2] = kRadius * (1.0 - std::cos(angle)) + rest * std::sin(kTurn);
  }
  return x;
}

// Fabric that gives way under compression is at rest with a row of edges at a fifth of their length. No run
// brings it there.
TEST(Relax, TakesTheSqueezeOutOfASharpFold) {
  constexpr double kHeight = 0.8;
  ClothDescription cloth;
  cloth.mesh = test::square(14, kHeight);
  for (Vec3& p : cloth.mesh.positions) p.y() -= kHeight;
  cloth.material = *find_material_preset("cotton");
  cloth.material.k_warp = cloth.material.k_weft = 300.0;
  cloth.material.k_shear = 30.0;
  cloth.material.bend = 2e-4;
  cloth.material.compression.law = Compression::Law::kBuckling;
  std::vector<int> upper;
  for (int i = 0; i < cloth.mesh.vertex_count(); ++i)
    if (cloth.mesh.positions[static_cast<std::size_t>(i)].y() > -1e-9) upper.push_back(i);
  const VecX hanging = rest_of(cloth);
  cloth.pins = {test::held(hanging, upper)};
  cloth.contact.self = true;
  const RelaxResult result = relaxed(cloth, folded_through_itself(hanging, 0.43));
  std::printf("squeeze %.3g -> %.3g, moved by %.3g mm RMS\n", result.before.squeeze_99,
              result.after.squeeze_99, 1e3 * result.rms);
  EXPECT_TRUE(result.is_settled && result.is_relaxed);
  EXPECT_LE(result.after.squeeze_99, 0.03);
  EXPECT_LT(result.rms, 0.03);
}

TEST(Relax, PinsStayWhereTheyAre) {
  ClothDescription cloth = cotton_square();
  std::vector<int> lower;
  for (int i = 0; i <= kCells; ++i) lower.push_back(i);
  cloth.pins = {test::held(rest_of(cloth), lower)};
  const RelaxResult result = relaxed(cloth, scaled(cloth, Vec3(1.0, 1.2, 1.0)));
  EXPECT_TRUE(result.is_settled && result.is_relaxed);
  for (const int i : lower) EXPECT_LT((result.x - rest_of(cloth)).segment<3>(3 * i).norm(), 1e-12) << i;
  EXPECT_NEAR(result.farthest, 0.2 * kSide, 0.01 * kSide);  // the free edge comes back all the way
}

// Pins that stretch the cloth leave it strained whatever the pull: the pose is not given up for that.
TEST(Relax, AStrainThatPinsMakeIsNoReasonToDropThePose) {
  ClothDescription cloth = cotton_square();
  const VecX start = scaled(cloth, Vec3(1.06, 1.0, 1.0));
  std::vector<int> sides;
  for (int i = 0; i < cloth.mesh.vertex_count(); ++i)
    if (const double x = cloth.mesh.positions[i].x(); x < 1e-9 || x > kSide - 1e-9) sides.push_back(i);
  cloth.pins = {test::held(start, sides)};
  VecX pose = start;  // a bulge that takes hardly more stretch than the pins make
  for (Eigen::Index i = 0; i < pose.size(); i += 3)
    pose[i + 2] = 0.03 * std::sin(std::numbers::pi * start[i] / (1.06 * kSide));
  RelaxOptions options;
  options.drape.tolerance = 1e-3;
  const RelaxResult result = relax(cloth, pose, start, options);
  EXPECT_TRUE(result.is_settled);
  EXPECT_FALSE(result.is_relaxed);
  EXPECT_GT(result.after.felt_99, 0.05) << "else this tests nothing";
  EXPECT_LT(result.rms, 0.5 * result.asked);
}

// What no pull but a weak one would take out of a shape that cloth can have is left there.
TEST(Relax, AShapeWithinTheLimitIsNotGivenUpForLessStrain) {
  ClothDescription cloth = cotton_square();
  cloth.material.compression = {};
  std::vector<int> ends;
  for (int i = 0; i <= kCells; ++i)
    for (const int row : {0, kCells}) ends.push_back(row * (kCells + 1) + i);
  cloth.pins = {test::held(rest_of(cloth), ends)};
  VecX bulging = rest_of(cloth);
  for (Eigen::Index i = 0; i < bulging.size(); i += 3)
    bulging[i + 2] += 0.03 * std::sin(EIGEN_PI * bulging[i + 1] / kSide);
  const RelaxResult result = relaxed(cloth, bulging);
  ASSERT_GT(result.before.felt_99, 0.01);
  ASSERT_LT(result.before.felt_99, 0.05);
  EXPECT_TRUE(result.is_settled && result.is_relaxed);
  EXPECT_LE(result.rms, 0.05 * result.asked);
  EXPECT_LT(result.after.felt_99, result.before.felt_99);
  // Where it is strained beyond that, strain decides.
  for (Eigen::Index i = 0; i < bulging.size(); i += 3) bulging[i + 2] *= 4.0;
  const RelaxResult beyond = relaxed(cloth, bulging);
  ASSERT_GT(beyond.before.felt_99, 0.05);
  EXPECT_GT(beyond.rms, 0.05 * beyond.asked);
}

// Half of a strain of wave number q is left at kappa = k q^2.  (P6)
TEST(Relax, AShortWaveTakesAStrongerPull) {
  ClothDescription cloth = cotton_square();
  cloth.material.compression = {};  // all of the wave counts, not its stretched half alone
  const auto wavy = [&](int waves) {
    VecX x = rest_of(cloth);
    const double q = 2.0 * EIGEN_PI * waves / kSide;
    for (Eigen::Index i = 0; i < x.size(); i += 3) x[i] += 0.1 / q * std::sin(q * x[i]);  // strained by 10 %
    return x;
  };
  const RelaxResult coarse = relaxed(cloth, wavy(1)), fine = relaxed(cloth, wavy(2));
  EXPECT_TRUE(coarse.is_relaxed && fine.is_relaxed);
  EXPECT_GT(fine.pull, coarse.pull);
  EXPECT_GT(coarse.farthest, fine.farthest);
}

TEST(Relax, APoseInABodyComesOutOfIt) {
  ClothDescription cloth = cotton_square();
  cloth.bodies = {
      {std::make_shared<RigidCollider>(std::make_unique<Sphere>(Vec3(0.2, 0.2, -0.03), 0.05), RigidMotion()),
       0.3}};
  const std::vector<char> none(static_cast<std::size_t>(cloth.mesh.vertex_count()), 0);
  ASSERT_FALSE(overlaps_with_bodies(cloth, rest_of(cloth), 0.0, none).empty());
  const RelaxResult result = relaxed(cloth, rest_of(cloth));
  EXPECT_EQ(result.start, RelaxStart::kRepaired);
  EXPECT_TRUE(result.is_settled && result.is_relaxed);
  EXPECT_TRUE(overlaps_with_bodies(cloth, result.x, 0.0, none).empty());
}

// Steps of this method keep no gap, but what a pose is pulled with does, and cannot begin within it.
TEST(Relax, APoseThatStepsMayEndInIsTakenOutOfTheGap) {
  ClothDescription cloth = cotton_square();
  cloth.contact.method = ContactMethod::kFilter;
  cloth.bodies = {
      {std::make_shared<RigidCollider>(std::make_unique<Sphere>(Vec3(0.2, 0.2, -0.10002), 0.1)), 0.3}};
  const std::vector<char> none(static_cast<std::size_t>(cloth.mesh.vertex_count()), 0);
  ASSERT_TRUE(overlaps_with_bodies(cloth, rest_of(cloth), 0.0, none).empty());
  const RelaxResult result = relaxed(cloth, rest_of(cloth));
  EXPECT_EQ(result.start, RelaxStart::kRepaired);
  EXPECT_TRUE(result.is_settled && result.is_relaxed);
  EXPECT_TRUE(overlaps_with_bodies(minimised(cloth), result.x, 0.0, none).empty());
  EXPECT_LT(result.farthest, 2e-3);
}

// Beyond the strain limit there is no energy to fall from: it begins with the start.
TEST(Relax, BeginsWithTheStartWhereThePoseIsBeyondTheLimit) {
  ClothDescription cloth = cotton_square();
  cloth.material.strain_limit = 0.1;
  const RelaxResult result = relaxed(cloth, scaled(cloth, Vec3(1.0, 1.3, 1.0)));
  EXPECT_EQ(result.start, RelaxStart::kStart);
  EXPECT_TRUE(result.is_settled && result.is_relaxed);
  EXPECT_LE(result.after.stretch.strain, 0.1);
  EXPECT_THROW(relax(cloth, scaled(cloth, Vec3(1.0, 1.3, 1.0)), scaled(cloth, Vec3(1.0, 1.4, 1.0)), {}),
               InputError);
}

}  // namespace
}  // namespace keydrape
