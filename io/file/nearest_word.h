#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keydrape {

// With a to z for A to Z, all else as it is.
std::string lower_case(std::string_view text);

// Fewest characters to insert, delete, replace or swap with their neighbour to make one word of the other
// (Damerau-Levenshtein, no character touched twice).
int edit_distance(std::string_view a, std::string_view b);

// The candidate that `word` was probably meant to be: the nearest one (the first of several), none if more
// than a quarter of the word plus one character would have to change.
std::optional<std::string_view> nearest_word(std::string_view word,
                                             std::span<const std::string_view> candidates);

// Up to `count` candidates that hold `word` (from three characters on) or that it was probably meant to be:
// first those that begin with it, then by distance, then by the alphabet.
std::vector<std::string> nearest_words(std::string_view word, std::span<const std::string> candidates,
                                       std::size_t count);

}  // namespace keydrape
