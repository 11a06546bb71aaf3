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
  if (!fs::exists(path)) return;
  if (run_count == 1 && (arguments.output.empty() || is_report_page(path))) return;
  const bool is_of_takes = arguments.output.empty() && arguments.folders.size() == 1;
  const bool is_named = !arguments.output.empty() || is_of_takes;
  if (is_named && is_report_page(path)) {
    log_info("{}: replaces the page that was there", path.string());
    return;
  }
  throw InputError(
      fmt::format("{}: found {} of that name; expected a new one; name another page by -o, or add "
                  "--force to replace it",
                  path.string(), is_report_page(path) ? "an earlier page" : "a file"));
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
