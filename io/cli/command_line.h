#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "io/cli/commands.h"

namespace keydrape {

// What the command line says, of whichever command it is.
struct CommandLine {
  CommonOptions common;
  SimulateArguments simulate;
  DrapeArguments drape;
  PoseArguments relax, strain;
  SolveArguments solve;
  PlayArguments play;
  ConvertArguments convert;
  std::filesystem::path check_scene;
  std::filesystem::path info_mesh;
  ReportArguments report;
  NewArguments new_shot;
  WedgeArguments wedge;
  std::string explain_key;
  bool as_man_page = false;
  std::string shell;
};

// Every command with its options, in the order of the man page; they fill `line`, which outlives `app`.
void add_commands(CLI::App& app, CommandLine& line);

}  // namespace keydrape
