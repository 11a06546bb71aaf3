#include "examples/generator/shape_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace keydrape::examples {

ShapeCheck check_shape(const SculptedShape& sculpted) {
  const auto& [sheet, rest, pinned, shape] = sculpted;
  assert(rest.size() == shape.size() && pinned.size() <= shape.size());
  ShapeCheck check{0, 0, std::numeric_limits<double>::infinity(), 0};
  for (const SheetEdge& edge : edges(sheet, rest)) {
    const auto [i, j] = edge.vertices;
    double& largest = edge.diagonal ? check.diagonal_strain : check.thread_strain;
    largest = std::max(largest, std::abs((shape[j] - shape[i]).norm() / edge.length - 1));
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if ((rest[j] - rest[i]).norm() < kFarApart) continue;
      check.closest_approach = std::min(check.closest_approach, (shape[j] - shape[i]).norm());
    }
  }
  for (size_t i = 0; i < pinned.size(); ++i) {
    check.pin_error = std::max(check.pin_error, (shape[i] - pinned[i]).norm());
  }
  return check;
}

std::string describe(const ShapeCheck& check) {
  return fmt::format("thread strain {:.2f} %, diagonal strain {:.2f} %, closest approach {:.3f} m",
                     100 * check.thread_strain, 100 * check.diagonal_strain, check.closest_approach);
}

}  // namespace keydrape::examples
