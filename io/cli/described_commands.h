#pragma once

#include <CLI/CLI.hpp>

#include "io/cli/command_reference.h"

namespace keydrape {

// The commands, arguments and options of a parser, in words.
ProgramReference describe(const CLI::App& app);

}  // namespace keydrape
