#pragma once

#include <string>
#include <vector>

// The command line in words: what the man page and the completions of shells are made of. main.cpp makes it
// from the very parser that reads the command line.

namespace keydrape {

struct OptionReference {
  std::vector<std::string> names;  // "-o", "--output"; empty: an argument without a name
  std::string value;               // "DIR", "SCENE.toml", "Y|Z"; empty: none, a flag
  std::string meaning;
  bool required = false;
};

struct CommandReference {
  std::string name;
  std::string meaning;
  std::vector<OptionReference> arguments;  // without a name, in their order
  std::vector<OptionReference> options;
};

struct ProgramReference {
  std::vector<CommandReference> commands;
  std::string exit_codes;
};

// roff for man(1), with the keys of the scene file.
std::string man_page(const ProgramReference& program);

// Scripts that complete commands, options, their values, files and keys of the scene file.
std::string bash_completion(const ProgramReference& program);
std::string zsh_completion(const ProgramReference& program);
std::string fish_completion(const ProgramReference& program);

}  // namespace keydrape
