#include "control/shooting/difference_quotients.h"

#include <algorithm>
#include <cmath>

namespace keydrape {

void DifferenceQuotients::add(double ahead, double behind) {
  const double e = std::ldexp(1.0, -count_);
  const double difference = (ahead - behind) / (2.0 * e);
  const double quotient = count_ == 0 ? difference : (4.0 * difference - difference_) / 3.0;
  const double error = std::abs(quotient - slope_) / std::abs(slope_);
  least_error_ = std::min(least_error_, error);
  if (count_ > 0) {
    const double change = std::abs(quotient - quotient_);
    const double resolution = (std::max(change, change_) + 2.0 * rounding_ / e) / std::abs(slope_);
    change_ = change;
    if (resolution < resolution_) {
      resolution_ = resolution;
      error_ = error;
    }
  }
  difference_ = difference;
  quotient_ = quotient;
  ++count_;
}

}  // namespace keydrape
