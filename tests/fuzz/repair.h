#pragma once

#include <cstddef>
#include <cstdint>

// Target::repair of each binary format: counts are small, and what they promise is there to the byte.

namespace keydrape::fuzz {

std::size_t repair_pc2(std::uint8_t* bytes, std::size_t size, std::size_t capacity);
std::size_t repair_mdd(std::uint8_t* bytes, std::size_t size, std::size_t capacity);
std::size_t repair_npy(std::uint8_t* bytes, std::size_t size, std::size_t capacity);
std::size_t repair_glb(std::uint8_t* bytes, std::size_t size, std::size_t capacity);
// Of the parts that are such files.
std::size_t repair_parts(std::uint8_t* bytes, std::size_t size, std::size_t capacity);

}  // namespace keydrape::fuzz
