#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "io/cli/exit_code.h"
#include "io/cli/progress.h"

// The commands of the program. Each throws InputError and OutputError; main turns them into exit codes.

namespace keydrape {

struct CommonOptions {
  int threads = 0;  // 0: as many as there are processors
  bool quiet = false;
  bool json = false;
  bool force = false;
  ProgressStyle progress = ProgressStyle::kAuto;
};

struct SimulateArguments {
  std::filesystem::path scene;
  std::filesystem::path folder;  // empty: as the scene says
  std::filesystem::path forces;  // empty: none
};

struct SolveArguments {
  std::filesystem::path scene;
  std::filesystem::path folder;  // empty: as the scene says
  bool resume = false;
  bool report = true;  // write report.html, if the program can
  bool live = false;   // and serve it
};

struct ReportArguments {
  std::vector<std::filesystem::path> folders;  // one or more
  std::filesystem::path output;                // empty: report.html
};

ExitCode simulate(const SimulateArguments& arguments, const CommonOptions& options);
ExitCode solve(const SolveArguments& arguments, const CommonOptions& options);
ExitCode check(const std::filesystem::path& scene, const CommonOptions& options);
ExitCode info(const std::filesystem::path& mesh, const CommonOptions& options);
ExitCode report(const ReportArguments& arguments, const CommonOptions& options);

}  // namespace keydrape
