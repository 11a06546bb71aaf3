#include "io/cli/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <sstream>
#include <utility>

#include "io/cli/console_text.h"
#include "io/file/json_text.h"
#include "io/file/nearest_word.h"
#include "io/file/printable.h"

namespace keydrape {
namespace {

const CLI::App* command_named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands({}))
    if (command->get_name() == name) return command;
  return nullptr;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::optional<std::string> nearest(const std::string& word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto found = nearest_word(word, candidates);
  return found ? std::optional(std::string(*found)) : std::nullopt;
}

// None: more than an int holds.
std::optional<int> number_in(const std::string& digits) {
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

CLI::Validator not_empty() {
  return {[](const std::string& text) {
            return std::string(text.empty() ? "found nothing; expected a value" : "");
          },
          ""};
}

CLI::Validator between(double least, double most) {
  return {[least, most](const std::string& text) -> std::string {
            double value = 0.0;
            const bool is_number = CLI::detail::lexical_cast(text, value);
            if (is_number && value >= least && value <= most) return "";
            return fmt::format("found {}; expected a number from {} to {}", text, least, most);
          },
          ""};
}

CLI::Validator whole_number(int least, int most) {
  return {[least, most](std::string& text) -> std::string {
            const bool has_plus = text.starts_with('+') && !text.starts_with("+-");
            const char* const end = text.data() + text.size();
            int value = 0;
            const auto [rest, error] = std::from_chars(text.data() + (has_plus ? 1 : 0), end, value);
            if (error != std::errc() || rest != end || value < least || value > most)
              return fmt::format("found {}; expected a whole number from {} to {}", text, least, most);
            text = std::to_string(value);
            return "";
          },
          ""};
}

CLI::Validator one_of(std::vector<std::string> words) {
  return {[words = std::move(words)](std::string& text) -> std::string {
            for (const std::string& word : words) {
              if (CLI::detail::to_lower(word) != CLI::detail::to_lower(text)) continue;
              text = word;
              return "";
            }
            return fmt::format("found \"{}\"; expected {} or {}", text,
                               fmt::join(words.begin(), words.end() - 1, ", "), words.back());
          },
          ""};
}

std::vector<std::string> understood(const CLI::App& app, std::vector<std::string> words) {
  if (words.empty()) return words;
  if (words[0] == "version" || words[0] == "-V") return {"--version"};
  if (words[0] == "report")
    for (std::string& word : words)
      if (word.starts_with('[') && word.ends_with(']')) word.insert(0, "./");
  if (words[0] != "help") return words;
  if (words.size() == 2 && command_named(app, words[1])) return {words[1], "--help"};
  return {"--help"};
}

void refuse_empty_values(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = words.empty() ? nullptr : command_named(app, words[0]);
  if (!command) return;
  for (const std::string& word : words) {
    if (word == "--") return;
    if (!word.starts_with("--") || word.find('=') != word.size() - 1) continue;
    const std::string name = word.substr(0, word.size() - 1);
    const CLI::Option* option = command->get_option_no_throw(name);
    if (option && option->get_expected_max() > 0)
      throw CLI::ValidationError(name, not_empty()(std::string()));
  }
}

std::string usage_hint(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with('-')) return "";
  const CLI::App* command = command_named(app, words[0]);
  if (!command) {
    std::vector<std::string> names;
    for (const CLI::App* each : app.get_subcommands({})) names.push_back(each->get_name());
    if (const auto meant = nearest(words[0], names))
      return fmt::format("{} is no command; did you mean {}?", in_quotes(words[0]), *meant);
    return fmt::format("{} is no command; expected one of {}", in_quotes(words[0]), fmt::join(names, ", "));
  }
  const std::vector<std::string> names = option_names(*command);
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || std::find(names.begin(), names.end(), name) != names.end()) continue;
    if (const auto meant = nearest(name, names))
      return fmt::format("{} has no {}; did you mean {}?", command->get_name(), in_quotes(name), *meant);
  }
  return "";
}

std::string error_json(ExitCode code, std::string_view kind, const std::string& message) {
  nlohmann::ordered_json error = {
      {"exit_code", static_cast<int>(code)}, {"kind", kind}, {"message", printable(message)}};
  static const std::regex kPlace("^([^\\n]*?):([0-9]+):([0-9]+): ");
  const std::string text = printable(message).substr(0, 4096);  // std::regex recurses
  if (std::smatch place; std::regex_search(text, place, kPlace)) {
    const std::optional<int> line = number_in(place[2].str()), column = number_in(place[3].str());
    if (line && column) {  // else it is part of a name
      error["file"] = place[1].str();
      error["line"] = *line;
      error["column"] = *column;
    }
  }
  const nlohmann::ordered_json whole = {{"error", error}};
  return json_text(whole, 2) + "\n";
}

ExitCode say_usage(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words) {
  const bool asked = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
  std::stringstream answer, message;
  app.exit(error, answer, message);
  if (asked) {
    print_text(answer.str());
    return ExitCode::kDone;
  }
  const std::string hint = usage_hint(app, words);
  if (!hint.empty()) std::cerr << printable(hint) << '\n';
  for (std::string text; std::getline(message, text);) std::cerr << printable(text) << '\n';
  if (std::find(words.begin(), words.end(), "--json") != words.end())
    std::cout << error_json(ExitCode::kUsage, "usage", hint.empty() ? error.what() : hint) << std::flush;
  return ExitCode::kUsage;
}

}  // namespace keydrape
