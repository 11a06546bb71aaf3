#include "io/scene_reference.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "io/key_text.h"
#include "io/scene_keys.h"
#include "io/table_name.h"

namespace keydrape {
namespace {

// A default as it would stand in the file.
std::string toml_text(double value) { return fmt::format("{}", value); }
std::string toml_text(int value) { return fmt::format("{}", value); }
std::string toml_text(bool value) { return fmt::format("{}", value); }
std::string toml_text(const std::string& value) { return fmt::format("\"{}\"", value); }
std::string toml_text(const Vec2& value) { return fmt::format("[{}, {}]", value.x(), value.y()); }
std::string toml_text(const Vec3& value) {
  return fmt::format("[{}, {}, {}]", value.x(), value.y(), value.z());
}
std::string toml_text(const scene::Effort& value) {
  return value.automatic ? toml_text(std::string("auto")) : toml_text(value.value);
}
std::string toml_text(const std::variant<Vec3, scene::FilePath>& value) {
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

// Values that have no default of their own: their rule says what absence means.
template <class Value>
concept HasDefault = requires(const Value& value) {
  toml_text(value);
};

// Appends a table and the tables inside of it.
template <scene::TableStruct Table>
void append_table(std::vector<TableReference>& tables, const TableName& name, const KeyRule& rule);

struct ReferenceVisitor {
  TableName name;
  std::vector<TableReference>& tables;  // the tables inside
  std::vector<KeyReference> keys{};

  template <class Value>
  void operator()(std::string_view key, const Value& value, const KeyRule& rule) {
    std::string default_text(rule.required ? "required" : rule.default_text);
    if constexpr (HasDefault<Value>) {
      if (default_text.empty()) default_text = toml_text(value);
    }
    keys.push_back({std::string(key), expected_text(value, rule), default_text, std::string(rule.meaning)});
    append_inner(key, value, rule);
  }

 private:
  template <class Value>
  void append_inner(std::string_view, const Value&, const KeyRule&) {}
  template <scene::TableStruct Table>
  void append_inner(std::string_view key, const Table&, const KeyRule& rule) {
    append_table<Table>(tables, {name.child(key), false}, rule);
  }
  template <scene::TableStruct Table>
  void append_inner(std::string_view key, const std::optional<Table>&, const KeyRule& rule) {
    append_table<Table>(tables, {name.child(key), false}, rule);
  }
  template <scene::TableStruct Table>
  void append_inner(std::string_view key, const std::vector<Table>&, const KeyRule& rule) {
    append_table<Table>(tables, {name.child(key), true}, rule);
  }
};

template <scene::TableStruct Table>
void append_table(std::vector<TableReference>& tables, const TableName& name, const KeyRule& rule) {
  Table defaults;
  std::vector<TableReference> inner;
  ReferenceVisitor visitor{name, inner};
  scene::visit_keys(visitor, defaults);
  tables.push_back({name.title(), std::string(rule.meaning), std::move(visitor.keys)});
  tables.insert(tables.end(), inner.begin(), inner.end());
}

}  // namespace

std::vector<TableReference> scene_reference() {
  std::vector<TableReference> tables;
  append_table<Scene>(tables, {"", false}, {});
  tables.erase(tables.begin());  // the file itself, whose keys are the tables that follow
  return tables;
}

}  // namespace keydrape
