#include "io/scene/key_rule.h"

#include <fmt/format.h>

#include <cmath>

#include "io/file/short_number.h"

namespace keydrape {

bool Range::contains(double value) const {
  return std::isfinite(value) && value <= high && (low_excluded ? value > low : value >= low);
}

std::string Range::text() const {
  const std::string from = std::isinf(low) ? "" : fmt::format("{} {}", low_excluded ? ">" : ">=", low);
  const std::string to = std::isinf(high) ? "" : fmt::format("<= {}", high);
  return from + (from.empty() || to.empty() ? "" : " and ") + to;
}

bool Usual::contains(double value) const {
  const double size = std::abs(value);
  return size == 0.0 || (size >= low && size <= high);
}

std::string Usual::text() const {
  if (std::isinf(high)) return low == 0.0 ? "" : short_number(low) + " or more";
  return low == 0.0 ? "at most " + short_number(high)
                    : fmt::format("{} to {}", short_number(low), short_number(high));
}

}  // namespace keydrape
