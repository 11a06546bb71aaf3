#include <fmt/format.h>

#include <algorithm>

#include "io/cli/command_reference.h"
#include "io/scene/scene_reference.h"

namespace keydrape {
namespace {

std::string join(const std::vector<std::string>& words, std::string_view separator = " ") {
  return fmt::format("{}", fmt::join(words, separator));
}

// Names of keys and tables, as `keydrape explain` takes them.
std::vector<std::string> scene_words() {
  std::vector<std::string> words;
  for (const TableReference& table : scene_reference()) {
    words.push_back(table.path);
    for (const KeyReference& key : table.keys) words.push_back(key.name);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

// What may stand in the place of a value.
struct Candidates {
  enum class Kind { kNothing, kWords, kFolders, kFiles } kind = Kind::kNothing;
  std::vector<std::string> words{};
  std::string extension{};  // of the files: ".toml"; empty: any
};
using Kind = Candidates::Kind;

Candidates candidates(const std::string& value) {
  if (value == "KEY") return {.kind = Kind::kWords, .words = scene_words()};
  if (value == "DIR") return {.kind = Kind::kFolders};
  if (value == "NUMBER" || value == "FRAMES" || value == "SETTING" || value == "QUEUE" || value == "TAKE")
    return {};
  if (value.find('|') != std::string::npos) {
    Candidates choice{.kind = Kind::kWords};
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
      end = value.find('|', begin);
      choice.words.push_back(value.substr(begin, end - begin));
    }
    return choice;
  }
  const std::size_t dot = value.rfind('.');
  return {.kind = Kind::kFiles, .extension = dot == std::string::npos ? "" : value.substr(dot)};
}

std::vector<std::string> command_names(const ProgramReference& program) {
  std::vector<std::string> names;
  for (const CommandReference& command : program.commands) names.push_back(command.name);
  return names;
}

std::string quoted(std::string text, std::string_view in_quote) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += in_quote.size())
    text.replace(at, 1, in_quote);
  return fmt::format("'{}'", text);
}

// ---- bash

std::string bash_values(const Candidates& candidates) {
  const auto reply = [](const std::string& words) { return fmt::format("COMPREPLY=({})", words); };
  switch (candidates.kind) {
    case Kind::kWords:
      return reply(fmt::format("$(compgen -W '{}' -- \"$current\")", join(candidates.words)));
    case Kind::kFolders:
      return reply("$(compgen -d -- \"$current\")");
    case Kind::kFiles:
      if (candidates.extension.empty()) return reply("$(compgen -f -- \"$current\")");
      return reply(fmt::format("$(compgen -d -- \"$current\") $(compgen -f -X '!*{}' -- \"$current\")",
                               candidates.extension));
    case Kind::kNothing:
      break;
  }
  return ":";
}

std::string bash_command(const CommandReference& command) {
  std::string text = fmt::format("    {})\n      case $previous in\n", command.name);
  std::vector<std::string> names;
  for (const OptionReference& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
    if (!option.value.empty())
      text += fmt::format("        {}) {}; return ;;\n", join(option.names, "|"),
                          bash_values(candidates(option.value)));
  }
  text += fmt::format(
      "      esac\n      if [[ $current == -* ]]; then\n        COMPREPLY=($(compgen -W '{}' -- "
      "\"$current\"))\n        return\n      fi\n",
      join(names));
  if (!command.arguments.empty())
    text += fmt::format("      {}\n", bash_values(candidates(command.arguments.back().value)));
  return text + "      ;;\n";
}

// ---- zsh

// Brackets and colons part the fields of a specification.
std::string zsh_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string zsh_action(const Candidates& candidates) {
  switch (candidates.kind) {
    case Kind::kWords:
      return fmt::format("({})", join(candidates.words));
    case Kind::kFolders:
      return "_files -/";
    case Kind::kFiles:
      return candidates.extension.empty() ? "_files" : fmt::format("_files -g \"*{}\"", candidates.extension);
    case Kind::kNothing:
      break;
  }
  return " ";
}

std::string zsh_values(const std::string& value) {
  return fmt::format(":{}:{}", zsh_text(value), zsh_action(candidates(value)));
}

std::string zsh_command(const CommandReference& command) {
  std::string text = fmt::format("  {})\n    _arguments", command.name);
  const auto add = [&](const std::string& specification) {
    text += " \\\n      " + quoted(specification, "'\\''");
  };
  for (const OptionReference& option : command.options) {
    for (const std::string& name : option.names)
      add(fmt::format("({}){}[{}]{}", join(option.names), name, zsh_text(option.meaning),
                      option.value.empty() ? "" : zsh_values(option.value)));
  }
  if (!command.arguments.empty()) add("*" + zsh_values(command.arguments.back().value));
  return text + "\n    ;;\n";
}

// ---- fish

std::string fish_values(const std::string& value) {
  const Candidates found = candidates(value);
  switch (found.kind) {
    case Kind::kWords:
      return fmt::format(" -x -a '{}'", join(found.words));
    case Kind::kFolders:
      return " -x -a '(__fish_complete_directories)'";
    case Kind::kFiles:
      return found.extension.empty() ? " -r -F"
                                     : fmt::format(" -x -a '(__fish_complete_suffix {})'", found.extension);
    case Kind::kNothing:
      break;
  }
  return " -x";
}

std::string fish_option(const std::string& condition, const OptionReference& option) {
  std::string text = fmt::format("complete -c keydrape -n {}", condition);
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) text += fish_values(option.value);
  return fmt::format("{} -d {}\n", text, quoted(option.meaning, "\\'"));
}

}  // namespace

std::string bash_completion(const ProgramReference& program) {
  std::string text = fmt::format(
      "# Completion of keydrape for bash. Written by `keydrape completion bash`.\n"
      "_keydrape() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  local IFS=$'\\n '\n"
      "  case ${{COMP_WORDS[1]}} in\n",
      join(command_names(program)));
  for (const CommandReference& command : program.commands) text += bash_command(command);
  return text + "  esac\n}\ncomplete -o filenames -F _keydrape keydrape\n";
}

std::string zsh_completion(const ProgramReference& program) {
  std::string text =
      "#compdef keydrape\n# Completion of keydrape for zsh. Written by `keydrape completion zsh`.\n"
      "local -a commands=(\n";
  for (const CommandReference& command : program.commands)
    text += fmt::format("  {}\n", quoted(zsh_text(command.name) + ":" + zsh_text(command.meaning), "'\\''"));
  text +=
      ")\nif ((CURRENT == 2)); then\n  _describe command commands\n  return\nfi\n"
      "shift words\n((CURRENT--))\ncase $words[1] in\n";
  for (const CommandReference& command : program.commands) text += zsh_command(command);
  return text + "esac\n";
}

std::string fish_completion(const ProgramReference& program) {
  std::string text =
      "# Completion of keydrape for fish. Written by `keydrape completion fish`.\ncomplete -c keydrape -f\n";
  for (const CommandReference& command : program.commands) {
    text += fmt::format("complete -c keydrape -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        quoted(command.meaning, "\\'"));
    const std::string condition = fmt::format("'__fish_seen_subcommand_from {}'", command.name);
    for (const OptionReference& option : command.options) text += fish_option(condition, option);
    if (!command.arguments.empty())
      text += fmt::format("complete -c keydrape -n {}{}\n", condition,
                          fish_values(command.arguments.back().value));
  }
  return text;
}

}  // namespace keydrape
