#include "core/contact/body/level_set/far_field.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace keydrape {
namespace {

constexpr int kRounds = 2;  // of eight sweeps; a third changed nothing on spheres, tori and boxes
// The share of a distance to a centre that is vouched for: nearest points are handed on, not searched.
constexpr double kTrust = 0.9;
constexpr float kUnknown = std::numeric_limits<float>::max();

// Differences of the stored values around a voxel; towards one side where the other is not stored.
Vec3 slope(const BrickGrid& bricks, const Index3& v) {
  const float here = *bricks.find(v);
  Vec3 g;
  for (int a = 0; a < 3; ++a) {
    Index3 low = v, high = v;
    --low[a], ++high[a];
    const float *before = bricks.find(low), *after = bricks.find(high);
    const int span = (before != nullptr) + (after != nullptr);
    g(a) =
        span == 0 ? 0.0 : ((after ? *after : here) - double(before ? *before : here)) / (span * bricks.voxel);
  }
  return g;
}

}  // namespace

FarField::FarField(const BrickGrid& bricks)
    : first_(bricks.origin + Vec3::Constant(0.5 * (BrickGrid::kSide - 1) * bricks.voxel)),
      side_(BrickGrid::kSide * bricks.voxel),
      size_(bricks.size),
      centers_(bricks.table.size(), {Eigen::Vector3f::Zero(), kUnknown}) {
  collect_surface(bricks);
  for (int round = 0; round < kRounds; ++round)
    for (int corner = 0; corner < 8; ++corner)
      sweep({corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1});
  for (std::size_t i = 0; i < centers_.size(); ++i) {
    assert(centers_[i].distance < kUnknown && "no voxel next to the surface");
    const std::int32_t entry = bricks.table[i];
    constexpr int kMiddle = BrickGrid::voxel_index(3, 3, 3);
    const bool inside =
        entry == BrickGrid::kInside ||
        (entry >= 0 && std::signbit(bricks.values[entry * std::size_t{BrickGrid::kVoxels} + kMiddle]));
    if (inside) centers_[i].distance = -centers_[i].distance;
  }
}

Vec3 FarField::position(const Index3& brick) const {
  return first_ + side_ * Vec3(brick[0], brick[1], brick[2]);
}

std::size_t FarField::index(const Index3& brick) const {
  return (static_cast<std::size_t>(brick[0]) * size_[1] + brick[1]) * size_[2] + brick[2];
}

void FarField::offer(const Index3& brick, const Eigen::Vector3f& point) {
  Center& center = centers_[index(brick)];
  const float d = (position(brick).cast<float>() - point).norm();
  if (d < center.distance) center = {point, d};
}

void FarField::collect_surface(const BrickGrid& bricks) {
  const std::vector<Index3> places = bricks.brick_places();
  for (int b = 0; b < bricks.brick_count(); ++b)
    for (int i = 0; i < BrickGrid::kVoxels; ++i) {
      const float value = bricks.values[static_cast<std::size_t>(b) * BrickGrid::kVoxels + i];
      if (std::abs(value) > bricks.voxel) continue;
      const Index3 v = BrickGrid::voxel_at(places[b], i);
      const Vec3 g = slope(bricks, v);
      const double l = g.norm();
      if (l == 0) continue;
      const Eigen::Vector3f point = (bricks.position(v) - value / l * g).cast<float>();
      for (int n = 0; n < 27; ++n) {
        const Index3 near = {places[b][0] + n / 9 - 1, places[b][1] + n / 3 % 3 - 1,
                             places[b][2] + n % 3 - 1};
        if (bricks.holds_brick(near)) offer(near, point);
      }
    }
}

void FarField::sweep(const Index3& direction) {
  Index3 from, end;
  for (int a = 0; a < 3; ++a) {
    from[a] = direction[a] > 0 ? 0 : size_[a] - 1;
    end[a] = direction[a] > 0 ? size_[a] : -1;
  }
  Index3 at;
  for (at[0] = from[0]; at[0] != end[0]; at[0] += direction[0])
    for (at[1] = from[1]; at[1] != end[1]; at[1] += direction[1])
      for (at[2] = from[2]; at[2] != end[2]; at[2] += direction[2])
        for (int n = 1; n < 8; ++n) {
          Index3 before = at;
          bool inside = true;
          for (int a = 0; a < 3; ++a)
            if (n & (1 << a)) inside &= at[a] != from[a], before[a] -= direction[a];
          if (inside && centers_[index(before)].distance < kUnknown)
            offer(at, centers_[index(before)].nearest);
        }
}

FarField::Value FarField::at(const Vec3& p) const {
  Index3 cell;
  Vec3 f;
  bool off = false;
  for (int a = 0; a < 3; ++a) {
    const double u = (p(a) - first_(a)) / side_, last = size_[a] - 1;
    off |= u < 0 || u > last;
    cell[a] = static_cast<int>(std::clamp(std::floor(u), 0.0, last - 1));
    f(a) = std::clamp(u - cell[a], 0.0, 1.0);
  }
  double value = 0;
  Vec3 gradient = Vec3::Zero();
  Vec3 nearest = p;
  double least = std::numeric_limits<double>::infinity();
  for (int n = 0; n < 8; ++n) {
    const Index3 o = {n & 1, (n >> 1) & 1, n >> 2};
    const Center& center = centers_[index({cell[0] + o[0], cell[1] + o[1], cell[2] + o[2]})];
    const Vec3 w(o[0] ? f.x() : 1 - f.x(), o[1] ? f.y() : 1 - f.y(), o[2] ? f.z() : 1 - f.z());
    value += w.prod() * center.distance;
    for (int a = 0; a < 3; ++a)
      gradient(a) += (o[a] ? 1 : -1) * w((a + 1) % 3) * w((a + 2) % 3) * center.distance / side_;
    const double d = (p - center.nearest.cast<double>()).norm();
    if (d < least) least = d, nearest = center.nearest.cast<double>();
  }
  if (off) return {least, (p - nearest) / least};
  // On a medial axis the mean of the centres' directions vanishes, and any of them leads out.
  constexpr double kVanishing = 0.1;
  const double l = gradient.norm();
  if (l > kVanishing || least == 0) return {value, l > 0 ? Vec3(gradient / l) : Vec3::UnitY()};
  return {value, std::copysign(1.0, value) * (p - nearest) / least};
}

double FarField::free_radius(const Vec3& p) const {
  Index3 brick;
  for (int a = 0; a < 3; ++a)
    brick[a] = static_cast<int>(std::clamp(std::round((p(a) - first_(a)) / side_), 0.0, size_[a] - 1.0));
  const double to_center = (p - position(brick)).norm();
  const double known = kTrust * std::abs(double(centers_[index(brick)].distance));
  // Off the lattice: the body lies within it, so that it is no nearer than the lattice itself.
  Vec3 inside = p;
  for (int a = 0; a < 3; ++a) inside(a) = std::clamp(p(a), first_(a), first_(a) + (size_[a] - 1) * side_);
  return std::max({0.0, known - to_center, (p - inside).norm()});
}

void fill_beyond_band(BrickGrid& bricks) {
  const FarField far(bricks);
  const double known = 0.999 * bricks.half_width;  // files in half precision round what lies beyond
  const std::vector<Index3> places = bricks.brick_places();
  for (std::size_t slot = 0; slot < bricks.values.size(); ++slot) {
    float& value = bricks.values[slot];
    if (std::abs(value) < known) continue;
    const Vec3 p = bricks.position(
        BrickGrid::voxel_at(places[slot / BrickGrid::kVoxels], static_cast<int>(slot % BrickGrid::kVoxels)));
    value =
        std::copysign(static_cast<float>(std::max(std::abs(far.at(p).distance), bricks.half_width)), value);
  }
}

}  // namespace keydrape
