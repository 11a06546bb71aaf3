#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace keydrape::fuzz {

using Random = std::mt19937_64;

// JSON with one value changed: into a number at the edge of what a type holds, another type, nothing, an
// element more or less. Text that is no JSON stays as it is.
std::string with_other_value(std::string_view json, Random& random);
// The same in one of the parts (parts.h) that are JSON.
std::string with_other_part(std::string_view parts, Random& random);

// Bytes with a few changed, gone, twice or moved, and numbers in text made larger than anybody meant. For
// where no libFuzzer is.
std::string with_noise(std::string bytes, Random& random);

}  // namespace keydrape::fuzz
