#pragma once

#include <string>
#include <string_view>

namespace keydrape {

// How messages and the reference page call a table of the scene file and its keys.
struct TableName {
  std::string path;  // "cloth.material"; empty: the file itself
  bool repeated;     // [[path]]

  std::string title() const;                       // "[cloth.material]", "[[pin]]"
  std::string key(std::string_view name) const;    // "[[pin]] vertices"
  std::string child(std::string_view name) const;  // path of a table inside of this one
};

}  // namespace keydrape
