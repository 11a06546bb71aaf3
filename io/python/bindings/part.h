#pragma once

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "io/python/bindings/arrays.h"

namespace keydrape::python {

// A part of a task as Python has it: an object with fields (keydrape/parts.py), and its name in messages.
class Part {
 public:
  Part(py::object object, std::string name) : object_(std::move(object)), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  py::object field(const char* key) const;  // throws InputError: there is none, so that it is no such part
  bool has(const char* key) const { return !field(key).is_none(); }
  std::string name_of(const char* key) const { return name_ + "." + key; }
  std::string kind() const { return py::cast<std::string>(py::type::of(object_).attr("__name__")); }

  enum class Range { kAny, kNotNegative, kPositive };
  double number(const char* key, Range range = Range::kAny) const;
  int whole(const char* key, int least) const;
  bool flag(const char* key) const;
  std::string word(const char* key) const;
  Vec3 vector(const char* key) const { return three(field(key), name_of(key)); }
  // Empty where the field is None.
  std::optional<double> optional_number(const char* key, Range range) const;
  std::optional<int> optional_whole(const char* key, int least) const;
  // Throws InputError: the field was given, and has an effect only so: "with kind = \"pin\"".
  [[noreturn]] void refuse_without_effect(const char* key, std::string_view condition) const;
  // Throws InputError: the field holds something else than is expected.
  [[noreturn]] void refuse(const char* key, const std::string& expected) const;

 private:
  py::object object_;
  std::string name_;
};

// The value of a field that is one of these words.
template <class Value>
Value one_of(const Part& part, const char* key, const std::map<std::string, Value>& choices) {
  const std::string word = part.word(key);
  if (const auto found = choices.find(word); found != choices.end()) return found->second;
  std::string names;
  for (const auto& [name, value] : choices) names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", name);
  throw InputError(fmt::format("{}: found \"{}\"; expected one of {}", part.name_of(key), word, names));
}

}  // namespace keydrape::python
