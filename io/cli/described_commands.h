#pragma once

#include <CLI/CLI.hpp>

#include "io/cli/command_reference.h"

namespace keydrape {

// The commands, arguments and options of a parser, in words.
ProgramReference described_commands(const CLI::App& app);

}  // namespace keydrape
