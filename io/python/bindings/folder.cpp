#include <fmt/chrono.h>
#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/file/printable.h"
#include "io/perform/run_place.h"
#include "io/perform/simulate_run.h"
#include "io/perform/solve_run.h"
#include "io/python/bindings/arrays.h"
#include "io/python/bindings/bind.h"
#include "io/python/bindings/result.h"
#include "io/report/page.h"

// Runs that leave their files in a folder, as the program's do, and reports of such folders.

namespace keydrape::python {
namespace {

// What the program says goes to the folder's log alone: Python prints what it likes.
class FolderListener final : public RunListener {
 public:
  explicit FolderListener(SearchWatch& watch) : watch_(watch) {}  // which outlives it

  void on_folder(const RunFolder& folder) override {
    const std::filesystem::path path = folder / "keydrape.log";
    log_.open(path, std::ios::app);
    if (!log_)
      throw OutputError(path.string() + ": cannot be written; choose an output folder that you may write to");
  }
  // As the program's lines are (io/cli/log.cpp). A log that cannot be written stops nothing: results will.
  void on_text(LogLevel level, const std::string& text) override {
    static constexpr const char* kNames[] = {"info", "warning", "error"};
    const auto now =
        std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
    const std::time_t second = std::chrono::system_clock::to_time_t(now);
    log_ << fmt::format("{:%Y-%m-%d %H:%M:%S}.{:03} {}: {}\n", fmt::localtime(second),
                        now.time_since_epoch().count() % 1000, kNames[static_cast<int>(level)],
                        printable(text))
         << std::flush;
  }
  void on_iteration(const SearchIteration& at) override {
    logged_ += at.part.kind != SearchPart::Kind::kLevel;
    watch_.hear(at);
  }
  bool should_stop() override { return watch_.should_stop(); }

  // Lines that convergence.jsonl has of what was heard.
  std::size_t logged() const { return logged_; }

 private:
  SearchWatch& watch_;
  std::size_t logged_ = 0;
  std::ofstream log_;
};

// Not finite where the log knows none.
double number_at(const nlohmann::ordered_json& json, const char* key) {
  if (!json.is_object() || !json.contains(key) || !json[key].is_number()) return std::nan("");
  return json[key].get<double>();
}

Iteration iteration_of(const std::string& line) {
  const auto json = json_if_any(line);
  const auto count_at = [&](const char* key) {
    const double count = number_at(json, key);
    return count >= 0 && count <= std::numeric_limits<int>::max() ? static_cast<int>(count) : 0;
  };
  Iteration at{count_at("iteration"),
               count_at("forward_simulations"),
               number_at(json, "objective"),
               number_at(json, "effort_term"),
               number_at(json, "gradient_norm"),
               number_at(json, "time_s"),
               {}};
  if (json.is_object() && json.contains("keyframes"))
    for (const auto& keyframe : json["keyframes"]) at.misses.push_back(number_at(keyframe, "rms_m"));
  return at;
}

// Of the whole convergence.jsonl: `heard`, which has its last `logged` lines, and before it what was resumed.
std::vector<Iteration> whole_history(const std::filesystem::path& folder, std::size_t logged,
                                     const std::vector<Iteration>& heard) {
  std::vector<Iteration> history;
  std::istringstream lines(read_file(folder / "convergence.jsonl"));
  for (std::string line; std::getline(lines, line);) history.push_back(iteration_of(line));
  history.resize(history.size() - std::min(history.size(), logged));
  history.insert(history.end(), heard.begin(), heard.end());
  return history;
}

EarlierRun earlier_run(bool force) { return force ? EarlierRun::kReplace : EarlierRun::kRefuse; }

Result solve_scene(const Scene& scene, const std::filesystem::path& folder, py::object observer, bool resume,
                   bool force, bool report) {
  SearchWatch watch(std::move(observer));
  FolderListener listener(watch);
  std::optional<Result> result;
  {
    const py::gil_scoped_release released;
    SolvedRun run = solve_in_folder(
        scene,
        {.place = {.folder = folder, .earlier = earlier_run(force), .resume = resume}, .report = report},
        listener);
    result.emplace(result_of(built_task(scene, std::move(run.shot)), std::move(run.result),
                             whole_history(run.folder, listener.logged(), watch.history())));
  }
  return hand_over(std::move(*result), watch);
}

RunPointer simulate_scene(const Scene& scene, const std::filesystem::path& folder, bool resume, bool force,
                          const std::filesystem::path& along) {
  SearchWatch watch{py::none()};
  FolderListener listener(watch);
  RunPointer trajectory;
  std::string failure;
  {
    const py::gil_scoped_release released;
    SimulatedRun run = simulate_in_folder(
        scene, {.place = {.folder = folder, .earlier = earlier_run(force), .resume = resume}, .along = along},
        listener);
    failure = std::move(run.failure);
    const TaskPointer task = built_task(scene, std::move(run.shot));
    trajectory = std::make_shared<Run>(task, cloth_of_run(*task, std::move(run.summary.channels)),
                                       std::move(run.trajectory));
  }
  if (watch.signal()) {
    watch.signal()->value().attr("trajectory") = py::cast(trajectory);
    throw py::error_already_set(*watch.signal());
  }
  if (!failure.empty()) throw SimulationFailure{failure, trajectory};
  return trajectory;
}

void write_report(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& path) {
  const py::gil_scoped_release released;
  if (const auto obstacle = report_obstacle())
    throw InputError(*obstacle +
                     "; pip builds the page with pip install ./io/python --config-settings report=yes");
  if (folders.empty()) throw InputError("Report: found no folders; expected one or more of runs");
  refuse_to_replace_other_file(path, "give write another path, or remove that file first");
  std::vector<ReportRun> runs;
  for (const std::filesystem::path& folder : folders)
    for (const std::filesystem::path& run : runs_in(folder)) runs.push_back(read_report_run(run));
  write_file_atomically(path, report_html(runs));
}

}  // namespace

void bind_folder(py::module_& module) {
  module.def("solve_scene", &solve_scene, py::arg("scene"), py::arg("folder"),
             py::arg("observer") = py::none(), py::arg("resume") = false, py::arg("force") = false,
             py::arg("report") = true);
  module.def("simulate_scene", &simulate_scene, py::arg("scene"), py::arg("folder"),
             py::arg("resume") = false, py::arg("force") = false, py::arg("along") = "");
  module.def("write_report", &write_report, py::arg("folders"), py::arg("path"));
  module.def("report_obstacle", &report_obstacle);
}

}  // namespace keydrape::python
