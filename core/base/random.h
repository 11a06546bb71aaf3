#pragma once

#include <random>

namespace keydrape {

// Uniform in [-1, 1), from the generator's bits: the same on every machine, which the distributions of the
// standard library do not promise.
inline double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-52 - 1.0; }

}  // namespace keydrape
