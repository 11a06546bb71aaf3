#include "io/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "io/file/compressed_text.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/report/bodies.h"
#include "io/report/buffer.h"
#include "io/report/bundled_page.h"
#include "io/report/contacts.h"
#include "io/report/scene_comparison.h"
#include "io/report/targets.h"

namespace keydrape {
namespace {

using Json = nlohmann::json;

// 16 bits over the box of the takes: 8e-6 of its size at worst, 1/90 of a pixel on a screen.
constexpr int kPositionBits = 16;
// Forces are looked at as arrows and colours; their figures are computed here, from the full numbers.
constexpr int kForceBits = 10;

Json raw_list(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(parse_sorted_json(text));
  return list;
}

VecX stacked_uvs(const std::vector<Vec2>& uvs) {
  VecX values(2 * static_cast<Eigen::Index>(uvs.size()));
  for (std::size_t i = 0; i < uvs.size(); ++i) values.segment<2>(2 * static_cast<Eigen::Index>(i)) = uvs[i];
  return values;
}

// Largest and RMS control acceleration [g] of the vertices that are controlled, or pushed by a take, in each
// frame interval, of which the last frame starts none.
Json accelerations_json(const ReportRun& run) {
  Json peak = Json::array(), rms = Json::array();
  std::vector<bool> is_controlled(run.shot.mass.size(), false);
  for (const int i : run.shot.controlled) is_controlled[i] = true;
  for (std::size_t f = 0; f + 1 < run.forces.size(); ++f) {
    const VecX& force = run.forces[f];
    double largest = 0.0, sum = 0.0;
    int count = 0;
    for (std::size_t i = 0; i < is_controlled.size(); ++i) {
      const double a = force.segment<3>(3 * i).norm() / (run.shot.mass[i] * kStandardGravity);
      largest = std::max(largest, a);
      sum += a * a;
      count += is_controlled[i] || a > 0.0;
    }
    peak.push_back(largest);
    rms.push_back(std::sqrt(sum / std::max(count, 1)));
  }
  return {{"peak_g", std::move(peak)}, {"rms_g", std::move(rms)}};
}

Json takes_json(const ReportRun& run, const LowerNeighbours& neighbours, ReportBuffer& buffer) {
  std::vector<const std::vector<VecX>*> motions;
  for (const ReportTake& take : run.takes) motions.push_back(&take.frames);
  const Quantisation grid = fit_quantisation(motions, kPositionBits);
  Json list = Json::array();
  for (const ReportTake& take : run.takes)
    list.push_back({{"name", take.name},
                    {"source", take.source},
                    {"motion", buffer.add_motion(take.frames, grid, neighbours)}});
  return list;
}

// The run's, and of one that has ended why there is no cloth to be seen, or only the one without forces.
std::vector<std::string> warnings_of(const ReportRun& run) {
  std::vector<std::string> warnings = run.warnings;
  if (run.summary == "null") return warnings;
  const auto is_uncontrolled = [](const ReportTake& take) { return take.name == kUncontrolledTake; };
  const Json summary = parse_sorted_json(run.summary);
  const bool is_failed = summary.contains("status") && summary["status"] == "failed";
  if (run.takes.empty() && !is_failed)
    warnings.push_back(fmt::format(
        "{}: holds no cloth that a report can show, nor how far each vertex is off; expected "
        "positions.npy, steps.npy or a PC2 cache; have \"npy\" in caches of [output], and let the "
        "run end",
        run.folder.string()));
  if (!run.takes.empty() && std::all_of(run.takes.begin(), run.takes.end(), is_uncontrolled))
    warnings.push_back(fmt::format(
        "{}: only the cloth without forces is there, as far as it could be simulated", run.folder.string()));
  return warnings;
}

Json run_json(const ReportRun& run, ReportBuffer& buffer) {
  const ShotRecord& shot = run.shot;
  const TriangleMesh& rest = shot.rest;
  const LowerNeighbours neighbours = lower_neighbours(rest.triangles, rest.vertex_count());
  Json json = {{"folder", run.folder.string()},
               {"name", shot.name},
               {"frames", {shot.frames.first, shot.frames.last}},
               {"fps", shot.fps},
               {"substeps", shot.substeps},
               {"up_axis", shot.up_axis},
               {"vertices", rest.vertex_count()},
               {"triangles", buffer.add_integers(flattened(rest.triangles))},
               {"rest", buffer.add_floats(stacked(rest.positions))},
               {"mass", buffer.add_floats(shot.mass)},
               {"takes", takes_json(run, neighbours, buffer)},
               {"keyframes", keyframes_json(run, buffer)},
               {"tracks", tracks_json(run, neighbours, buffer)},
               {"colliders", bodies_json(run, buffer)},
               {"summary", parse_sorted_json(run.summary)},
               {"convergence", raw_list(run.convergence)},
               {"steps", raw_list(run.steps)},
               {"scene", shot.scene_text},
               {"relative_to", written_value(run, "control.relative_to")},
               {"warnings", warnings_of(run)}};
  if (run.window)
    json["searched_window"] = {{"frames", {run.window->frames.first, run.window->frames.last}},
                               {"number", run.window->number},
                               {"count", run.window->count}};
  if (rest.has_uvs()) {
    json["uvs"] = buffer.add_floats(stacked_uvs(rest.uvs));
    json["uv_triangles"] = buffer.add_integers(flattened(rest.uv_triangles));
  }
  if (!run.forces.empty()) {
    json["forces"] =
        buffer.add_motion(run.forces, fit_signed_quantisation(run.forces, kForceBits), neighbours);
    json["acceleration"] = accelerations_json(run);
  }
  if (std::any_of(run.contacts.begin(), run.contacts.end(), [](const auto& pairs) { return !pairs.empty(); }))
    json["contacts"] = contacts_json(run.contacts, buffer);
  return json;
}

// JSON that no HTML parser mistakes for markup: "</script>" and "<!--" need a '<'.
std::string script_json(const Json& json) {
  const std::string text = json_text(json);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '&')
      safe += "&amp;";
    else
      safe += c;
  }
  return safe;
}

constexpr std::string_view kTitle = " - keydrape report";
constexpr std::size_t kHeadBytes = 1 << 16;  // that hold a page's title, behind licences

// Names of the shots, each once.
std::string title(const std::vector<ReportRun>& runs, std::string_view kind) {
  std::vector<std::string> names;
  for (const ReportRun& run : runs)
    if (std::find(names.begin(), names.end(), run.shot.name) == names.end()) names.push_back(run.shot.name);
  return escaped(fmt::format("{}{}", fmt::join(names, ", "), kind));
}

// `page` with each mark, which it holds once, replaced by its text; marks in the order of the page.
std::string with_marks(std::string_view page,
                       const std::vector<std::pair<std::string_view, std::string_view>>& marks) {
  std::string html;
  for (const auto& [mark, text] : marks) {
    const std::size_t at = page.find(mark);
    assert(at != std::string_view::npos && "io/report/page/page.html has the marks");
    html.append(page.substr(0, at)).append(text);
    page.remove_prefix(at + mark.size());
  }
  return html.append(page);
}

std::string filled(std::string_view page, const std::vector<ReportRun>& runs, std::string_view kind) {
  ReportBuffer buffer;
  Json list = Json::array();
  for (const ReportRun& run : runs) list.push_back(run_json(run, buffer));
  const std::string manifest = script_json({{"version", KEYDRAPE_VERSION},
                                            {"runs", std::move(list)},
                                            {"scene_differences", scene_comparison_json(runs)}});
  return with_marks(page, {{"<!--title-->", title(runs, kind)},
                           {"<!--manifest-->", manifest},
                           {"<!--buffer-->", base64(deflate_raw(buffer.bytes()))}});
}

}  // namespace

std::optional<std::string> report_obstacle() {
  if (!report_page().empty()) return std::nullopt;
  return fmt::format(
      "this program was built without the report's page ({}); install Node.js 18 or newer with npm, see that "
      "registry.npmjs.org can be reached once, then configure and build keydrape again",
      report_page_obstacle());
}

std::string report_html(const std::vector<ReportRun>& runs) {
  assert(!runs.empty());
  if (const auto obstacle = report_obstacle()) throw InputError(*obstacle);
  return filled(report_page(), runs, kTitle);
}

std::string play_html(const ReportRun& run) {
  if (const auto obstacle = report_obstacle()) throw InputError(*obstacle);
  return filled(play_page(), {run}, " - keydrape play");
}

bool is_report_page(const std::filesystem::path& path) {
  InputFile file(path);
  std::string head(std::min<std::uint64_t>(kHeadBytes, file.size()), '\0');
  file.read(head.data(), head.size());
  return head.find(std::string(kTitle) + "</title>") != std::string::npos;
}

void refuse_to_replace_other_file(const std::filesystem::path& path, std::string_view remedy) {
  if (std::filesystem::exists(path) && !is_report_page(path))
    throw InputError(
        fmt::format("{}: found a file of that name; expected a new one; {}", path.string(), remedy));
}

std::string live_html(std::string html, int version) {
  static constexpr std::string_view kRoot = "<html ";
  const std::size_t at = html.find(kRoot);
  assert(at != std::string::npos && "io/report/page/page.html has it");
  return html.insert(at + kRoot.size(), fmt::format("data-live=\"{}\" ", version));
}

}  // namespace keydrape
