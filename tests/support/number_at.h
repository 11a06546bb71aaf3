#pragma once

#include <cassert>
#include <cstddef>
#include <cstring>
#include <string>

namespace keydrape {

// The number that stands in bytes from `at` on, in the machine's order.
template <typename Number>
Number number_at(const std::string& bytes, std::size_t at) {
  assert(at + sizeof(Number) <= bytes.size());
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

}  // namespace keydrape
