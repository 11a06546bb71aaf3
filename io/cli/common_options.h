#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>

#include "io/cli/commands.h"

// What several commands of the command line have, and those that are described where they stand.

namespace keydrape {

void add_common_options(CLI::App& command, CommonOptions& options);
void add_scene(CLI::App& command, std::filesystem::path& scene);

void add_play(CLI::App& app, PlayArguments& arguments, CommonOptions& options);

}  // namespace keydrape
