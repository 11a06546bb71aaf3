#pragma once

#include <Eigen/Geometry>
#include <cmath>

#include "core/base/types.h"
#include "tests/support/noise.h"

// Random pairs of features and the order of a Taylor remainder, for the tests of contact.

namespace keydrape::test {

inline Stencil<4> random_stencil(Rng& rng, double size) { return noise<4>(rng, size); }

// Sine of the angle between the edges 01 and 23.
inline double edge_sine(const Stencil<4>& x) {
  return (x.col(1) - x.col(0)).normalized().cross((x.col(3) - x.col(2)).normalized()).norm();
}

// Two edges of about unit length at a distance of about 0.02, at an angle of about `sine`.
inline Stencil<4> nearly_parallel_edges(Rng& rng, double sine) {
  Stencil<4> x{{-0.5, 0.5, -0.4, 0.6}, {0, 0, -0.5 * sine, 0.5 * sine}, {0, 0, 0.02, 0.02}};
  x += 1e-3 * random_stencil(rng, 1.0);
  return Eigen::AngleAxisd(uniform(rng, 0, 3), Vec3(1, 2, -1).normalized()).toRotationMatrix() * x;
}

// How |f(x + e d) - f(x) - e f'(x) d| falls when e is halved five times from `first`: 2 for the true
// derivative. f: scalar with a Stencil<4> as derivative, or Stencil<4> with a StencilHessian<4>.
template <class F, class Derivative>
double taylor_order(const F& f, const Derivative& derivative, const Stencil<4>& x, const Stencil<4>& d,
                    double first) {
  const auto remainder = [&](double e) {
    if constexpr (std::is_same_v<Derivative, StencilHessian<4>>) {
      const Stencil<4> change = f(x + e * d) - f(x);
      return (change.reshaped() - e * derivative * d.reshaped()).norm();
    } else {
      return std::abs(f(x + e * d) - f(x) - e * derivative.cwiseProduct(d).sum());
    }
  };
  const double at_first = remainder(first), at_last = remainder(first / 32);
  // Of a quadratic function the remainder of the gradient is rounding: any order is right.
  if (at_first < 1e-13) return 2;
  return std::log2(at_first / at_last) / 5;
}

}  // namespace keydrape::test
