#pragma once

#include <random>
#include <string_view>
#include <vector>

#include "tests/oracles/ccd/exact_contact.h"

namespace keydrape::test {

using Rng = std::mt19937_64;

// One kind of difficulty: makes queries whose coordinates are exactly what they are meant to be (small
// multiples of powers of two), so that a touch is a touch. Whether they do touch is for
// first_contact() to say.
struct QueryFamily {
  std::string_view name;
  StencilMotion (*make)(Rng& rng, PairKind kind);
};

// Random motion; touch at an inner time, at 0, at 1; grazing (double root); coplanar; parallel and
// degenerate; sliding along; moving together with a turning face; much faster than large; each also missing
// by 2^-20 to 2^-40.
const std::vector<QueryFamily>& query_families();

// Where and how large.
enum class Setting {
  kUnit,     // about 1 in size, around 0
  kScaled,   // times 2^-40 to 2^20, about 1e-12 to 1e6: no rounding
  kShifted,  // times 2^-10 to 2^20, then moved by up to 1e6 along every axis and rounded to doubles
};
inline constexpr Setting kSettings[] = {Setting::kUnit, Setting::kScaled, Setting::kShifted};

StencilMotion placed(Rng& rng, const StencilMotion& motion, Setting setting);

}  // namespace keydrape::test
