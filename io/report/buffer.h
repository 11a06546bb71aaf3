#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "io/report/motion_code.h"

namespace keydrape {

// Their indices one after the other; triples of integers.
template <class Container>
std::vector<int> flattened(const Container& triples) {
  std::vector<int> values;
  for (const auto& triple : triples) values.insert(values.end(), triple.begin(), triple.end());
  return values;
}

// The arrays of a report, one after the other, each at a multiple of 4 bytes. Each `add_` returns where
// the array stands, as the page reads it: {"offset", "length"} in bytes and numbers, and for a motion what
// its code needs.
class ReportBuffer {
 public:
  nlohmann::json add_floats(const VecX& values);  // float32
  nlohmann::json add_shorts(const std::vector<std::uint16_t>& values);
  nlohmann::json add_integers(const std::vector<int>& values);  // int32
  nlohmann::json add_motion(const std::vector<VecX>& frames, const Quantisation& quantisation,
                            const LowerNeighbours& neighbours);

  const std::string& bytes() const { return bytes_; }

 private:
  nlohmann::json add(std::string_view bytes, std::size_t count);

  std::string bytes_;
};

}  // namespace keydrape
