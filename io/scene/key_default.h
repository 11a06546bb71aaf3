#pragma once

#include <fmt/format.h>

#include <string>
#include <variant>
#include <vector>

#include "io/scene/key_rule.h"
#include "io/scene/keyed.h"
#include "io/scene/scene.h"
#include "io/scene/scene_words.h"

// Default values as they would stand in the scene file. What TOML writes for them JSON writes, too.

namespace keydrape {

inline std::string toml_text(double value) { return fmt::format("{}", value); }
inline std::string toml_text(int value) { return fmt::format("{}", value); }
inline std::string toml_text(bool value) { return fmt::format("{}", value); }
inline std::string toml_text(const std::string& value) { return fmt::format("\"{}\"", value); }
inline std::string toml_text(const Vec2& value) { return fmt::format("[{}, {}]", value.x(), value.y()); }
inline std::string toml_text(const Vec3& value) {
  return fmt::format("[{}, {}, {}]", value.x(), value.y(), value.z());
}
inline std::string toml_text(const scene::Effort& value) {
  return value.automatic ? toml_text(std::string("auto")) : toml_text(value.value);
}
inline std::string toml_text(const scene::Compressed& value) {
  return value.is_buckling ? toml_text(std::string("buckling")) : toml_text(value.factor);
}
inline std::string toml_text(const std::variant<Vec3, scene::FilePath>& value) {
  return toml_text(std::get<Vec3>(value));
}

template <scene::WordEnum Enum>
std::string toml_text(Enum value) {
  for (const auto& [word, meaning] : scene::words(value)) {
    if (meaning == value) return toml_text(std::string(word));
  }
  return "";
}

template <scene::WordEnum Enum>
std::string toml_text(const std::vector<Enum>& values) {
  std::string text;
  for (const Enum value : values) text += (text.empty() ? "" : ", ") + toml_text(value);
  return fmt::format("[{}]", text);
}

template <class Value>
std::string toml_text(const Keyed<Value>& value) {
  return toml_text(value.keys.front().second);
}

// Types without it have no default of their own: the rule says what absence means.
template <class Value>
concept HasTomlText = requires(const Value& value) {
  toml_text(value);
};

// The default that absence of a key stands for; empty where the rule says it in words, or the
// key is required.
template <class Value>
std::string default_value(const Value& value, const KeyRule& rule) {
  if (rule.required || !rule.default_text.empty()) return "";
  if constexpr (HasTomlText<Value>) return toml_text(value);
  return "";
}

}  // namespace keydrape
