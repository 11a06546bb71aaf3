#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

// What a key of the scene file may hold, apart from its type.

namespace keydrape {

// Finite numbers from low to high.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_excluded = false;

  bool contains(double value) const;  // false for NaN and infinity
  std::string text() const;           // "> 0", ">= 1", "0 to 1"; empty: any finite number
};

constexpr Range at_least(double low) { return {.low = low}; }
// Frames between two things: longer than any shot, and what is computed with them stays an integer.
constexpr Range frames_from(double low) { return {.low = low, .high = 1e6}; }
constexpr Range above(double low) { return {.low = low, .low_excluded = true}; }

// Sizes of numbers, 0 apart, that shots have: any other is read, with a warning, since it is likely meant in
// another unit, or a slip.
struct Usual {
  double low = 0.0;
  double high = std::numeric_limits<double>::infinity();
  std::string_view doubt{};  // what may have been meant

  bool contains(double value) const;
  std::string text() const;  // "0.003 to 20", "at most 100"; empty: all are
};

struct KeyRule {
  std::string_view unit{};                  // empty: none
  Range range{};                            // of a number, and of each number in a list
  Usual usual{};                            // likewise
  bool direction = false;                   // a vector that is not zero
  bool within_shot = false;                 // frames inside the shot's
  std::vector<std::string_view> choices{};  // of a text; empty: any
  bool required = false;
  std::string_view default_text{};  // where the default depends on something else, or absence has a meaning
  std::string_view meaning{};
  std::string_view when{};  // to change it; empty: there is nothing to weigh
};

}  // namespace keydrape
