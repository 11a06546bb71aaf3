#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <thread>

#include "core/base/error.h"
#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/cli/log.h"
#include "io/farm/farm.h"
#include "io/file/available_memory.h"
#include "io/file/file.h"
#include "io/file/printable.h"
#include "io/file/short_number.h"
#include "io/report/page.h"
#include "io/wedge/comparison.h"
#include "io/wedge/contact_sheet.h"
#include "io/wedge/element_files.h"
#include "io/wedge/wedge_plan.h"
#include "io/wedge/wedge_pool.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

// A page of more runs is slow to open.
constexpr std::size_t kMostReported = 12;

fs::path wedge_folder(const WedgeArguments& arguments, bool is_folder) {
  if (is_folder) return short_path(fs::absolute(arguments.what));
  if (!arguments.folder.empty()) return short_path(fs::absolute(arguments.folder));
  fs::path folder = short_path(fs::absolute(arguments.what));
  return folder.replace_filename(folder.stem().string() + "_wedge");
}

// The best first, then the others in their order.
std::vector<ReportRun> report_runs(const fs::path& wedge, const std::vector<WedgeRow>& rows,
                                   WedgeCommand command) {
  std::vector<const WedgeRow*> shown;
  if (const auto best = best_row(rows, command)) shown.push_back(&rows[static_cast<std::size_t>(*best)]);
  for (const WedgeRow& row : rows) {
    const bool has_run =
        row.outcome.state == ElementState::kDone || row.outcome.state == ElementState::kMissed;
    if (has_run && shown.size() < kMostReported && (shown.empty() || shown.front() != &row))
      shown.push_back(&row);
  }
  std::vector<ReportRun> runs;
  runs.reserve(shown.size());
  for (const WedgeRow* row : shown) runs.push_back(read_report_run(element_folder(wedge, *row->element)));
  return runs;
}

void write_report(const fs::path& wedge, const std::vector<WedgeRow>& rows, WedgeCommand command) {
  if (const auto obstacle = report_obstacle()) return log_warning("no report.html: {}", *obstacle);
  const std::vector<ReportRun> runs = report_runs(wedge, rows, command);
  if (runs.empty()) return;
  write_file_atomically(wedge / "report.html", report_html(runs));
  if (runs.size() == kMostReported)
    log_info("report.html: the best and the first {} others; keydrape report DIR DIR compares any",
             kMostReported - 1);
}

ExitCode worst_code(const std::vector<WedgeRow>& rows) {
  const auto any = [&](ElementState state) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const WedgeRow& row) { return row.outcome.state == state; });
  };
  if (any(ElementState::kFailed)) return ExitCode::kFailed;
  if (any(ElementState::kWaiting) || any(ElementState::kRunning) || any(ElementState::kInterrupted))
    return ExitCode::kInterrupted;
  return any(ElementState::kMissed) ? ExitCode::kMissed : ExitCode::kDone;
}

ExitCode code_of(const ElementOutcome& outcome) {
  switch (outcome.state) {
    case ElementState::kDone:
      return ExitCode::kDone;
    case ElementState::kMissed:
      return ExitCode::kMissed;
    case ElementState::kFailed:
      return outcome.exit_code == static_cast<int>(ExitCode::kBadInput) ? ExitCode::kBadInput
                                                                        : ExitCode::kFailed;
    default:
      return ExitCode::kInterrupted;
  }
}

void print_rows(const fs::path& wedge, const std::vector<WedgeRow>& rows, WedgeCommand command,
                const CommonOptions& options) {
  print_text(options.json ? wedge_json(wedge, rows, command) : wedge.string() + "\n");
}

// Looks at the elements only where they are asked for: one that is damaged is no obstacle otherwise.
void print_wedge(const fs::path& wedge, const WedgePlan& plan, const CommonOptions& options) {
  print_rows(wedge, options.json ? wedge_rows(wedge, plan) : std::vector<WedgeRow>{}, plan.command, options);
}

// Tables, CSV, report and pictures of what is there.
ExitCode collect(const fs::path& wedge, const WedgePlan& plan, const CommonOptions& options) {
  const std::vector<WedgeRow> rows = wedge_rows(wedge, plan);
  write_file_atomically(wedge / "wedge.csv", wedge_csv(rows));
  write_report(wedge, rows, plan.command);
  if (const auto sheet = contact_sheet(wedge, rows))
    write_file_atomically(wedge / "contact_sheet.png", *sheet);
  for (const std::string& line : wedge_table(rows, plan.command)) log_info("{}", line);
  print_rows(wedge, rows, plan.command, options);
  return worst_code(rows);
}

ExitCode show_status(const fs::path& wedge, const WedgePlan& plan, const CommonOptions& options) {
  const std::vector<WedgeRow> rows = wedge_rows(wedge, plan);
  for (const std::string& line : wedge_table(rows, plan.command)) log_info("{}", line);
  std::map<std::string, int> counts;
  try {
    for (const auto& [number, state] : queue_states(wedge)) ++counts[state];
  } catch (const OutputError& error) {
    log_warning("{}", error.what());
  }
  for (const auto& [state, count] : counts) log_info("in the queue: {} {}", count, state);
  print_rows(wedge, rows, plan.command, options);
  return worst_code(rows);
}

// Those that have not ended, the failed ones only where they are asked for.
std::vector<int> unfinished(const fs::path& wedge, const WedgePlan& plan, bool again) {
  std::vector<int> indices;
  for (std::size_t k = 0; k < plan.elements.size(); ++k) {
    if (is_due(element_outcome(element_folder(wedge, plan.elements[k])), again))
      indices.push_back(static_cast<int>(k));
  }
  return indices;
}

PoolOptions pool_options(const WedgeArguments& arguments, const CommonOptions& options, int elements) {
  PoolOptions pool{.program = fs::read_symlink("/proc/self/exe"),
                   .jobs = arguments.jobs,
                   .threads = options.threads,
                   .one_window = arguments.one_window,
                   .again = arguments.again,
                   .memory_gb = arguments.memory_gb > 0 ? arguments.memory_gb : available_memory() / 1e9};
  divide_processors(std::max(1, static_cast<int>(std::thread::hardware_concurrency())), elements, pool);
  return pool;
}

void refuse_element_beyond(const WedgeArguments& arguments, const WedgePlan& plan, const fs::path& wedge) {
  const int count = static_cast<int>(plan.elements.size());
  if (arguments.element > count)
    throw InputError(
        fmt::format("--element {}: found a wedge of {} elements in {}; expected a number from 1 to {}",
                    arguments.element, count, wedge.string(), count));
}

// What a farm's job does.
ExitCode run_element(const fs::path& wedge, const WedgePlan& plan, const WedgeArguments& arguments,
                     const CommonOptions& options) {
  refuse_element_beyond(arguments, plan, wedge);
  const int index = arguments.element - 1;
  const WedgeElement& element = plan.elements[static_cast<std::size_t>(index)];
  const fs::path folder = element_folder(wedge, element);
  if (!is_due(element_outcome(folder), arguments.again))
    refuse_changed_files(wedge, plan, element);
  else
    run_elements(wedge, plan, {index}, pool_options(arguments, options, 1), [](const auto&, const auto&) {});
  const ElementOutcome after = element_outcome(folder);
  log_info("element {}: {}{}", arguments.element, word(after.state),
           after.reason.empty() ? "" : ": " + after.reason);
  print_text(options.json ? wedge_json(wedge, {{&element, after}}, plan.command) : folder.string() + "\n");
  return code_of(after);
}

ExitCode submit_elements(const fs::path& wedge, const WedgePlan& plan, const WedgeArguments& arguments,
                         const CommonOptions& options) {
  refuse_changed_files(wedge, plan, arguments.again);
  const FarmRequest request{.program = fs::read_symlink("/proc/self/exe"),
                            .threads = std::max(1, options.threads),
                            .indices = unfinished(wedge, plan, arguments.again),
                            .again = arguments.again,
                            .queue = arguments.queue};
  if (request.indices.empty()) {
    log_info("every element has ended: there is nothing to submit; --again runs those that failed once more");
    return collect(wedge, plan, options);
  }
  const FarmSubmission submission = submit(wedge, plan, request);
  std::vector<std::string> said = submission.answers;
  std::erase(said, "");
  log_info("{} of {} elements submitted{}{}; next: keydrape wedge {} --status, --cancel, --collect",
           request.indices.size(), plan.elements.size(), said.empty() ? "" : ": ", fmt::join(said, ", "),
           shell_word(wedge.string()));
  print_wedge(wedge, plan, options);
  return ExitCode::kDone;
}

ExitCode cancel_jobs(const fs::path& wedge, const WedgePlan& plan, const CommonOptions& options) {
  log_info("cancelled: {}; keydrape wedge {} goes on with them", fmt::join(cancel(wedge), ", "),
           shell_word(wedge.string()));
  print_wedge(wedge, plan, options);
  return ExitCode::kDone;
}

ExitCode run_here(const fs::path& wedge, const WedgePlan& plan, const WedgeArguments& arguments,
                  const CommonOptions& options) {
  refuse_changed_files(wedge, plan, arguments.again);
  remove_torn_files(wedge, plan);
  const std::vector<int> indices = unfinished(wedge, plan, arguments.again);
  const PoolOptions pool = pool_options(arguments, options, static_cast<int>(indices.size()));
  if (!indices.empty())
    log_info("{} of {} elements to run, {} at once with {} thread{} each, within {} GB", indices.size(),
             plan.elements.size(), pool.jobs, pool.threads, pool.threads == 1 ? "" : "s",
             short_number(pool.memory_gb));
  std::size_t ended = 0;
  const PoolEnd end = run_elements(wedge, plan, indices, pool,
                                   [&](const WedgeElement& element, const ElementOutcome& outcome) {
                                     if (outcome.state == ElementState::kRunning)
                                       return log_info("{} begins", element.name);
                                     ended += outcome.is_finished() ? 1 : 0;
                                     log_info("{}: {} after {:.1f} s, {} of {}", element.name,
                                              word(outcome.state), outcome.seconds, ended, indices.size());
                                   });
  if (end == PoolEnd::kInterrupted) {
    log_info("interrupted; keydrape wedge {} goes on", shell_word(wedge.string()));
    const std::vector<WedgeRow> rows = wedge_rows(wedge, plan);
    print_rows(wedge, rows, plan.command, options);
    return worst_code(rows) == ExitCode::kFailed ? ExitCode::kFailed : ExitCode::kInterrupted;
  }
  return collect(wedge, plan, options);
}

// All that can be refused is, before --force removes the results of the wedge that stands there.
void write_wedge_of_scene(const fs::path& folder, const WedgeArguments& arguments,
                          const CommonOptions& options) {
  if (arguments.status || arguments.collect || arguments.cancel)
    throw InputError(
        fmt::format("{}: found a scene file together with --status, --collect or --cancel; expected the "
                    "folder of its wedge, as keydrape wedge {} {}",
                    arguments.what.string(), shell_word(folder.string()),
                    arguments.status    ? "--status"
                    : arguments.collect ? "--collect"
                                        : "--cancel"));
  const WedgePlan plan = make_wedge_plan(
      arguments.what, arguments.simulate ? WedgeCommand::kSimulate : WedgeCommand::kSolve,
      arguments.table.empty() ? settings_of_lists(arguments.lists) : settings_of_table(arguments.table));
  refuse_element_beyond(arguments, plan, folder);
  if (!arguments.queue.empty()) refuse_unknown_queue(arguments.queue);
  if (options.force) refuse_queued_elements(folder);
  write_wedge(folder, plan, options.force ? EarlierWedge::kReplace : EarlierWedge::kContinue);
}

}  // namespace

ExitCode wedge(const WedgeArguments& arguments, const CommonOptions& options) {
  const bool is_folder = fs::is_directory(arguments.what);
  const fs::path folder = wedge_folder(arguments, is_folder);
  const bool has_settings = !arguments.lists.empty() || !arguments.table.empty();
  const bool has_more = has_settings || !arguments.folder.empty() || arguments.simulate || options.force;
  if (is_folder && has_more)
    throw InputError(
        fmt::format("{}: found the folder of a wedge together with --set, --table, --simulate, -o or "
                    "--force; expected a scene file "
                    "with them, or the folder without",
                    arguments.what.string()));
  if (!fs::exists(arguments.what))
    throw InputError(
        fmt::format("{}: cannot be read: there is no such file or folder; expected a scene file, or the "
                    "folder of a wedge; correct the name",
                    arguments.what.string()));
  if (!is_folder) {
    if (!has_settings)
      throw InputError(
          fmt::format("{}: found no --set and no --table; expected what its elements differ in, such as "
                      "--set control.effort=1e-5,1e-4",
                      arguments.what.string()));
    write_wedge_of_scene(folder, arguments, options);
  }
  const WedgePlan plan = read_wedge(folder);
  if (arguments.status) return show_status(folder, plan, options);
  if (arguments.collect) return collect(folder, plan, options);
  if (arguments.cancel) return cancel_jobs(folder, plan, options);
  if (!arguments.queue.empty()) return submit_elements(folder, plan, arguments, options);
  if (arguments.element > 0) return run_element(folder, plan, arguments, options);
  return run_here(folder, plan, arguments, options);
}

}  // namespace keydrape
