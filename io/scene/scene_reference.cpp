#include "io/scene/scene_reference.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "io/file/nearest_word.h"
#include "io/scene/key_default.h"
#include "io/scene/key_text.h"
#include "io/scene/scene_keys.h"
#include "io/scene/table_name.h"

namespace keydrape {
namespace {

// Appends a table and the tables inside of it.
template <scene::TableStruct Table>
void append_table(std::vector<TableReference>& tables, const TableName& name, const KeyRule& rule);

struct ReferenceVisitor {
  TableName name;
  std::vector<TableReference>& tables;  // the tables inside
  std::vector<KeyReference> keys{};

  template <class Value>
  void operator()(std::string_view key, const Value& value, const KeyRule& rule) {
    const std::string written = default_value(value, rule);
    std::string default_text(rule.required ? "required" : rule.default_text);
    if (default_text.empty()) default_text = written;
    keys.push_back({std::string(key), type_text(value, rule), std::string(rule.unit), range_text(rule),
                    rule.usual.text(), expected_text(value, rule), written, default_text,
                    std::string(rule.meaning), std::string(rule.when)});
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
  tables.push_back({name.path, name.title(), std::string(rule.meaning), std::move(visitor.keys)});
  tables.insert(tables.end(), inner.begin(), inner.end());
}

// "[[pin]] motion", "pin.motion" and "pin.0.motion", as settings name one of several, alike: "pin.motion".
std::string dotted(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '[' || c == ']') continue;
    text += c == ' ' ? '.' : c;
    // A number between dots, at its second dot.
    const std::size_t last = text.find_last_not_of("0123456789", text.size() - 2);
    if (text.back() == '.' && last != std::string::npos && text[last] == '.' && last + 2 < text.size())
      text.resize(last + 1);
  }
  return text;
}

}  // namespace

std::vector<TableReference> scene_reference() {
  std::vector<TableReference> tables;
  append_table<Scene>(tables, {"", false}, {});
  tables.erase(tables.begin());  // the file itself, whose keys are the tables that follow
  return tables;
}

std::vector<ReferenceMatch> find_in_reference(const std::vector<TableReference>& reference,
                                              std::string_view name) {
  const std::string wanted = dotted(name);
  std::vector<ReferenceMatch> matches;
  for (const TableReference& table : reference) {
    if (table.path == wanted) matches.push_back({&table, nullptr});
  }
  for (const TableReference& table : reference) {
    for (const KeyReference& key : table.keys) {
      if (key.name == wanted || table.path + "." + key.name == wanted) matches.push_back({&table, &key});
    }
  }
  return matches;
}

std::vector<std::string> nearest_in_reference(const std::vector<TableReference>& reference,
                                              std::string_view name, std::size_t count) {
  const std::string wanted = dotted(name);
  std::vector<std::string> names;
  for (const TableReference& table : reference) {
    names.push_back(table.path);
    for (const KeyReference& key : table.keys) {
      names.push_back(key.name);
      if (wanted.find('.') != std::string::npos) names.push_back(table.path + "." + key.name);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return nearest_words(wanted, names, count);
}

}  // namespace keydrape
