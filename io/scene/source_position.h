#pragma once

#include <fmt/format.h>

#include <string>

namespace keydrape {

// Where in a text file something was said: what a complaint about it begins with, however late it comes.
struct SourcePosition {
  std::string file;  // as the user named it
  int line = 0;      // from 1; 0: not said in the file, a default
  int column = 0;    // from 1, in characters
  // Whether anybody has seen the text: else messages do not speak of its lines.
  bool has_lines = true;

  // "shots/skirt.toml:12:3", or "shots/skirt.toml" for a default.
  std::string where() const {
    return line == 0 || !has_lines ? file : fmt::format("{}:{}:{}", file, line, column);
  }
};

// A value that can be well-formed here and still turn out wrong once a mesh has been opened.
template <class Value>
struct Sourced {
  Value value{};
  SourcePosition source;
};

}  // namespace keydrape
