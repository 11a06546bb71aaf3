#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// One reader of the program each, under bytes that anybody may hand to it. libFuzzer makes the bytes up
// (fuzz_main.cpp; preset fuzz, tests/fuzz/run); the ordinary build repeats those that are kept below corpus,
// and changes them a little (replay_main.cpp).

namespace keydrape::fuzz {

struct Target {
  std::string_view name;  // of its corpus and of its dictionary
  // Reads the bytes. Returns whether they are good or are refused as they should be; all else ends the
  // program: an assertion, a signal, an exception that is no refusal, a refusal that helps nobody.
  void (*run)(std::string_view bytes);
  // Makes counts and sizes in the first `size` bytes fit the rest, for formats where few bytes at random do;
  // returns the new size. Null: text, in which every byte counts by itself.
  std::size_t (*repair)(std::uint8_t* bytes, std::size_t size, std::size_t capacity) = nullptr;
};

std::span<const Target> targets();
const Target* find_target(std::string_view name);  // null: there is none

}  // namespace keydrape::fuzz
