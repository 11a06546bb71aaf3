#include "io/wedge/wedge_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <list>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/file/printable.h"
#include "io/run/run_folder.h"
#include "io/shot/control.h"
#include "io/wedge/element_files.h"
#include "io/wedge/forward_memory.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 80;

// "003-effort-1e-5-tolerance-0.002"
std::string name_of(int number, const std::vector<SceneSetting>& settings) {
  std::string name = fmt::format("{:03}", number);
  for (const SceneSetting& setting : settings) {
    std::string value = fs::path(setting.value).filename().string();
    std::erase_if(value, [](char c) { return c == '"' || c == '\''; });
    std::string part = setting.key.substr(setting.key.rfind('.') + 1) + "-" + value;
    for (char& c : part)
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_') c = '-';
    if (name.size() + part.size() < kLongestName) name += "-" + part;
  }
  return name;
}

std::string text_of(const std::vector<SceneSetting>& settings) {
  std::string text;
  for (const SceneSetting& setting : settings)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", setting.key, setting.value);
  return text.empty() ? "the scene as it is" : text;
}

// The fields of a CSV file, row by row; quoted ones may hold commas, line breaks and doubled quotes.
std::vector<std::vector<std::string>> csv_rows(std::string_view text, const std::string& path) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // spreadsheets write it
  std::vector<std::vector<std::string>> rows(1);
  std::string field;
  bool is_quoted = false, is_blank = true;  // a line without anything is no row; one of "" is
  const auto end_row = [&] {
    rows.back().push_back(std::exchange(field, {}));
    if (std::exchange(is_blank, true)) rows.pop_back();
    rows.emplace_back();
  };
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    is_blank = is_blank && (c == '\n' || c == '\r');
    if (is_quoted) {
      if (c == '"' && k + 1 < text.size() && text[k + 1] == '"')
        field += text[++k];
      else if (c == '"')
        is_quoted = false;
      else
        field += c;
    } else if (c == '"' && field.empty()) {
      is_quoted = true;
    } else if (c == '\n') {
      end_row();
    } else if (c == ',') {
      rows.back().push_back(std::exchange(field, {}));
    } else if (c != '\r') {
      field += c;
    }
  }
  if (is_quoted) throw InputError(fmt::format("{}: found a quote that is not closed; close it", path));
  end_row();
  rows.pop_back();
  return rows;
}

// Its values could contradict each other, and only the last one would count. Columns without a key may be
// many: spreadsheets leave empty ones behind.
void refuse_key_twice(const std::vector<std::string>& header, const fs::path& file) {
  std::map<std::string_view, std::size_t> columns;
  for (std::size_t k = 0; k < header.size(); ++k) {
    const auto [first, is_new] = columns.emplace(header[k], k);
    if (!is_new && !header[k].empty())
      throw InputError(
          fmt::format("{}: header: found {} in columns {} and {}; expected a key once; remove "
                      "one of the columns",
                      file.string(), in_quotes(header[k]), first->second + 1, k + 1));
  }
}

nlohmann::ordered_json plan_json(const WedgePlan& plan) {
  nlohmann::ordered_json elements = nlohmann::ordered_json::array();
  for (const WedgeElement& element : plan.elements) {
    nlohmann::ordered_json settings = nlohmann::ordered_json::array();
    for (const SceneSetting& setting : element.settings)
      settings.push_back({{"key", setting.key}, {"value", setting.value}});
    elements.push_back({{"number", element.number},
                        {"name", element.name},
                        {"memory_gb", element.memory_gb},
                        {"windows", element.windows},
                        {"settings", settings}});
  }
  return {{"scene", plan.scene.string()}, {"command", word(plan.command)}, {"elements", elements}};
}

WedgeCommand command_of(const std::string& text) {
  for (const WedgeCommand command : {WedgeCommand::kSolve, WedgeCommand::kSimulate})
    if (text == word(command)) return command;
  throw InputError(fmt::format("command: found {}; expected solve or simulate", in_quotes(text)));
}

// Of the element `number`, from 1. Results in the folder of its name may be removed: within the wedge.
WedgeElement element_of(const nlohmann::ordered_json& json, int number) {
  WedgeElement element{whole_number(json.at("number")), json.at("name"), {}};
  element.memory_gb = json.at("memory_gb");
  element.windows = whole_number(json.at("windows"));
  for (const auto& setting : json.at("settings"))
    element.settings.push_back({setting.at("key"), setting.at("value")});
  const auto refuse = [&](const std::string& found, std::string_view expected) {
    throw InputError(fmt::format("element {}: found {}; expected {}", number, found, expected));
  };
  const fs::path name = element.name;
  if (name.empty() || name != name.filename() || name == "." || name == "..")
    refuse("the name " + in_quotes(element.name), "that of a folder within the wedge");
  if (element.number != number) refuse(fmt::format("the number {}", element.number), "its place in the list");
  if (!(element.memory_gb >= 0.0 && std::isfinite(element.memory_gb)))
    refuse(fmt::format("memory_gb = {}", element.memory_gb), "no less than 0");
  if (element.windows < 0) refuse(fmt::format("windows = {}", element.windows), "no less than 0");
  return element;
}

bool has_results(const fs::path& folder) {
  for (const std::string_view mark : {"summary.json", "checkpoint.json", "keydrape.log"})
    if (fs::exists(folder / mark)) return true;
  return false;
}

// Those whose results go with --force: of a damaged wedge only the folders are known that the new one takes.
std::vector<WedgeElement> replaced_elements(const fs::path& wedge, const WedgePlan& plan) {
  try {
    return read_wedge(wedge).elements;
  } catch (const InputError&) {
    return plan.elements;
  }
}

bool holds(const fs::path& file, const std::string& text) {
  return fs::exists(file) && read_file(file) == text;
}

// Refuses where the folder's wedge is another one.
void refuse_to_change(const fs::path& wedge, const WedgePlan& plan, const std::vector<ElementInput>& inputs) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(
        fmt::format("{}: {}; --force removes its results and begins anew, -o chooses another folder",
                    wedge.string(), what));
  };
  const WedgePlan before = read_wedge(wedge);
  if (before.command != plan.command)
    refuse(fmt::format("the wedge in it was one of {}, this is one of {}", word(before.command),
                       word(plan.command)));
  if (before.elements.size() != plan.elements.size())
    refuse(fmt::format("the wedge in it has {} elements, this one {}", before.elements.size(),
                       plan.elements.size()));
  for (std::size_t k = 0; k < plan.elements.size(); ++k) {
    const WedgeElement& was = before.elements[k];
    const WedgeElement& is = plan.elements[k];
    if (was.name != is.name || was.settings != is.settings)
      refuse(fmt::format("element {} of the wedge in it sets {}, of this one {}", is.number,
                         text_of(was.settings), text_of(is.settings)));
    const fs::path folder = element_folder(wedge, is), scene = element_scene(wedge, plan, is);
    if (!has_results(folder)) continue;
    if (!holds(scene, inputs[k].scene))
      refuse(fmt::format("{} has changed since element {} was begun", plan.scene.string(), is.number));
    if (const auto changes = changed_files(folder, inputs[k].files); !changes.empty())
      refuse(fmt::format("a file of element {} has changed since it was begun: {}", is.number,
                         in_short(changes)));
  }
}

// Elements that differ in this alone would be equal.
void refuse_output_folder(const std::vector<SceneSetting>& settings, const Scene& scene) {
  for (const SceneSetting& setting : settings)
    if (setting.key == "output.dir" || (setting.key == "output" && !scene.output.holds_takes))
      throw InputError(
          "[output] dir: found it among the settings; expected other keys, since an element's results go to "
          "its own folder in the wedge, whatever dir says; leave it out, and name the wedge's folder by -o");
}

}  // namespace

std::string_view word(WedgeCommand command) { return command == WedgeCommand::kSolve ? "solve" : "simulate"; }

std::vector<std::vector<SceneSetting>> settings_of_lists(const std::vector<std::string>& lists) {
  std::vector<std::vector<SceneSetting>> all(1);
  std::set<std::string> keys;
  for (const std::string& list : lists) {
    const std::size_t equals = list.find('=');
    const std::string place = fmt::format("--set {}", printable(list));
    if (equals == std::string::npos || equals == 0)
      throw InputError(
          fmt::format("{}: found no =; expected a key and its values, such as "
                      "--set control.effort=1e-5,1e-4",
                      place));
    const std::string key = list.substr(0, equals);
    if (!keys.insert(key).second)
      throw InputError(fmt::format("{}: found {} twice; expected all its values in one list", place, key));
    std::vector<std::vector<SceneSetting>> product;
    const std::vector<std::string> values = toml_values(std::string_view(list).substr(equals + 1), place);
    if (all.size() * values.size() > kMostElements)
      throw InputError(
          fmt::format("{}: found more than {} elements; expected fewer values", place, kMostElements));
    for (const auto& settings : all)
      for (const std::string& value : values) {
        product.push_back(settings);
        product.back().push_back({key, value});
      }
    all = std::move(product);
  }
  return all;
}

std::vector<std::vector<SceneSetting>> settings_of_table(const fs::path& file) {
  const auto rows = csv_rows(read_file(file), file.string());
  if (rows.size() < 2)
    throw InputError(
        fmt::format("{}: found {} rows; expected a header of keys, such as control.effort, and a row "
                    "for each element",
                    file.string(), rows.size()));
  refuse_key_twice(rows[0], file);
  std::vector<std::vector<SceneSetting>> all;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    if (rows[r].size() != rows[0].size())
      throw InputError(fmt::format("{}: row {}: found {} fields; expected {}, as the header has",
                                   file.string(), r, rows[r].size(), rows[0].size()));
    std::vector<SceneSetting>& settings = all.emplace_back();
    for (std::size_t k = 0; k < rows[r].size(); ++k) {
      if (rows[r][k].empty()) continue;
      const std::string place = fmt::format("{}: row {}: {}", file.string(), r, rows[0][k]);
      // A field is one value, commas or not.
      const std::vector<std::string> values = toml_values(rows[r][k], place);
      if (values.size() != 1)
        throw InputError(fmt::format("{}: found {} values; expected one; a list stands in brackets", place,
                                     values.size()));
      settings.push_back({rows[0][k], values[0]});
    }
  }
  return all;
}

WedgePlan make_wedge_plan(const fs::path& scene, WedgeCommand command,
                          const std::vector<std::vector<SceneSetting>>& settings) {
  if (settings.size() > kMostElements)
    throw InputError(fmt::format("{}: found {} elements; expected at most {}", scene.string(),
                                 settings.size(), kMostElements));
  WedgePlan plan{short_path(fs::absolute(scene)), command, {}};
  std::set<std::string> texts;
  for (const auto& each : settings) {
    const int number = static_cast<int>(plan.elements.size()) + 1;
    if (!texts.insert(text_of(each)).second)
      throw InputError(
          fmt::format("element {}: found {} twice; expected elements that differ", number, text_of(each)));
    plan.elements.push_back({number, name_of(number, each), each});
  }
  return plan;
}

std::vector<ElementInput> element_inputs(WedgePlan& plan) {
  std::vector<ElementInput> inputs;
  FilesByContents files;
  ForwardMemory forward_memory;
  for (WedgeElement& element : plan.elements) {
    try {
      EditedScene edited = edited_scene(plan.scene, element.settings);
      refuse_output_folder(element.settings, edited.scene);
      const bool has_target = !edited.scene.keyframes.empty() || !edited.scene.tracks.empty();
      if (plan.command == WedgeCommand::kSolve && !has_target)
        throw InputError(
            fmt::format("{}: has no [[keyframe]] and no [[track]]; expected one or more to solve for; "
                        "--simulate runs it without",
                        plan.scene.string()));
      const Scene& scene = edited.scene;
      element.memory_gb =
          plan.command == WedgeCommand::kSolve ? scene.solver.memory_gb : forward_memory.of(scene);
      const bool is_search = plan.command == WedgeCommand::kSolve && scene.control.windows;
      element.windows =
          is_search ? static_cast<int>(control_windows(scene.control, scene.shot.frames).size()) : 0;
      inputs.push_back({std::move(edited.text), files.of(edited.scene)});
    } catch (const InputError& error) {
      if (element.settings.empty()) throw;
      throw InputError(fmt::format("with {}: {}", text_of(element.settings), error.what()));
    }
  }
  return inputs;
}

fs::path element_folder(const fs::path& wedge, const WedgeElement& element) { return wedge / element.name; }

fs::path element_scene(const fs::path& wedge, const WedgePlan& plan, const WedgeElement& element) {
  return element_folder(wedge, element) / plan.scene.filename();
}

void write_wedge(const fs::path& wedge, WedgePlan plan, EarlierWedge earlier) {
  const std::vector<ElementInput> inputs = element_inputs(plan);
  const bool stands = fs::exists(wedge / kWedgeFile);
  if (stands && earlier == EarlierWedge::kContinue) refuse_to_change(wedge, plan, inputs);
  if (stands && earlier == EarlierWedge::kReplace) {
    const std::vector<WedgeElement> replaced = replaced_elements(wedge, plan);
    std::list<RunFolder> emptied;  // all of them, before the first result goes
    for (const WedgeElement& element : replaced)
      if (const fs::path folder = element_folder(wedge, element); has_results(folder))
        emptied.emplace_back(folder, EarlierRun::kReplace);
    for (const RunFolder& folder : emptied) folder.begin("wedge");
    for (const WedgeElement& element : replaced) fs::remove(element_folder(wedge, element) / kElementFile);
  }
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const fs::path folder = element_folder(wedge, plan.elements[k]);
    fs::create_directories(folder);
    const fs::path scene = element_scene(wedge, plan, plan.elements[k]);
    if (!holds(scene, inputs[k].scene)) write_file_atomically(scene, inputs[k].scene);
    // Of results that are older than the record nobody knows what they were made of.
    if (!has_results(folder)) record_files(folder, inputs[k].files);
  }
  write_file_atomically(wedge / kWedgeFile, json_text(plan_json(plan), 2) + "\n");
}

WedgePlan read_wedge(const fs::path& wedge) {
  const fs::path file = wedge / kWedgeFile;
  if (!fs::exists(file))
    throw InputError(
        fmt::format("{}: holds no {}; expected the folder of a wedge, or a scene file with --set",
                    wedge.string(), kWedgeFile));
  const std::string text = read_file(file);
  try {
    const nlohmann::ordered_json json = parse_json(text);
    WedgePlan plan{json.at("scene").get<std::string>(), command_of(json.at("command")), {}};
    for (const auto& each : json.at("elements"))
      plan.elements.push_back(element_of(each, static_cast<int>(plan.elements.size()) + 1));
    return plan;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: damaged: {}; make it anew from its scene, with --force", file.string(),
                                 shortened(error.what())));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: damaged: {}; make it anew from its scene, with --force", file.string(),
                                 error.what()));
  }
}

}  // namespace keydrape
