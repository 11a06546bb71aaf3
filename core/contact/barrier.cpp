#include "core/contact/barrier.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace keydrape {

namespace {

double scale(const Barrier& barrier) {
  return barrier.activation * (2 * barrier.thickness + barrier.activation);
}

// How deep in the range cloth is squeezed by more than weight, and how much harder it gets from there on.
constexpr double kDeep = 0.3, kHarder = 100.0;

// -(z - 1)^2 ln z and its derivatives, for z < 1.
double bump(double z) { return -(z - 1) * (z - 1) * std::log(z); }
double bump_slope(double z) { return (1 - z) * (2 * std::log(z) + 1 - 1 / z); }
double bump_curvature(double z) { return -2 * std::log(z) + (1 - z) * (3 * z + 1) / (z * z); }

double gap(const Barrier& barrier, double D) {
  return (D - barrier.thickness * barrier.thickness) / scale(barrier);
}

}  // namespace

double Barrier::value(double D) const {
  const double z = gap(*this, D);
  if (z >= 1) return 0;
  if (!(z > 0)) return std::numeric_limits<double>::infinity();
  return z < kDeep ? bump(z) + kHarder * bump(z / kDeep) : bump(z);
}

double Barrier::derivative(double D) const {
  const double z = gap(*this, D);
  assert(z > 0);
  if (z >= 1) return 0;
  const double hard = z < kDeep ? kHarder / kDeep * bump_slope(z / kDeep) : 0.0;
  return (bump_slope(z) + hard) / scale(*this);
}

double Barrier::second_derivative(double D) const {
  const double z = gap(*this, D);
  assert(z > 0);
  if (z >= 1) return 0;
  const double hard = z < kDeep ? kHarder / (kDeep * kDeep) * bump_curvature(z / kDeep) : 0.0;
  return (bump_curvature(z) + hard) / (scale(*this) * scale(*this));
}

}  // namespace keydrape
