#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/cli/exit_code.h"

// What the command line itself gets wrong, before any command runs.

namespace keydrape {

// What options take as their values. All go to CLI::Option::transform, where they may write a value anew, and
// are asked before those that went there earlier. A refusal says what was found and what is expected.

// Such as a variable of a script that is not set: no name, and no leaving out either.
CLI::Validator not_empty();

// CLI::Range takes what is no number for one in its range.
CLI::Validator between(double least, double most);

// In decimal digits, with leading zeros or without. CLI11 by itself reads 010 as eight and 0x10 as sixteen.
CLI::Validator whole_number(int least, int most);

// One of the words, in upper or lower case; it becomes the word as it stands here.
CLI::Validator one_of(std::vector<std::string> words);

// Likewise for what each word stands for: CLI::CheckedTransformer takes the numbers behind them, too.
template <class Value>
CLI::Validator one_of(const std::map<std::string, Value>& values) {
  std::vector<std::string> words;
  for (const auto& [word, value] : values) words.push_back(word);
  return {[values, word = one_of(words)](std::string& text) {
            std::string refusal = word(text);
            if (refusal.empty()) text = std::to_string(static_cast<int>(values.at(text)));
            return refusal;
          },
          ""};
}

// The words behind the program's name, such that `help`, `help solve`, `version` and -V are what CLI11 knows.
// Of `report` a folder "[a]" becomes "./[a]": CLI11 takes it for the list of a.
std::vector<std::string> understood(const CLI::App& app, std::vector<std::string> words);

// CLI11 gives `--output=` the next word as its value. Throws CLI::ValidationError.
void refuse_empty_values(const CLI::App& app, const std::vector<std::string>& words);

// "did you mean simulate?": of a word that is no command, or an option that the command does not have. Empty:
// nothing is near.
std::string usage_hint(const CLI::App& app, const std::vector<std::string>& words);

// Says what is wrong with the words, with that hint and for --json as JSON, too; or answers --help and
// --version, which come as an `error`, too. What to exit with. Throws OutputError: nobody gets that answer.
ExitCode say_usage(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words);

// What went wrong, as JSON for --json: {"error": {"exit_code", "kind", "message", and "file", "line",
// "column" where the message begins with a place}}.
std::string error_json(ExitCode code, std::string_view kind, const std::string& message);

}  // namespace keydrape
