#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace keydrape {

// A key of the scene file in words: a line of the reference page.
struct KeyReference {
  std::string name;
  std::string type;           // "number", "\"mesh\" | \"uv\""
  std::string unit;           // empty: none
  std::string range;          // "> 0", "not zero", "inside the shot's frames"; empty: any
  std::string usual;          // "0.003 to 20"; empty: anything in the range
  std::string expected;       // type, range and unit: "number, > 0, in N/m"
  std::string default_value;  // as written in TOML; empty: in words only, or there is none
  std::string default_text;   // the same, or in words; "required"
  std::string meaning;
  std::string when;  // to change it; empty: there is nothing to weigh
};

struct TableReference {
  std::string path;   // "cloth.material", "pin"
  std::string title;  // "[cloth.material]", "[[pin]]"
  std::string meaning;
  std::vector<KeyReference> keys;
};

// Every table and key that read_scene knows, in the order of the page. A key that holds a table of its own is
// listed as a key, too, and its table follows.
std::vector<TableReference> scene_reference();

// A key, or with key == nullptr a whole table; both point into the reference that was searched.
struct ReferenceMatch {
  const TableReference* table;
  const KeyReference* key;
};

// Whatever `name` may stand for: "friction" in every table, "pin.motion", "[[pin]] motion", "pin", "[[pin]]".
// A table of that name comes first.
std::vector<ReferenceMatch> find_in_reference(const std::vector<TableReference>& reference,
                                              std::string_view name);

// Up to `count` names of keys and tables that `name` may have been meant to be, the nearest first.
std::vector<std::string> nearest_in_reference(const std::vector<TableReference>& reference,
                                              std::string_view name, std::size_t count);

}  // namespace keydrape
