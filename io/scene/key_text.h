#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "io/scene/key_rule.h"
#include "io/scene/scene.h"
#include "io/scene/scene_keys.h"

// The type of a key in the words of the reference page and of error messages.

namespace keydrape {

// `"a" | "b" | "c"`
std::string alternatives(const std::vector<std::string_view>& words);

template <scene::WordEnum Enum>
std::vector<std::string_view> words_of() {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : scene::words(Enum{})) names.push_back(name);
  return names;
}

// Overloaded on what the key is read into; the argument's value does not matter.
inline std::string type_text(double) { return "number"; }
inline std::string type_text(int) { return "integer"; }
inline std::string type_text(bool) { return "true or false"; }
inline std::string type_text(const std::string&) { return "text"; }
inline std::string type_text(const Vec2&) { return "[warp, weft] or one number for both"; }
inline std::string type_text(const Vec3&) { return "[x, y, z]"; }
inline std::string type_text(const FrameRange&) { return "\"first-last\" with first < last"; }
inline std::string type_text(const scene::FilePath&) {
  return "name of an existing file relative to the scene file";
}
inline std::string type_text(const std::filesystem::path&) {
  return "name of a folder relative to the scene file";
}
inline std::string type_text(const std::vector<int>&) { return "list of different vertex numbers"; }
inline std::string type_text(const std::vector<Edge>&) { return "list of [vertex number, another one]"; }
inline std::string type_text(const std::vector<scene::Landmark>&) {
  return "list of [vertex number, x, y, z]";
}
inline std::string type_text(const scene::Group&) { return "name of a vertex group of the rest mesh"; }
inline std::string type_text(const scene::Initial&) {
  return type_text(scene::FilePath{}) + ", or \"drape\"";
}
inline std::string type_text(const scene::Effort&) { return "number or \"auto\""; }
inline std::string type_text(const scene::Compressed&) { return "number or \"buckling\""; }
inline std::string type_text(const scene::Material&) { return "name of a preset, or table"; }

template <scene::TableStruct Table>
std::string type_text(const Table&) {
  return "table";
}
template <scene::TableStruct Table>
std::string type_text(const std::vector<Table>&) {
  return "array of tables";
}

template <scene::WordEnum Enum>
std::string type_text(Enum) {
  return alternatives(words_of<Enum>());
}
template <scene::WordEnum Enum>
std::string type_text(const std::vector<Enum>&) {
  return "list of " + alternatives(words_of<Enum>());
}
template <class Value>
std::string type_text(const Sourced<Value>&) {
  return type_text(Value{});
}
template <class Value>
std::string type_text(const std::optional<Value>&) {
  return type_text(Value{});
}
template <class First, class Second>
std::string type_text(const std::variant<First, Second>&) {
  return type_text(First{}) + ", or " + type_text(Second{});
}
template <class Value>
std::string type_text(const Keyed<Value>& keyed) {
  return fmt::format("{0}, or [[frame, {0}], ...] with ascending frames",
                     type_text(keyed.keys.front().second));
}

// With the words that the rule allows: "\"cotton\" | \"silk\"".
template <class Value>
std::string type_text(const Value& value, const KeyRule& rule) {
  return rule.choices.empty() ? type_text(value) : alternatives(rule.choices);
}

// "> 0", "not zero", "inside the shot's frames"; empty: any.
std::string range_text(const KeyRule& rule);

// Type, range and unit in one: "number, > 0, in N/m".
template <class Value>
std::string expected_text(const Value& value, const KeyRule& rule) {
  std::string text = type_text(value, rule);
  if (const std::string range = range_text(rule); !range.empty()) text += ", " + range;
  if (!rule.unit.empty()) text += fmt::format(", in {}", rule.unit);
  return text;
}

}  // namespace keydrape
