#pragma once

#include <random>

#include "core/base/types.h"

// Random numbers for tests, the same in every run: each test seeds its own.

namespace keydrape::test {

using Rng = std::mt19937_64;

inline double uniform(Rng& rng, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(rng);
}

// Components in [-scale, scale].
template <int N>
Stencil<N> noise(Rng& rng, double scale) {
  return Stencil<N>::NullaryExpr([&] { return uniform(rng, -scale, scale); });
}

// The same of as many vertices as there are known at run time (3n).
inline VecX noise(Rng& rng, int vertices, double scale) {
  return VecX::NullaryExpr(3 * vertices, [&] { return uniform(rng, -scale, scale); });
}

}  // namespace keydrape::test
