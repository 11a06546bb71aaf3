#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "io/cli/exit_code.h"

// What the command line itself gets wrong, before any command runs.

namespace keydrape {

// The words behind the program's name, such that `help`, `help solve`, `version` and -V are what CLI11 knows.
std::vector<std::string> understood(const CLI::App& app, std::vector<std::string> words);

// "did you mean simulate?": of a word that is no command, or an option that the command does not have. Empty:
// nothing is near.
std::string usage_hint(const CLI::App& app, const std::vector<std::string>& words);

// Says what is wrong with the words, with that hint and for --json as JSON, too; or answers --help and
// --version, which come as an `error`, too. What to exit with.
ExitCode say_usage(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words);

// What went wrong, as JSON for --json: {"error": {"exit_code", "kind", "message", and "file", "line",
// "column" where the message begins with a place}}.
std::string error_json(ExitCode code, std::string_view kind, const std::string& message);

}  // namespace keydrape
