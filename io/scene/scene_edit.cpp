#include "io/scene/scene_edit.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/file/printable.h"
#include "io/scene/scene_keys.h"
#include "io/scene/scene_parse.h"

namespace keydrape {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

std::optional<toml::table> table_of(const std::string& text) {
  try {
    return toml::parse(std::string_view(text));
  } catch (const toml::parse_error&) {
    return {};
  }
}

std::string toml_value(std::string_view text, const std::string& place) {
  const auto table = table_of(fmt::format("x = {}\n", text));
  if (!text.empty() && table && table->size() == 1) return std::string(text);
  const bool means_toml =
      text.empty() || std::string_view("\"'[{").find(text.front()) != std::string_view::npos;
  const bool is_plain = std::all_of(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
  if (means_toml || !is_plain)
    throw InputError(
        fmt::format("{}: found {}; expected a value of TOML, such as 1e-4, \"silk\" or [0, 1, 0]; "
                    "between quotes of the shell, where it holds quotes of its own",
                    place, text.empty() ? "an empty value" : in_quotes(std::string(text))));
  return toml_quoted(text);
}

// Bytes [begin, end) of a text.
struct Place {
  std::size_t begin, end;
};

// toml++ counts lines from 1, and characters in them.
std::size_t offset_of(const std::string& text, const toml::source_position& position) {
  std::size_t at = 0;
  for (toml::source_index line = 1; line < position.line; ++line) at = text.find('\n', at) + 1;
  for (toml::source_index column = 1; column < position.column && at < text.size(); ++column)
    for (++at; at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;) ++at;
  return at;
}
Place place_of(const std::string& text, const toml::source_region& region) {
  return {offset_of(text, region.begin), offset_of(text, region.end)};
}

std::vector<std::string> words_of_key(const std::string& key) {
  std::vector<std::string> words(1);
  for (const char c : key) {
    if (c == '.')
      words.emplace_back();
    else
      words.back() += c;
  }
  const auto is_bare = [](const std::string& word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
    });
  };
  if (!std::all_of(words.begin(), words.end(), is_bare))
    throw InputError(
        fmt::format("{}: found no key; expected tables and a key with dots between, such as "
                    "control.effort or keyframe.0.tolerance",
                    in_quotes(key)));
  return words;
}

// A scene file in the making.
class SceneEdit {
 public:
  SceneEdit(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}

  void set(const SceneSetting& setting);
  const std::string& text() const { return text_; }

 private:
  // What follows `word` in `node`; null: nothing. Throws InputError: a list ends before.
  static toml::node* step(toml::node& node, const std::string& word, const std::string& key);
  // Takes the first of the texts that says what `wanted` says.
  void take(std::vector<std::string> texts, const toml::table& wanted, const SceneSetting& setting);

  std::string path_;
  std::string text_;
};

toml::node* SceneEdit::step(toml::node& node, const std::string& word, const std::string& key) {
  if (toml::table* table = node.as_table()) return table->get(word);
  const toml::array* list = node.as_array();
  const bool is_number =
      word.size() < 8 && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  const std::size_t index = is_number ? std::stoul(word) : 0;
  if (list != nullptr && is_number && index < list->size()) return node.as_array()->get(index);
  throw InputError(fmt::format(
      "{}: found {} before {}; expected {}", key,
      list == nullptr ? "a value" : fmt::format("a list of {}", list->size()), in_quotes(word),
      list == nullptr ? "a table"
      : list->empty() ? "a list that is not empty"
                      : fmt::format("a number from 0 to {}: lists count from 0", list->size() - 1)));
}

void SceneEdit::take(std::vector<std::string> texts, const toml::table& wanted, const SceneSetting& setting) {
  for (std::string& text : texts) {
    const auto table = table_of(text);
    if (!table || *table != wanted) continue;
    text_ = std::move(text);
    return;
  }
  throw InputError(
      fmt::format("{}: {} cannot be set there; give the scene file a table with this key in a line "
                  "of its own, which is then replaced",
                  path_, setting.key));
}

void SceneEdit::set(const SceneSetting& setting) {
  toml::table root = parse_toml(path_, text_);
  const std::vector<std::string> words = words_of_key(setting.key);
  const toml::table value = toml::parse(fmt::format("x = {}\n", setting.value));
  toml::node* parent = &root;
  std::size_t known = 0;  // words that lead to something
  while (known + 1 < words.size()) {
    toml::node* next = step(*parent, words[known], setting.key);
    if (next == nullptr) break;
    parent = next;
    ++known;
  }
  if (known + 1 < words.size()) {  // a table that is not there
    std::string title = words[0];
    toml::node* at = &root;
    for (std::size_t k = 0; k + 1 < words.size(); ++k) {
      if (k > 0) title += "." + words[k];
      toml::node* next = at->as_table() ? at->as_table()->get(words[k]) : nullptr;
      if (next == nullptr && at->as_table() != nullptr)
        next = &at->as_table()->insert(words[k], toml::table()).first->second;
      if (next == nullptr) break;
      at = next;
    }
    if (at->as_table() != nullptr) at->as_table()->insert(words.back(), *value.get("x"));
    return take({fmt::format("{}\n[{}]\n{} = {}\n", text_, title, words.back(), setting.value)}, root,
                setting);
  }
  if (const toml::node* old = step(*parent, words.back(), setting.key)) {
    const Place place = place_of(text_, old->source());
    std::string text = text_.substr(0, place.begin) + setting.value + text_.substr(place.end);
    if (toml::table* table = parent->as_table()) {
      table->insert_or_assign(words.back(), *value.get("x"));
    } else {
      toml::array& list = *parent->as_array();
      const auto at = list.cbegin() + std::stol(words.back());
      list.insert(list.erase(at), *value.get("x"));
    }
    return take({std::move(text)}, root, setting);
  }
  toml::table& table = *parent->as_table();
  table.insert(words.back(), *value.get("x"));
  const Place place = place_of(text_, table.source());
  const std::string line = fmt::format("{} = {}", words.back(), setting.value);
  const std::size_t end = std::min(text_.find('\n', place.begin), text_.size());
  std::string path = words[0];
  for (std::size_t k = 1; k + 1 < words.size(); ++k) path += "." + words[k];
  take({text_.substr(0, end) + "\n" + line + text_.substr(end),  // below the table's title
        text_.substr(0, place.begin) + "{ " + line + (table.size() > 1 ? ", " : " ") +
            text_.substr(std::min(place.begin + 1, text_.size())),  // in a table in one line
        line + "\n" + text_, fmt::format("{}\n[{}]\n{}\n", text_, path, line)},
       root, setting);
}

// Where the scene names files: the places of their texts.
class FilePlaces {
 public:
  template <class Value>
  void operator()(std::string_view, Value& value, const KeyRule&) {
    add(value);
  }
  std::set<std::pair<int, int>> places;  // line, column

 private:
  template <class Value>
  void add(Value&) {}
  void add(scene::FilePath& file) { places.emplace(file.source.line, file.source.column); }
  void add(scene::Initial& initial) { add(initial.mesh); }
  template <class Value>
  void add(std::optional<Value>& value) {
    if (value) add(*value);
  }
  template <class First, class Second>
  void add(std::variant<First, Second>& value) {
    std::visit([&](auto& held) { add(held); }, value);
  }
  template <class First, class Second>
  void add(Sourced<std::variant<First, Second>>& value) {
    add(value.value);
  }
  template <scene::TableStruct Table>
  void add(Table& table) {
    scene::visit_keys(*this, table);
  }
  template <scene::TableStruct Table>
  void add(std::vector<Table>& tables) {
    for (Table& table : tables) add(table);
  }
};

// Texts at these places, and the two folders, whose places the scene does not keep.
void collect(const toml::node& node, const std::string& path, const FilePlaces& files,
             std::vector<const toml::value<std::string>*>& found) {
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, child] : *table) collect(child, path + "." + std::string(key.str()), files, found);
  } else if (const toml::array* list = node.as_array()) {
    for (const toml::node& child : *list) collect(child, path, files, found);
  } else if (const auto* text = node.as_string()) {
    const toml::source_position at = node.source().begin;
    const bool is_folder = path == ".output.dir" || path == ".solver.scratch_dir";
    if (is_folder || files.places.contains({static_cast<int>(at.line), static_cast<int>(at.column)}))
      found.push_back(text);
  }
}

std::string quoted_path(const std::filesystem::path& path) {
  if (!is_utf8(path.string()))
    throw InputError(fmt::format(
        "{}: found a path that is not UTF-8; expected one that is, since a copy of the scene names "
        "its files by their whole paths, and TOML holds no other text; rename the folder",
        path.string()));
  return toml_quoted(path.string());
}

EditedScene with_absolute_paths(const std::filesystem::path& scene, std::string text) {
  Scene read = scene_of(scene, text);
  FilePlaces files;
  scene::visit_keys(files, read);
  const toml::table root = parse_toml(scene.string(), text);
  std::vector<const toml::value<std::string>*> found;
  collect(root, "", files, found);
  std::vector<std::pair<Place, std::string>> changes;
  changes.reserve(found.size());
  const std::filesystem::path folder = std::filesystem::absolute(scene).parent_path();
  for (const auto* name : found)
    changes.emplace_back(place_of(text, name->source()), quoted_path(short_path(folder / name->get())));
  std::sort(changes.begin(), changes.end(),
            [](const auto& a, const auto& b) { return a.first.begin > b.first.begin; });
  for (const auto& [place, path] : changes) text.replace(place.begin, place.end - place.begin, path);
  return {std::move(text), std::move(read)};
}

}  // namespace

std::string toml_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      quoted += fmt::format("\\u{:04X}", byte);
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::vector<std::string> toml_values(std::string_view list, const std::string& place) {
  std::vector<std::string> values;
  int depth = 0;      // of brackets
  char quote = '\0';  // that is open
  std::size_t begin = 0;
  for (std::size_t k = 0; k <= list.size(); ++k) {
    const char c = k < list.size() ? list[k] : ',';
    if (quote != '\0') {
      if (c == '\\' && quote == '"') {
        ++k;
        continue;
      }
      if (c == quote) quote = '\0';
      if (k < list.size()) continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (k < list.size() && (c != ',' || depth > 0)) continue;
    values.push_back(toml_value(trimmed(list.substr(begin, k - begin)), place));
    begin = k + 1;
  }
  return values;
}

EditedScene edited_scene(const std::filesystem::path& scene, const std::vector<SceneSetting>& settings) {
  SceneEdit edit(scene.string(), scene_text(scene));
  for (const SceneSetting& setting : settings) edit.set(setting);
  return with_absolute_paths(scene, edit.text());
}

EditedScene scene_with_tables(const std::filesystem::path& scene, std::string text,
                              const std::vector<AddedTable>& tables, std::string_view remark) {
  parse_toml(scene.string(), text);
  if (!text.empty() && text.back() != '\n') text += '\n';
  for (const AddedTable& added : tables) {
    if (!table_of(fmt::format("{}\n[[{}]]\n", text, added.list)))
      throw InputError(
          fmt::format("{}: {}: found a list in one piece; expected tables [[{}]], one for each, behind which "
                      "another one can be added; write them so",
                      scene.string(), added.list, added.list));
    text += fmt::format("\n# {}\n[[{}]]\n", remark, added.list);
    for (const SceneSetting& key : added.keys) text += fmt::format("{} = {}\n", key.key, key.value);
  }
  Scene read = scene_of(scene, text);
  return {std::move(text), std::move(read)};
}

}  // namespace keydrape
