#include "io/scene/written_keys.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

namespace keydrape {
namespace {

// As one writes it: the library's own text of 1e-9 has seventeen digits.
std::string toml_of(const toml::node& node) {
  if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
  if (const auto text = node.value_exact<std::string>()) return fmt::format("\"{}\"", *text);
  std::ostringstream text;
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& each : *list) text << (text.tellp() == 0 ? "[" : ", ") << toml_of(each);
    return list->empty() ? "[]" : text.str() + "]";
  }
  node.visit([&](const auto& value) { text << value; });
  return text.str();
}

void collect(const toml::node& node, const std::string& name, std::vector<SceneSetting>& keys) {
  const auto below = [&](const auto& part) {
    return name.empty() ? std::string(part) : fmt::format("{}.{}", name, part);
  };
  const toml::array* list = node.as_array();
  const bool holds_tables = list && !list->empty() && list->is_homogeneous(toml::node_type::table);
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, child] : *table) collect(child, below(key.str()), keys);
  } else if (holds_tables) {
    for (std::size_t k = 0; k < list->size(); ++k) collect((*list)[k], below(std::to_string(k)), keys);
  } else {
    keys.push_back({name, toml_of(node)});
  }
}

}  // namespace

std::vector<SceneSetting> written_keys(const std::string& text) {
  std::vector<SceneSetting> keys;
  try {
    collect(toml::parse(std::string_view(text)), "", keys);
  } catch (const toml::parse_error&) {
    return {};
  }
  return keys;
}

}  // namespace keydrape
