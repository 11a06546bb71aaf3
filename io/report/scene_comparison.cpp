#include "io/report/scene_comparison.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "io/scene/scene_reference.h"
#include "io/scene/written_keys.h"

namespace keydrape {
namespace {

using Json = nlohmann::json;

// "keyframe.1.tolerance" is one of the table "keyframe".
std::string without_numbers(const std::string& key) {
  std::string name;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    const std::string part = key.substr(begin, end - begin);
    const bool is_number = std::all_of(
        part.begin(), part.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
    if (!is_number) name += (name.empty() ? "" : ".") + part;
    begin = end + 1;
  }
  return name;
}

Json default_of(const std::string& key, const std::vector<TableReference>& reference) {
  const std::string name = without_numbers(key);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {};
  for (const TableReference& table : reference) {
    if (table.path != name.substr(0, dot)) continue;
    for (const KeyReference& each : table.keys)
      if (each.name == name.substr(dot + 1) && each.default_text != "required") return each.default_text;
  }
  return {};
}

}  // namespace

Json scene_comparison_json(const std::vector<ReportRun>& runs) {
  std::map<std::string, std::vector<Json>> values;
  for (std::size_t k = 0; k < runs.size(); ++k)
    for (const SceneSetting& each : written_keys(runs[k].shot.scene_text)) {
      std::vector<Json>& row = values[each.key];
      row.resize(runs.size());
      row[k] = each.value;
    }
  const std::vector<TableReference> reference = scene_reference();
  Json list = Json::array();
  for (const auto& [key, row] : values) {
    const bool differs = std::any_of(row.begin(), row.end(),
                                     [&first = row.front()](const Json& value) { return value != first; });
    if (differs) list.push_back({{"key", key}, {"values", row}, {"default", default_of(key, reference)}});
  }
  return list;
}

Json written_value(const ReportRun& run, const std::string& key) {
  for (const SceneSetting& each : written_keys(run.shot.scene_text))
    if (each.key == key) return each.value;
  return {};
}

}  // namespace keydrape
