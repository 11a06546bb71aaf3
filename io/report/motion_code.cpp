#include "io/report/motion_code.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape {
namespace {

using Plane = std::vector<std::uint16_t>;  // one component of all vertices

std::uint16_t wrapped(std::int32_t value) { return static_cast<std::uint16_t>(value); }
std::int32_t as_signed(std::uint16_t value) { return static_cast<std::int16_t>(value); }

// Towards minus infinity, as `>>` and Math.floor do.
std::int32_t floored_quotient(std::int32_t sum, std::int32_t count) {
  return sum >= 0 ? sum / count : -((-sum + count - 1) / count);
}

// The neighbours' mean of (Q3).
std::int32_t prediction(const Plane& r, const LowerNeighbours& neighbours, int i) {
  const int begin = neighbours.begin[i], end = neighbours.begin[i + 1];
  if (begin == end) return 0;
  std::int32_t sum = 0;
  for (int k = begin; k < end; ++k) sum += as_signed(r[neighbours.neighbours[k]]);
  return floored_quotient(sum, end - begin);
}

std::uint16_t zigzag(std::int32_t s) { return wrapped((s * 2) ^ (s < 0 ? -1 : 0)); }
std::int32_t unzigzag(std::uint16_t z) { return (z >> 1) ^ -(z & 1); }

// Quantised values of the last two frames, for (Q2).
struct History {
  Plane last, before;
  explicit History(int n) : last(n, 0), before(n, 0) {}
  std::int32_t extrapolated(int i) const { return 2 * last[i] - before[i]; }
  void push(Plane q) {
    before = std::move(last);
    last = std::move(q);
  }
};

}  // namespace

LowerNeighbours lower_neighbours(const std::vector<Triangle>& triangles, int vertex_count) {
  std::vector<std::vector<int>> lists(vertex_count);
  for (const Triangle& t : triangles)
    for (int c = 0; c < 3; ++c) {
      const int a = t[c], b = t[(c + 1) % 3];
      lists[std::max(a, b)].push_back(std::min(a, b));
    }
  LowerNeighbours result;
  result.begin.push_back(0);
  for (std::vector<int>& list : lists) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    result.neighbours.insert(result.neighbours.end(), list.begin(), list.end());
    result.begin.push_back(static_cast<int>(result.neighbours.size()));
  }
  return result;
}

Quantisation fit_quantisation(const std::vector<const std::vector<VecX>*>& takes, int bits) {
  assert(1 <= bits && bits <= 16);
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  bool first = true;
  for (const std::vector<VecX>* take : takes)
    for (const VecX& frame : *take)
      for (Eigen::Index i = 0; i + 2 < frame.size(); i += 3) {
        const Vec3 x = frame.segment<3>(i);
        low = first ? x : low.cwiseMin(x);
        high = first ? x : high.cwiseMax(x);
        first = false;
      }
  assert(low.allFinite() && high.allFinite());
  Quantisation quantisation{low, (high - low) / ((1 << bits) - 1), bits};
  for (double& step : quantisation.step)
    if (!(step > 0.0)) step = 1.0;
  return quantisation;
}

Quantisation fit_signed_quantisation(const std::vector<VecX>& frames, int bits) {
  assert(2 <= bits && bits <= 16);
  double largest = 0.0;
  for (const VecX& frame : frames) largest = std::max(largest, frame.lpNorm<Eigen::Infinity>());
  const int half = (1 << (bits - 1)) - 1;
  const double step = largest > 0.0 ? largest / half : 1.0;
  return {Vec3::Constant(-half * step), Vec3::Constant(step), bits};
}

std::string encode_motion(const std::vector<VecX>& frames, const Quantisation& quantisation,
                          const LowerNeighbours& neighbours) {
  const int n = static_cast<int>(neighbours.begin.size()) - 1;
  std::string bytes;
  bytes.reserve(6 * static_cast<std::size_t>(n) * frames.size());
  std::vector<History> history(3, History(n));
  Plane r(n), z(n);
  for (const VecX& frame : frames) {
    assert(frame.size() == 3 * n);
    for (int c = 0; c < 3; ++c) {
      Plane q(n);
      for (int i = 0; i < n; ++i) {
        const double value = std::round((frame[3 * i + c] - quantisation.low[c]) / quantisation.step[c]);
        assert(value >= 0.0 && value < (1 << quantisation.bits));
        q[i] = static_cast<std::uint16_t>(value);
        r[i] = wrapped(q[i] - history[c].extrapolated(i));                                  // (Q2)
        z[i] = zigzag(as_signed(wrapped(as_signed(r[i]) - prediction(r, neighbours, i))));  // (Q3)
      }
      for (int i = 0; i < n; ++i) bytes += static_cast<char>(z[i] & 0xff);
      for (int i = 0; i < n; ++i) bytes += static_cast<char>(z[i] >> 8);
      history[c].push(std::move(q));
    }
  }
  return bytes;
}

std::vector<VecX> decode_motion(std::string_view bytes, int frame_count, const Quantisation& quantisation,
                                const LowerNeighbours& neighbours) {
  const int n = static_cast<int>(neighbours.begin.size()) - 1;
  assert(bytes.size() == 6 * static_cast<std::size_t>(n) * frame_count);
  std::vector<History> history(3, History(n));
  std::vector<VecX> frames(frame_count, VecX(3 * n));
  Plane r(n);
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  std::size_t at = 0;
  for (VecX& frame : frames)
    for (int c = 0; c < 3; ++c, at += 2 * n) {
      Plane q(n);
      for (int i = 0; i < n; ++i) {
        const std::int32_t s = unzigzag(wrapped(byte(at + i) | byte(at + n + i) << 8));
        r[i] = wrapped(s + prediction(r, neighbours, i));                      // (Q3)
        q[i] = wrapped(as_signed(r[i]) + history[c].extrapolated(i));          // (Q2)
        frame[3 * i + c] = quantisation.low[c] + quantisation.step[c] * q[i];  // (Q1)
      }
      history[c].push(std::move(q));
    }
  return frames;
}

}  // namespace keydrape
