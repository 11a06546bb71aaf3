#include "core/constraint/hard_pin.h"

#include <algorithm>

#include "core/constraint/active_time.h"

namespace keydrape {

StepConstraints::StepConstraints(const std::vector<HardPin>& pins, double time, int vertex_count) {
  std::vector<bool> held(vertex_count, false);
  std::vector<Row> by_vertex(vertex_count);
  for (const HardPin& pin : pins) {
    if (!is_active(pin.begin_time, pin.end_time, time)) continue;
    for (size_t k = 0; k < pin.vertices.size(); ++k) {
      const int i = pin.vertices[k];
      if (held[i]) continue;
      held[i] = true;
      by_vertex[i] = {i, pin.free, pin.motion.position(static_cast<int>(k), time)};
    }
  }
  for (int i = 0; i < vertex_count; ++i)
    if (held[i]) rows_.push_back(by_vertex[i]);
}

void StepConstraints::add(const std::vector<Row>& rows) {
  const auto middle = rows_.insert(rows_.end(), rows.begin(), rows.end());
  const auto by_vertex = [](const Row& a, const Row& b) { return a.vertex < b.vertex; };
  std::inplace_merge(rows_.begin(), middle, rows_.end(), by_vertex);
}

void StepConstraints::filter(VecX& r) const {
  for (const Row& row : rows_) r.segment<3>(3 * row.vertex) = (row.S * r.segment<3>(3 * row.vertex)).eval();
}

void StepConstraints::filter_out(VecX& r) const {
  VecX held = VecX::Zero(r.size());
  for (const Row& row : rows_)
    held.segment<3>(3 * row.vertex) = r.segment<3>(3 * row.vertex) - row.S * r.segment<3>(3 * row.vertex);
  r = held;
}

void StepConstraints::impose(VecX& y) const {
  for (const Row& row : rows_) {
    auto y_i = y.segment<3>(3 * row.vertex);
    y_i = (row.target + row.S * (y_i - row.target)).eval();
  }
}

}  // namespace keydrape
