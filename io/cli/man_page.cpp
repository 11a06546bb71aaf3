#include <fmt/format.h>

#include "io/cli/command_reference.h"
#include "io/scene/scene_reference.h"

namespace keydrape {
namespace {

// roff takes a leading dot or quote for a request, a backslash for an escape and a bare hyphen for
// a typographic one.
std::string roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    const bool begins_line = escaped.empty() || escaped.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string synopsis(const CommandReference& command) {
  std::string text = fmt::format(".B keydrape {}\n", roff(command.name));
  for (const OptionReference& argument : command.arguments) {
    const std::string value = fmt::format("\\fI{}\\fR", roff(argument.value));
    text += argument.required ? value + "\n" : fmt::format("[{}]\n", value);
  }
  return text + "[\\fIoptions\\fR]\n";
}

std::string entry(const std::string& head, const std::string& meaning) {
  return fmt::format(".TP\n{}\n{}\n", head, roff(meaning));
}

std::string option_head(const OptionReference& option) {
  std::string head;
  for (const std::string& name : option.names)
    head += fmt::format("{}\\fB{}\\fR", head.empty() ? "" : ", ", roff(name));
  return option.value.empty() ? head : fmt::format("{} \\fI{}\\fR", head, roff(option.value));
}

std::string command_section(const CommandReference& command) {
  std::string text = fmt::format(".SS keydrape {}\n{}.\n", roff(command.name), roff(command.meaning));
  for (const OptionReference& argument : command.arguments)
    text += entry(fmt::format("\\fI{}\\fR", roff(argument.value)), argument.meaning);
  for (const OptionReference& option : command.options) text += entry(option_head(option), option.meaning);
  return text;
}

std::string table_section(const TableReference& table) {
  std::string text = fmt::format(".SS {}\n{}.\n", roff(table.title), roff(table.meaning));
  for (const KeyReference& key : table.keys) {
    std::string meaning = fmt::format("{}: {}.", key.meaning, key.expected);
    if (!key.default_text.empty()) meaning += fmt::format(" Default: {}.", key.default_text);
    text += entry(fmt::format("\\fB{}\\fR", roff(key.name)), meaning);
  }
  return text;
}

}  // namespace

std::string man_page(const ProgramReference& program) {
  std::string text = fmt::format(
      ".TH KEYDRAPE 1 \"\" \"keydrape {}\" \"User Commands\"\n"
      ".SH NAME\nkeydrape \\- keyframe control of cloth\n.SH SYNOPSIS\n",
      KEYDRAPE_VERSION);
  for (const CommandReference& command : program.commands)
    text += (&command == &program.commands.front() ? "" : ".br\n") + synopsis(command);
  text +=
      ".SH DESCRIPTION\nFinds the smallest control forces that make simulated cloth arrive at keyframes, on "
      "time. "
      "Data goes to\nstandard output, what is said to people to standard error.\n.SH COMMANDS\n";
  for (const CommandReference& command : program.commands) text += command_section(command);
  text += ".SH SCENE FILE\nTOML, SI units, file names relative to the file.\n";
  for (const TableReference& table : scene_reference()) text += table_section(table);
  return text + ".SH EXIT STATUS\n" + roff(program.exit_codes) + "\n";
}

}  // namespace keydrape
