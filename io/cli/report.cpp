#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/cli/log.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/report/page.h"

namespace keydrape {
namespace {

// Beside the results of one run; where several are compared, in the working folder, since it belongs to
// none of them.
std::filesystem::path default_path(const ReportArguments& arguments) {
  return arguments.folders.size() == 1 ? arguments.folders.front() / "report.html" : "report.html";
}

}  // namespace

ExitCode report(const ReportArguments& arguments, const CommonOptions& options) {
  if (const auto obstacle = report_obstacle()) throw InputError(*obstacle);
  std::vector<ReportRun> runs;
  for (const std::filesystem::path& folder : arguments.folders) runs.push_back(read_report_run(folder));
  const std::filesystem::path path = arguments.output.empty() ? default_path(arguments) : arguments.output;
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
