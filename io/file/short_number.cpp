#include "io/file/short_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace keydrape {
namespace {

constexpr double kSmallestPlain = 1e-6, kLargestPlain = 1e9;  // without an exponent

// A comma before every three digits, of an integral part of five digits or more.
void group_thousands(std::string& text) {
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  const std::size_t end = std::min(text.find('.'), text.size());
  if (end - begin < 5) return;
  for (std::size_t at = end; at > begin + 3;) text.insert(at -= 3, 1, ',');
}

}  // namespace

std::string short_number(double value, int digits) {
  const double size = std::abs(value);
  if (size == 0.0) return "0";
  if (!std::isfinite(value) || size < kSmallestPlain || size >= kLargestPlain)
    return fmt::format("{:.{}g}", value, digits);
  // Rounded once, so that 999.7 is counted as 1000.
  const double exponent = std::floor(std::log10(size));
  const double unit = std::pow(10.0, exponent + 1 - digits);
  const double rounded = exponent + 1 > digits ? std::round(value / unit) * unit : value;
  const int decimals = std::max(0, digits - 1 - static_cast<int>(exponent));
  std::string text = fmt::format("{:.{}f}", rounded, decimals);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  group_thousands(text);
  return text;
}

std::string length_text(double metres) {
  const double size = std::abs(metres);
  if (size == 0.0 || size >= 1.0) return short_number(metres) + " m";
  return size < 0.1 ? short_number(1e3 * metres) + " mm" : short_number(1e2 * metres) + " cm";
}

}  // namespace keydrape
