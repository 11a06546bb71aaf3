#include "core/contact/points/colliding_cloth.h"

#include <algorithm>
#include <utility>

#include "core/constraint/active_time.h"

namespace keydrape {

ContactLaw::Numbers ContactLaw::at(double phi, double area) const {
  const double k = stiffness * area;
  if (is_penalty) {
    const double inside = (barrier.thickness - phi) / barrier.activation;
    return {0.5 * k * inside * inside, -k * inside / barrier.activation,
            k / (barrier.activation * barrier.activation)};
  }
  const double D = phi * phi, b1 = barrier.derivative(D), b2 = barrier.second_derivative(D);
  return {k * barrier.value(D), 2 * k * phi * b1, k * (4 * D * b2 + 2 * b1)};
}

std::vector<char> held_vertices(const std::vector<HeldVertex>& held, double time) {
  std::vector<char> is_known, is_held;
  for (const HeldVertex& h : held) {
    if (!is_active(h.begin_time, h.end_time, time)) continue;
    if (is_known.size() <= static_cast<size_t>(h.vertex)) {
      is_known.resize(h.vertex + 1, 0);
      is_held.resize(h.vertex + 1, 0);
    }
    if (std::exchange(is_known[h.vertex], 1) == 0) is_held[h.vertex] = h.slides ? 0 : 1;
  }
  return is_held;
}

bool CollidingCloth::is_free(const SamplePoint& point, const std::vector<char>& held) {
  return std::none_of(point.vertices.begin(), point.vertices.begin() + point.count,
                      [&](int v) { return static_cast<size_t>(v) < held.size() && held[v]; });
}

void CollidingCloth::append_couplings(std::vector<Edge>& pairs) const {
  for (const SamplePoint& p : points)
    for (int a = 0; a < p.count; ++a)
      for (int b = a + 1; b < p.count; ++b) pairs.push_back({p.vertices[a], p.vertices[b]});
}

PointSlots::PointSlots(const std::vector<SamplePoint>& points, const BlockPattern& pattern)
    : slots_(points.size()) {
  for (size_t i = 0; i < points.size(); ++i)
    for (int a = 0; a < points[i].count; ++a)
      for (int b = 0; b < points[i].count; ++b)
        slots_[i][3 * a + b] = pattern.slot(points[i].vertices[a], points[i].vertices[b]);
}

void PointSlots::add(int point, const SamplePoint& p, const Mat3& K, BlockMatrix& matrix) const {
  for (int a = 0; a < p.count; ++a)
    for (int b = 0; b < p.count; ++b)
      matrix.block(slots_[point][3 * a + b]) += p.weights(a) * p.weights(b) * K;
}

void PointSlots::add_upper(int point, const SamplePoint& p, const Mat3& K, BlockMatrix& matrix) const {
  for (int a = 0; a < p.count; ++a)
    for (int b = 0; b < p.count; ++b)
      if (p.vertices[a] <= p.vertices[b])
        matrix.block(slots_[point][3 * a + b]) += p.weights(a) * p.weights(b) * K;
}

}  // namespace keydrape
