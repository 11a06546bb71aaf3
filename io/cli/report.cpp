#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/cli/log.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/perform/run_place.h"
#include "io/report/page.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

// Beside the results of one run, or in the folder of the takes; where several folders are compared, in the
// working folder, since it belongs to none of them.
fs::path default_path(const ReportArguments& arguments) {
  return arguments.folders.size() == 1 ? arguments.folders.front() / "report.html" : "report.html";
}

// A page of one run is written anew whenever it is asked for. Of several, nobody knows from its name what it
// compares. What is no page of ours stays, unless it has the name of the run's own.
void refuse_to_replace_page(const fs::path& path, const ReportArguments& arguments, std::size_t run_count) {
  static constexpr std::string_view kRemedy = "name another page by -o, or add --force to replace it";
  const bool is_default = arguments.output.empty();
  if (!fs::exists(path) || (run_count == 1 && is_default)) return;
  refuse_to_replace_other_file(path, kRemedy);
  if (run_count == 1) return;
  if (is_default && arguments.folders.size() > 1)
    throw InputError(fmt::format("{}: found an earlier page of that name; expected a new one; {}",
                                 path.string(), kRemedy));
  log_info("{}: replaces the page that was there", path.string());
}

}  // namespace

ExitCode report(const ReportArguments& arguments, const CommonOptions& options) {
  if (const auto obstacle = report_obstacle()) throw InputError(*obstacle);
  std::vector<fs::path> folders;
  for (const fs::path& folder : arguments.folders)
    for (fs::path& run : runs_in(folder)) folders.push_back(std::move(run));
  const fs::path path = arguments.output.empty() ? default_path(arguments) : arguments.output;
  if (!options.force) refuse_to_replace_page(path, arguments, folders.size());
  std::vector<ReportRun> runs;
  runs.reserve(folders.size());
  for (const fs::path& folder : folders) runs.push_back(read_report_run(folder));
  const std::string html = report_html(runs);
  write_file_atomically(path, html);
  log_info("{}: {:.1f} MB; open it in a browser", path.string(), 1e-6 * static_cast<double>(html.size()));
  print_text(options.json
                 ? json_text(nlohmann::ordered_json{{"report", path.string()}, {"bytes", html.size()}}, 2) +
                       "\n"
                 : path.string() + "\n");
  return ExitCode::kDone;
}

}  // namespace keydrape
