#include "io/scene/key_rule.h"

#include <fmt/format.h>

#include <cmath>

namespace keydrape {

bool Range::contains(double value) const {
  return std::isfinite(value) && value <= high && (low_excluded ? value > low : value >= low);
}

std::string Range::text() const {
  const std::string from = std::isinf(low) ? "" : fmt::format("{} {}", low_excluded ? ">" : ">=", low);
  const std::string to = std::isinf(high) ? "" : fmt::format("<= {}", high);
  return from + (from.empty() || to.empty() ? "" : " and ") + to;
}

}  // namespace keydrape
