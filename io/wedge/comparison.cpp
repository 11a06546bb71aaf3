#include "io/wedge/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "io/file/json_text.h"
#include "io/file/printable.h"
#include "io/file/short_number.h"

namespace keydrape {
namespace {

constexpr std::size_t kMostShown = 200;  // rows of the table for people

std::vector<std::string> keys_of(const std::vector<WedgeRow>& rows) {
  std::vector<std::string> keys;
  for (const WedgeRow& row : rows)
    for (const SceneSetting& setting : row.element->settings)
      if (std::find(keys.begin(), keys.end(), setting.key) == keys.end()) keys.push_back(setting.key);
  return keys;
}

std::string value_of(const WedgeRow& row, const std::string& key) {
  for (const SceneSetting& setting : row.element->settings)
    if (setting.key == key) return setting.value;
  return "";
}

// The largest miss over what is allowed.
double worst_excess(const ElementOutcome& outcome) {
  double worst = 0;
  for (const ElementTarget& target : outcome.targets) worst = std::max(worst, target.excess.value_or(0.0));
  return worst;
}

double worst_rms(const ElementOutcome& outcome) {
  double worst = 0;
  for (const ElementTarget& target : outcome.targets) worst = std::max(worst, target.rms);
  return worst;
}

bool has_tolerances(const ElementOutcome& outcome) {
  return std::any_of(outcome.targets.begin(), outcome.targets.end(),
                     [](const ElementTarget& target) { return target.excess.has_value(); });
}

// What an element has come to. Less is better.
enum class WedgeRank { kReached, kMissed, kNothingAsked };

// Requires an effort.
std::pair<WedgeRank, double> rank_of(const ElementOutcome& outcome) {
  if (!has_tolerances(outcome)) return {WedgeRank::kNothingAsked, worst_rms(outcome)};
  if (outcome.state == ElementState::kMissed) return {WedgeRank::kMissed, worst_excess(outcome)};
  return {WedgeRank::kReached, *outcome.rms_g};
}

std::string best_text(const WedgeRow& row) {
  const std::string& name = row.element->name;
  if (!has_tolerances(row.outcome))
    return fmt::format("best: {}, the least miss of its worst keyframe; none has a tolerance", name);
  if (row.outcome.state == ElementState::kDone)
    return fmt::format("best: {}, the least effort of those that reach every keyframe", name);
  return fmt::format("best: {}; none reaches every keyframe, this one comes nearest", name);
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of("\",\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; }

std::string misses_text(const ElementOutcome& outcome) {
  std::string text;
  for (const ElementTarget& target : outcome.targets)
    text += fmt::format("{}{}", text.empty() ? "" : " ", short_number(1e3 * target.rms));
  return text;
}

// Names of the targets that any row has, in the order of their frames.
std::vector<std::string> targets_of(const std::vector<WedgeRow>& rows) {
  std::map<std::tuple<int, int, int>, std::string> names;
  for (const WedgeRow& row : rows)
    for (const ElementTarget& target : row.outcome.targets)
      names[{target.frames.first, target.frames.last, target.ordinal}] = target.name();
  std::vector<std::string> all;
  all.reserve(names.size());
  for (const auto& [place, name] : names) all.push_back(name);
  return all;
}

}  // namespace

std::vector<WedgeRow> wedge_rows(const std::filesystem::path& wedge, const WedgePlan& plan) {
  std::vector<WedgeRow> rows;
  rows.reserve(plan.elements.size());
  for (const WedgeElement& element : plan.elements)
    rows.push_back({&element, element_outcome(element_folder(wedge, element))});
  return rows;
}

std::optional<int> best_row(const std::vector<WedgeRow>& rows, WedgeCommand command) {
  if (command == WedgeCommand::kSimulate) return {};
  std::optional<int> best;
  std::pair<WedgeRank, double> least;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const ElementOutcome& outcome = rows[k].outcome;
    const bool has_run = outcome.state == ElementState::kDone || outcome.state == ElementState::kMissed;
    if (!has_run || !outcome.rms_g) continue;
    const std::pair<WedgeRank, double> rank = rank_of(outcome);
    if (best && !(rank < least)) continue;
    best = static_cast<int>(k);
    least = rank;
  }
  return best;
}

std::string wedge_csv(const std::vector<WedgeRow>& rows) {
  const std::vector<std::string> keys = keys_of(rows);
  const std::vector<std::string> targets = targets_of(rows);
  std::string text = "element,folder";
  for (const std::string& key : keys) text += "," + csv_field(key);
  text += ",status,exit_code";
  for (const std::string& target : targets) text += fmt::format(",rms_m_{0},max_m_{0}", target);
  text += ",effort_rms_g,effort_peak_g,forward_simulations,seconds,peak_rss_bytes,reason\n";
  for (const WedgeRow& row : rows) {
    const ElementOutcome& outcome = row.outcome;
    text += fmt::format("{},{}", row.element->number, csv_field(row.element->name));
    for (const std::string& key : keys) text += "," + csv_field(value_of(row, key));
    text += fmt::format(",{},{}", word(outcome.state),
                        outcome.exit_code ? fmt::format("{}", *outcome.exit_code) : "");
    for (const std::string& target : targets) {
      const auto at = std::find_if(outcome.targets.begin(), outcome.targets.end(),
                                   [&](const ElementTarget& each) { return each.name() == target; });
      text += at == outcome.targets.end() ? ",," : fmt::format(",{},{}", at->rms, at->max);
    }
    text += fmt::format(",{},{},{},{:.2f},{:.0f},{}\n", number(outcome.rms_g), number(outcome.peak_g),
                        outcome.forward_simulations, outcome.seconds, outcome.peak_rss_bytes,
                        csv_field(outcome.reason));
  }
  return text;
}

std::vector<std::string> wedge_table(const std::vector<WedgeRow>& rows, WedgeCommand command) {
  std::size_t width = 7;
  for (const WedgeRow& row : rows) width = std::max(width, row.element->name.size());
  std::vector<std::string> lines = {fmt::format("{:<{}}  {:<11} {:<20} {:>9} {:>9} {:>6} {:>8}", "element",
                                                width, "status", "misses, RMS [mm]", "effort, g", "peak, g",
                                                "runs", "time, s")};
  for (const WedgeRow& row : rows) {
    if (lines.size() > kMostShown) {
      lines.push_back(fmt::format("and {} more: wedge.csv has all", rows.size() - kMostShown));
      break;
    }
    const ElementOutcome& outcome = row.outcome;
    const auto grams = [](const std::optional<double>& value) {
      return value ? fmt::format("{}", short_number(*value)) : std::string("-");
    };
    lines.push_back(fmt::format("{:<{}}  {:<11} {:<20} {:>9} {:>9} {:>6} {:>8}{}", row.element->name, width,
                                word(outcome.state), misses_text(outcome), grams(outcome.rms_g),
                                grams(outcome.peak_g), outcome.forward_simulations,
                                outcome.seconds > 0.0 ? fmt::format("{:.1f}", outcome.seconds) : "-",
                                outcome.reason.empty() ? "" : "  " + printable(outcome.reason)));
  }
  if (const auto best = best_row(rows, command))
    lines.push_back(best_text(rows[static_cast<std::size_t>(*best)]));
  return lines;
}

std::string wedge_json(const std::filesystem::path& wedge, const std::vector<WedgeRow>& rows,
                       WedgeCommand command) {
  nlohmann::ordered_json elements = nlohmann::ordered_json::array();
  for (const WedgeRow& row : rows) {
    nlohmann::ordered_json settings = nlohmann::ordered_json::object();
    for (const SceneSetting& setting : row.element->settings) settings[setting.key] = setting.value;
    nlohmann::ordered_json each = {{"element", row.element->number},
                                   {"folder", element_folder(wedge, *row.element).string()},
                                   {"settings", settings},
                                   {"status", word(row.outcome.state)}};
    each["exit_code"] = row.outcome.exit_code ? nlohmann::ordered_json(*row.outcome.exit_code) : nullptr;
    if (!row.outcome.reason.empty()) each["reason"] = row.outcome.reason;
    elements.push_back(std::move(each));
  }
  const auto best = best_row(rows, command);
  nlohmann::ordered_json json = {{"folder", wedge.string()}, {"elements", elements}};
  json["best"] =
      best ? nlohmann::ordered_json(rows[static_cast<std::size_t>(*best)].element->number) : nullptr;
  return json_text(json, 2) + "\n";
}

}  // namespace keydrape
