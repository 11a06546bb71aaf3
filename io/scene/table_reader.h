#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/scene/scene_value.h"
#include "io/scene/table_name.h"

// One TOML table into one struct of Scene, by the list of its keys (scene_keys.h). Inside of io/ only.

namespace keydrape {

// The part of TableReader that does not depend on the struct.
class TableSource {
 public:
  // Both outlive this.
  TableSource(SceneContext& file, const toml::table& table, TableName name)
      : file_(file), table_(table), name_(std::move(name)) {}

  SceneContext& file() const { return file_; }
  const toml::node* find(std::string_view key) const { return table_.get(key); }
  // A table inside of this one, if it is there and is one.
  std::optional<TableSource> child(std::string_view key) const;
  SourcePosition position() const { return file_.position(table_.source()); }

  // Each throws InputError if the table does not comply.
  void refuse_unknown_keys(const std::vector<std::string_view>& known) const;
  void require_at_most_one_of(std::initializer_list<std::string_view> keys) const;
  std::string_view require_exactly_one_of(std::initializer_list<std::string_view> keys) const;  // which one
  // `key` has no effect unless `condition`, which says in words what it takes.
  void refuse_without_effect(std::string_view key, bool has_effect, std::string_view condition) const;
  [[noreturn]] void refuse_missing(std::string_view key, const std::string& expected) const;
  [[noreturn]] void refuse_key(std::string_view key, std::string found, std::string expected) const;

 protected:
  SceneContext& file_;
  const toml::table& table_;
  TableName name_;
};

// What no single key can tell: combinations of keys, defaults that depend on others. Called after the table's
// keys have been read; throws InputError.
template <class Table>
void finish(const TableSource&, Table&) {}
void finish(const TableSource& source, Scene& scene);
void finish(const TableSource& source, scene::Shot& shot);
void finish(const TableSource& source, scene::TesterTable& sheet);
void finish(const TableSource& source, scene::Material& material);
void finish(const TableSource& source, scene::Cloth& cloth);
void finish(const TableSource& source, scene::Pin& pin);
void finish(const TableSource& source, scene::Spring& spring);
void finish(const TableSource& source, scene::Box& box);
void finish(const TableSource& source, scene::Collider& collider);
void finish(const TableSource& source, scene::Keyframe& keyframe);
void finish(const TableSource& source, scene::Channel& channel);
void finish(const TableSource& source, scene::Track& track);
void finish(const TableSource& source, scene::MovingFrame& frame);
void finish(const TableSource& source, scene::Windows& windows);
void finish(const TableSource& source, scene::Control& control);
void finish(const TableSource& source, scene::Solver& solver);
void finish(const TableSource& source, scene::Output& output);

template <scene::TableStruct Table>
void read_table(const TableSource& source, Table& table);

// Visitor for visit_keys that reads each key which is there.
class TableReader : public TableSource {
 public:
  explicit TableReader(const TableSource& source) : TableSource(source) {}

  template <class Value>
  void operator()(std::string_view name, Value& value, const KeyRule& rule) const {
    const toml::node* node = find(name);
    if (node != nullptr) {
      read_key(name, *node, value, rule);
      return;
    }
    if constexpr (scene::TableStruct<Value>) {
      value.source = {file_.path, 0, 0};
    }
    if (rule.required) refuse_missing(name, expected_text(value, rule));
  }

 private:
  template <class Value>
  void read_key(std::string_view name, const toml::node& node, Value& value, const KeyRule& rule) const {
    read_value(KeyContext{file_, name_.key(name), rule, expected_text(value, rule)}, node, value);
  }

  template <scene::TableStruct Table>
  void read_key(std::string_view name, const toml::node& node, Table& table, const KeyRule&) const {
    read_subtable(name, node, table);
  }

  template <scene::TableStruct Table>
  void read_key(std::string_view name, const toml::node& node, std::optional<Table>& table,
                const KeyRule&) const {
    read_subtable(name, node, table.emplace());
  }

  template <scene::TableStruct Table>
  void read_key(std::string_view name, const toml::node& node, std::vector<Table>& tables,
                const KeyRule&) const {
    const TableName child{name_.child(name), true};
    const toml::array* list = node.as_array();
    if (list == nullptr) refuse_key(name, describe(node), child.title() + ", once for each");
    for (const toml::node& element : *list) {
      if (!element.is_table()) refuse_key(name, describe(element), child.title() + ", once for each");
      read_table(TableSource(file_, *element.as_table(), child), tables.emplace_back());
    }
  }

  // material = "cotton" is short for [cloth.material] preset = "cotton".
  void read_key(std::string_view name, const toml::node& node, scene::Material& material,
                const KeyRule&) const {
    if (!node.is_string()) return read_subtable(name, node, material);
    read_key(name, node, material.preset, KeyRule{.choices = scene::material_names()});
    material.source = file_.position(node.source());
  }

  template <scene::TableStruct Table>
  void read_subtable(std::string_view name, const toml::node& node, Table& table) const {
    const TableName child{name_.child(name), false};
    if (!node.is_table()) refuse_key(name, describe(node), fmt::format("a table {}", child.title()));
    read_table(TableSource(file_, *node.as_table(), child), table);
  }
};

template <scene::TableStruct Table>
void read_table(const TableSource& source, Table& table) {
  scene::KeyNames known;
  scene::visit_keys(known, table);
  source.refuse_unknown_keys(known.names);
  TableReader reader(source);
  scene::visit_keys(reader, table);
  table.source = source.position();
  finish(source, table);
}

}  // namespace keydrape
