#pragma once

#include <string>
#include <vector>

namespace keydrape {

// A line of the reference page of the scene file.
struct KeyReference {
  std::string name;
  std::string expected;      // type, range and unit: "number, > 0, in N/m"
  std::string default_text;  // as written in TOML, or in words; "required"
  std::string meaning;
};

struct TableReference {
  std::string title;  // "[cloth.material]", "[[pin]]"
  std::string meaning;
  std::vector<KeyReference> keys;
};

// Every table and key that read_scene knows, in the order of the page. A key that holds a table of its own is
// listed as a key, too, and its table follows.
std::vector<TableReference> scene_reference();

}  // namespace keydrape
