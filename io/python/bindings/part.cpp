#include "io/python/bindings/part.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/error.h"

namespace keydrape::python {

py::object Part::field(const char* key) const {
  if (!py::hasattr(object_, key))
    throw InputError(fmt::format("{}: found {}, which has no {}; expected a part as keydrape names them",
                                 name_, kind(), key));
  return object_.attr(key);
}

void Part::refuse(const char* key, const std::string& expected) const {
  throw InputError(fmt::format("{}: found {}; expected {}", name_of(key),
                               py::cast<std::string>(py::repr(field(key))), expected));
}

void Part::refuse_without_effect(const char* key, std::string_view condition) const {
  constexpr std::size_t kReadable = 80;  // characters: of a longer value its type says enough
  const py::object value = field(key);
  std::string found = py::cast<std::string>(py::repr(value));
  if (found.size() > kReadable) found = py::cast<std::string>(py::type::of(value).attr("__name__"));
  throw InputError(
      fmt::format("{}: found {}, which has no effect; expected it only {}", name_of(key), found, condition));
}

double Part::number(const char* key, Range range) const {
  const std::string_view expected = range == Range::kPositive      ? "a number from 1e-30 to 1e30"
                                    : range == Range::kNotNegative ? "0, or a number from 1e-30 to 1e30"
                                                                   : "a number from -1e30 to 1e30";
  if (truth_value(field(key))) refuse(key, std::string(expected));  // Python counts True as 1
  double value = 0.0;
  try {
    value = py::cast<double>(field(key));
  } catch (const py::cast_error&) {
    refuse(key, std::string(expected));
  }
  const bool is_zero_allowed = range == Range::kNotNegative && value == 0.0;
  const bool is_small = range != Range::kAny && !is_zero_allowed && value < kSmallestPositive;
  if (!(std::abs(value) <= kLargest) || is_small) refuse(key, std::string(expected));
  return value;
}

int Part::whole(const char* key, int least) const {
  constexpr int kMost = 1'000'000;
  try {
    const int value = py::cast<int>(field(key));
    if (value >= least && value <= kMost && !truth_value(field(key))) return value;
  } catch (const py::cast_error&) {  // refused below, as a number out of range is
  }
  refuse(key, fmt::format("a whole number from {} to {}", least, kMost));
}

bool Part::flag(const char* key) const {
  const std::optional<bool> value = truth_value(field(key));
  if (!value) refuse(key, "True or False");
  return *value;
}

std::string Part::word(const char* key) const {
  if (!py::isinstance<py::str>(field(key))) refuse(key, "a text");
  return py::cast<std::string>(field(key));
}

std::optional<double> Part::optional_number(const char* key, Range range) const {
  return has(key) ? std::optional(number(key, range)) : std::nullopt;
}

std::optional<int> Part::optional_whole(const char* key, int least) const {
  return has(key) ? std::optional(whole(key, least)) : std::nullopt;
}

}  // namespace keydrape::python
