#include "core/contact/barrier.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace keydrape {

namespace {

double scale(const Barrier& barrier) {
  return barrier.activation * (2 * barrier.thickness + barrier.activation);
}

double gap(const Barrier& barrier, double D) {
  return (D - barrier.thickness * barrier.thickness) / scale(barrier);
}

}  // namespace

double Barrier::value(double D) const {
  const double z = gap(*this, D);
  if (z >= 1) return 0;
  if (!(z > 0)) return std::numeric_limits<double>::infinity();
  return -(z - 1) * (z - 1) * std::log(z);
}

double Barrier::derivative(double D) const {
  const double z = gap(*this, D);
  assert(z > 0);
  if (z >= 1) return 0;
  return (1 - z) * (2 * std::log(z) + 1 - 1 / z) / scale(*this);
}

double Barrier::second_derivative(double D) const {
  const double z = gap(*this, D);
  assert(z > 0);
  if (z >= 1) return 0;
  return (-2 * std::log(z) + (1 - z) * (3 * z + 1) / (z * z)) / (scale(*this) * scale(*this));
}

}  // namespace keydrape
