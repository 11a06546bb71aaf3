#include "io/scene/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>

#include "io/file/nearest_word.h"
#include "io/file/printable.h"
#include "io/scene/scene_reference.h"

namespace keydrape {
namespace {

std::string joined(const std::vector<std::string_view>& words, std::string_view separator = ", ") {
  return fmt::format("{}", fmt::join(words, separator));
}

std::vector<std::string_view> present(const TableSource& source,
                                      std::initializer_list<std::string_view> keys) {
  std::vector<std::string_view> found;
  for (const std::string_view key : keys) {
    if (source.find(key) != nullptr) found.push_back(key);
  }
  return found;
}

// A key may be any text between quotes.
std::string shown(const toml::key& key) {
  const auto is_bare = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
  };
  const std::string_view name = key.str();
  return name.size() <= 40 && std::all_of(name.begin(), name.end(), is_bare) ? std::string(name)
                                                                             : in_quotes(name);
}

std::vector<std::string> tables_with(std::string_view key) {
  std::vector<std::string> titles;
  for (const TableReference& table : scene_reference()) {
    for (const KeyReference& each : table.keys) {
      if (each.name == key) titles.push_back(table.title);
    }
  }
  return titles;
}

}  // namespace

void TableSource::refuse_unknown_keys(const std::vector<std::string_view>& known) const {
  const toml::key* first = nullptr;  // in the file; the table is sorted by name
  const auto place = [](const toml::key& key) {
    return std::tuple(key.source().begin.line, key.source().begin.column);
  };
  for (const auto& [key, node] : table_) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    if (first == nullptr || place(key) < place(*first)) first = &key;
  }
  if (first == nullptr) return;
  std::string expected = "one of " + joined(known);
  if (const auto meant = nearest_word(first->str(), known)) {
    expected += fmt::format("; did you mean {}?", *meant);
  } else if (const std::vector<std::string> tables = tables_with(first->str()); !tables.empty()) {
    expected += fmt::format("; {} is a key of {}", first->str(), fmt::join(tables, ", "));
  }
  const bool is_table = name_.path.empty() && find(first->str())->is_table();
  refuse({file_.position(first->source()), name_.key(shown(*first)),
          is_table ? "an unknown table" : "an unknown key", expected});
}

void TableSource::require_at_most_one_of(std::initializer_list<std::string_view> keys) const {
  const std::vector<std::string_view> found = present(*this, keys);
  if (found.size() > 1) refuse_key(found.back(), joined(found, " and "), "at most one of " + joined(keys));
}

std::string_view TableSource::require_exactly_one_of(std::initializer_list<std::string_view> keys) const {
  const std::vector<std::string_view> found = present(*this, keys);
  if (found.empty()) refuse({position(), name_.title(), "none of " + joined(keys), "exactly one of them"});
  if (found.size() > 1) refuse_key(found.back(), joined(found, " and "), "exactly one of " + joined(keys));
  return found.front();
}

std::optional<TableSource> TableSource::child(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr || !node->is_table()) return {};
  return TableSource(file_, *node->as_table(), {name_.child(key), false});
}

void TableSource::refuse_without_effect(std::string_view key, bool has_effect,
                                        std::string_view condition) const {
  if (find(key) == nullptr || has_effect) return;
  refuse_key(key, fmt::format("{}, which has no effect", describe(*find(key))),
             fmt::format("it only {}", condition));
}

void TableSource::refuse_missing(std::string_view key, const std::string& expected) const {
  refuse({position(), name_.key(key), "nothing, but it is required", expected});
}

void TableSource::refuse_key(std::string_view key, std::string found, std::string expected) const {
  refuse({file_.position(find(key)->source()), name_.key(key), std::move(found), std::move(expected)});
}

}  // namespace keydrape
