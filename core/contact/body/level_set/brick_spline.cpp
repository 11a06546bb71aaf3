#include "core/contact/body/level_set/brick_spline.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace keydrape {
namespace {

constexpr int kSide = BrickGrid::kSide;
constexpr int kProjectionRounds = 10;

// Where the 64 coefficients around a point stand.
struct Place {
  std::array<double, 3> in_cell;        // of the point, 0 to 1
  Index3 first;                         // voxel of the first one, in the first of the bricks
  std::array<std::ptrdiff_t, 8> brick;  // first value of each; only of those that hold some
};

// Whether the 64 coefficients around a point belong to bricks of the table. `u`: its place [voxels].
bool is_on_table(const BrickGrid& bricks, const Vec3& u) {
  bool is_on = true;
  for (int a = 0; a < 3; ++a) is_on &= u(a) >= 1 && u(a) < kSide * bricks.size[a] - 2;
  return is_on;
}

std::optional<Place> find_place(const BrickGrid& coefficients, const Vec3& p) {
  const Vec3 u = (p - coefficients.origin) / coefficients.voxel;
  if (!is_on_table(coefficients, u)) return std::nullopt;
  Place found;
  Index3 brick;
  int span = 0;  // axes along which the support reaches into the next brick
  for (int a = 0; a < 3; ++a) {
    const int i = static_cast<int>(u(a));
    found.in_cell[a] = u(a) - i;
    brick[a] = (i - 1) / kSide;
    found.first[a] = (i - 1) % kSide;
    if (found.first[a] > kSide - 4) span |= 1 << a;
  }
  for (int n = 0; n < 8; ++n) {
    if ((n & span) != n) continue;
    const std::int32_t e = coefficients.table[coefficients.table_index(
        {brick[0] + (n & 1), brick[1] + ((n >> 1) & 1), brick[2] + (n >> 2)})];
    if (e < 0) return std::nullopt;
    found.brick[n] = static_cast<std::ptrdiff_t>(e) * BrickGrid::kVoxels;
  }
  return found;
}

// Calls body(n, where coefficient n stands in BrickGrid::values) for all 64, z fastest.
template <class Body>
void for_each_slot(const Place& place, const Body& body) {
  const auto [x0, y0, z0] = place.first;
  int n = 0;
  for (int x = x0; x < x0 + 4; ++x)
    for (int y = y0; y < y0 + 4; ++y) {
      const int column = x / kSide + y / kSide * 2;
      const std::ptrdiff_t row = BrickGrid::voxel_index(x % kSide, y % kSide, 0);
      const std::ptrdiff_t below = place.brick[column] + row;
      const std::ptrdiff_t above = z0 > kSide - 4 ? place.brick[column + 4] + row - kSide : 0;
      for (int z = z0; z < z0 + 4; ++z, ++n) body(n, (z < kSide ? below : above) + z);
    }
}

// Takes value/|w|^2 w off the coefficients around p: the least change that makes the value zero.
void project(BrickGrid& coefficients, const Vec3& p, const SplineSupport& s, double value) {
  std::array<double, 64> w;
  double squared = 0;
  for (int n = 0; n < 64; ++n) {
    w[n] = s.x.w[n >> 4] * s.y.w[(n >> 2) & 3] * s.z.w[n & 3];
    squared += w[n] * w[n];
  }
  for_each_slot(find_place(coefficients, p).value(), [&](int n, std::ptrdiff_t slot) {
    coefficients.values[slot] -= static_cast<float>(value / squared * w[n]);
  });
}

}  // namespace

double SplineSupport::value() const {
  double v = 0;
  for (int a = 0, n = 0; a < 4; ++a) {
    double f = 0;
    for (int b = 0; b < 4; ++b, n += 4)
      f += y.w[b] * (z.w[0] * c[n] + z.w[1] * c[n + 1] + z.w[2] * c[n + 2] + z.w[3] * c[n + 3]);
    v += x.w[a] * f;
  }
  return v;
}

std::optional<SplineSupport> find_support(const BrickGrid& coefficients, const Vec3& p) {
  std::optional<SplineSupport> s;
  const std::optional<Place> place = find_place(coefficients, p);
  if (!place) return s;
  s.emplace();
  s->x = cubic_bspline(place->in_cell[0]);
  s->y = cubic_bspline(place->in_cell[1]);
  s->z = cubic_bspline(place->in_cell[2]);
  const float* values = coefficients.values.data();
  for_each_slot(*place, [&](int n, std::ptrdiff_t slot) { s->c[n] = values[slot]; });
  return s;
}

void to_spline_coefficients(BrickGrid& bricks) {
  const std::vector<Index3> places = bricks.brick_places();
  std::vector<float> coefficients = bricks.values;
  tbb::parallel_for(0, bricks.brick_count(), [&](int b) {
    for (int i = 0; i < BrickGrid::kVoxels; ++i) {
      const Index3 v = BrickGrid::voxel_at(places[b], i);
      const std::size_t slot = static_cast<std::size_t>(b) * BrickGrid::kVoxels + i;
      const double d = bricks.values[slot];
      double sum = 0;
      for (int a = 0; a < 3; ++a) {
        Index3 before = v, after = v;
        --before[a], ++after[a];
        const float *low = bricks.find(before), *high = bricks.find(after);
        if (low && high) sum += *low - 2 * d + *high;
      }
      coefficients[slot] = static_cast<float>(d - sum / 6);
    }
  });
  bricks.values = std::move(coefficients);
}

bool is_inside_beyond_band(const BrickGrid& bricks, const Vec3& p) {
  const Vec3 u = (p - bricks.origin) / bricks.voxel;
  if (!is_on_table(bricks, u)) return false;
  for (int n = 0; n < 8; ++n) {  // corners of the support
    Index3 brick;
    for (int a = 0; a < 3; ++a) brick[a] = (static_cast<int>(u(a)) + (n & (1 << a) ? 2 : -1)) / kSide;
    const std::int32_t e = bricks.entry(brick);
    if (e < 0) return e == BrickGrid::kInside;
  }
  return false;
}

double cover_points(BrickGrid& coefficients, const std::vector<Vec3>& points) {
  std::vector<Vec3> outside;
  double largest = 0;
  for (const Vec3& p : points) {
    const std::optional<SplineSupport> s = find_support(coefficients, p);
    if (s) {
      const double value = s->value();
      if (value > 0) outside.push_back(p);
      largest = std::max(largest, value);
    } else if (!is_inside_beyond_band(coefficients, p)) {
      largest = std::max(largest, coefficients.half_width);
    }
  }
  for (int round = 0; round < kProjectionRounds; ++round)
    for (const Vec3& p : outside) {
      const SplineSupport s = find_support(coefficients, p).value();
      const double value = s.value();
      if (value > 0) project(coefficients, p, s, value);
    }
  const double rounding = 1e-6 * coefficients.voxel;  // of coefficients in single precision
  std::vector<float> excess(outside.empty() ? 0 : coefficients.values.size(), 0.0f);
  for (const Vec3& p : outside) {
    const double value = find_support(coefficients, p).value().value();
    if (value <= 0) continue;
    for_each_slot(find_place(coefficients, p).value(), [&](int, std::ptrdiff_t slot) {
      excess[slot] = std::max(excess[slot], static_cast<float>(value + rounding));
    });
  }
  for (std::size_t i = 0; i < excess.size(); ++i) coefficients.values[i] -= excess[i];
  return largest;
}

}  // namespace keydrape
