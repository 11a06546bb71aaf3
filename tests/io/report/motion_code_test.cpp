#include "io/report/motion_code.h"

#include <gtest/gtest.h>

#include <random>

#include "io/file/compressed_text.h"

namespace keydrape {
namespace {

constexpr int kSide = 12, kVertices = kSide * kSide, kFrames = 20;

std::vector<Triangle> grid() {
  std::vector<Triangle> triangles;
  for (int i = 0; i + 1 < kSide; ++i)
    for (int j = 0; j + 1 < kSide; ++j) {
      const int v = i * kSide + j;
      triangles.push_back({v, v + kSide, v + 1});
      triangles.push_back({v + 1, v + kSide, v + kSide + 1});
    }
  return triangles;
}

std::vector<VecX> smooth_motion() {
  std::vector<VecX> frames(kFrames, VecX(3 * kVertices));
  for (int f = 0; f < kFrames; ++f)
    for (int k = 0; k < 3 * kVertices; ++k) {
      const int row = k / 3 / kSide, column = k / 3 % kSide;
      frames[f][k] = std::sin(0.2 * column + 0.1 * f + k % 3) - 0.03 * row;
    }
  return frames;
}

// Everywhere at once: every difference overflows 16 bits somewhere.
std::vector<VecX> random_motion() {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-3.0, 2.0);
  std::vector<VecX> frames(kFrames, VecX(3 * kVertices));
  for (VecX& frame : frames)
    for (double& value : frame) value = uniform(random);
  return frames;
}

void expect_half_a_step(const std::vector<VecX>& frames, const Quantisation& quantisation) {
  const LowerNeighbours neighbours = lower_neighbours(grid(), kVertices);
  const std::string code = encode_motion(frames, quantisation, neighbours);
  ASSERT_EQ(code.size(), 6u * kVertices * frames.size());
  const std::vector<VecX> decoded =
      decode_motion(code, static_cast<int>(frames.size()), quantisation, neighbours);
  for (std::size_t f = 0; f < frames.size(); ++f)
    for (int k = 0; k < 3 * kVertices; ++k)
      ASSERT_LE(std::abs(decoded[f][k] - frames[f][k]), 0.5000001 * quantisation.step[k % 3])
          << f << ", " << k;
}

TEST(MotionCode, KeepsEveryPositionToHalfAStep) {
  for (const auto& frames : {smooth_motion(), random_motion()})
    for (const int bits : {1, 8, 15, 16}) expect_half_a_step(frames, fit_quantisation({&frames}, bits));
}

TEST(MotionCode, TheGridIsTheBoxOfAllTakes) {
  const std::vector<VecX> low = {VecX::Constant(3, -1.0)}, high = {VecX::Constant(3, 4.0)};
  const Quantisation grid = fit_quantisation({&low, &high}, 16);
  EXPECT_EQ(grid.low, Vec3::Constant(-1.0));
  EXPECT_DOUBLE_EQ(grid.step.x(), 5.0 / 65535.0);
}

TEST(MotionCode, ZeroForceStaysZero) {
  std::vector<VecX> forces = random_motion();
  for (VecX& force : forces) force.head(30).setZero();
  const Quantisation grid_of_forces = fit_signed_quantisation(forces, 10);
  expect_half_a_step(forces, grid_of_forces);
  const LowerNeighbours neighbours = lower_neighbours(grid(), kVertices);
  const auto decoded =
      decode_motion(encode_motion(forces, grid_of_forces, neighbours), kFrames, grid_of_forces, neighbours);
  for (const VecX& force : decoded) EXPECT_EQ(force.head(30), VecX::Zero(30));
}

TEST(MotionCode, AComponentThatNeverChangesIsFine) {
  std::vector<VecX> frames = smooth_motion();
  for (VecX& frame : frames)
    for (int i = 0; i < kVertices; ++i) frame[3 * i + 2] = 0.25;
  expect_half_a_step(frames, fit_quantisation({&frames}, 16));
}

TEST(MotionCode, NeighboursAreTheLowerEndsOfEdges) {
  const LowerNeighbours neighbours = lower_neighbours({{2, 0, 1}, {1, 3, 2}}, 5);
  EXPECT_EQ(neighbours.begin, (std::vector<int>{0, 0, 1, 3, 5, 5}));
  EXPECT_EQ(neighbours.neighbours, (std::vector<int>{0, 0, 1, 1, 2}));
}

// What the code is for: 16 bits a number would be 6 bytes a vertex and frame.
TEST(MotionCode, SmoothMotionBecomesSmall) {
  const std::vector<VecX> frames = smooth_motion();
  const std::string code =
      encode_motion(frames, fit_quantisation({&frames}, 16), lower_neighbours(grid(), kVertices));
  EXPECT_LT(static_cast<double>(deflate_raw(code).size()), 0.6 * static_cast<double>(code.size()));
}

}  // namespace
}  // namespace keydrape
