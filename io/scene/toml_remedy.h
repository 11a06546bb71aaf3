#pragma once

#include <string>
#include <string_view>

// What a person meant who wrote something that is not TOML. Inside of io/scene only.

namespace keydrape {

struct TomlMistake {
  int line, column;         // from 1, of the place to show
  std::string description;  // what is wrong there, in words
  std::string remedy;       // how to mend it; empty: nothing is known
};

// `text`: the whole file; `line`, `column`, `description`: where and why the parser gave up. The place is
// another one where the mistake began earlier: at a quote or a bracket that nothing closes.
TomlMistake toml_mistake(std::string_view text, int line, int column, std::string_view description);

}  // namespace keydrape
