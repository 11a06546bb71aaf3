#pragma once

#include <random>
#include <string_view>
#include <vector>

#include "tests/ccd/exact_contact.h"

namespace keydrape::test {

using Rng = std::mt19937_64;

// One kind of difficulty: makes queries whose coordinates are exactly what they are meant to be (small
// multiples of powers of two), so that a touch is a touch. Whether they do touch is for first_contact() to
// say.
struct QueryFamily {
  std::string_view name;
  StencilMotion (*make)(Rng& rng, PairKind kind);
};

// Random motion; touch at an inner time, at 0, at 1; grazing (double root); coplanar; parallel and
// degenerate; sliding along; moving together with a turning face; much faster than large; each also missing
// by 2^-20 to 2^-40.
const std::vector<QueryFamily>& query_families();

// Scales by a power of two (no rounding).
StencilMotion scaled(const StencilMotion& motion, int exponent);

// Moves all by `offset`, rounded.
StencilMotion shifted(const StencilMotion& motion, const Vec3& offset);

}  // namespace keydrape::test
