#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>

#include "core/base/machine_vectors.h"

// A function that computes with Lanes, with all that it calls compiled into it.
#if defined(__GNUC__)
#define KEYDRAPE_LANES_KERNEL KEYDRAPE_FOR_EACH_PROCESSOR __attribute__((flatten))
#else
#define KEYDRAPE_LANES_KERNEL
#endif

namespace keydrape {

// Eight numbers that are computed with side by side, by vector instructions: a scalar for Eigen, so that a
// formula which is a template of its scalar serves one element and eight of them alike. A lane's result does
// not depend on what stands in the others.
struct Lanes {
  static constexpr int kCount = 8;
  using Vector = double __attribute__((vector_size(8 * kCount)));

  Lanes() = default;
  Lanes(double all) {  // NOLINT: numbers stand in formulas
    for (int l = 0; l < kCount; ++l) v[l] = all;
  }
  explicit Lanes(const Vector& lanes) : v(lanes) {}

  double operator[](int lane) const { return v[lane]; }
  void set(int lane, double value) { v[lane] = value; }

  friend Lanes operator+(const Lanes& a, const Lanes& b) { return Lanes(a.v + b.v); }
  friend Lanes operator-(const Lanes& a, const Lanes& b) { return Lanes(a.v - b.v); }
  friend Lanes operator*(const Lanes& a, const Lanes& b) { return Lanes(a.v * b.v); }
  friend Lanes operator/(const Lanes& a, const Lanes& b) { return Lanes(a.v / b.v); }
  friend Lanes operator-(const Lanes& a) { return Lanes(-a.v); }
  Lanes& operator+=(const Lanes& b) { return *this = *this + b; }
  Lanes& operator-=(const Lanes& b) { return *this = *this - b; }
  Lanes& operator*=(const Lanes& b) { return *this = *this * b; }
  Lanes& operator/=(const Lanes& b) { return *this = *this / b; }

  friend Lanes sqrt(const Lanes& a) {
    return a.by_lane([](double x) { return std::sqrt(x); });
  }

  // f of each lane.
  template <class F>
  Lanes by_lane(const F& f) const {
    Lanes r;
    for (int l = 0; l < kCount; ++l) r.v[l] = f(v[l]);
    return r;
  }
  // f(0), f(1) ..
  template <class F>
  static Lanes each(const F& f) {
    Lanes r;
    for (int l = 0; l < kCount; ++l) r.v[l] = f(l);
    return r;
  }

  Vector v;
};

// A set of lanes, one bit for each.
using LaneMask = unsigned;

}  // namespace keydrape

namespace Eigen {

template <>
struct NumTraits<keydrape::Lanes> : GenericNumTraits<double> {
  using Real = keydrape::Lanes;
  using NonInteger = keydrape::Lanes;
  using Nested = keydrape::Lanes;
  using Literal = double;
  enum { RequireInitialization = 0, ReadCost = 1, AddCost = 1, MulCost = 1 };
};

// As large as the vectors themselves ask for.
template <int kSize>
struct internal::compute_default_alignment<keydrape::Lanes, kSize> {
  enum { value = alignof(keydrape::Lanes) };
};

}  // namespace Eigen
