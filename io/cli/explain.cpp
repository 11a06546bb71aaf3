#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/cloth/material.h"
#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/file/json_text.h"
#include "io/file/short_number.h"
#include "io/scene/reference/reference_page.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSuggestions = 5;

Json json(const TableReference& table, const KeyReference& key) {
  return {{"table", table.path},
          {"key", key.name},
          {"type", key.type},
          {"unit", key.unit},
          {"range", key.range},
          {"usual", key.usual},
          {"default", key.default_text},
          {"meaning", key.meaning},
          {"when", key.when}};
}

// A table's keys, or the key alone.
void append(const ReferenceMatch& match, Json& keys) {
  if (match.key != nullptr) {
    keys.push_back(json(*match.table, *match.key));
  } else {
    for (const KeyReference& key : match.table->keys) keys.push_back(json(*match.table, key));
  }
}

// Keys that a word between quotes is a value of.
std::vector<ReferenceMatch> keys_with_value(const std::vector<TableReference>& reference,
                                            const std::string& word) {
  std::vector<ReferenceMatch> matches;
  for (const TableReference& table : reference)
    for (const KeyReference& key : table.keys)
      if (key.type.find('"' + word + '"') != std::string::npos) matches.push_back({&table, &key});
  return matches;
}

std::string fabric_row(const MaterialPreset& preset) {
  const Material& m = preset.material;
  return fmt::format(
      "  {:<9} {} kg/m^2, stretch [{}, {}] N/m, shear {} N/m, bend {} N m, damping {} s, {} mm "
      "thick{}\n",
      preset.name, m.density, m.k_warp, m.k_weft, m.k_shear, m.bend, m.damping,
      short_number(1e3 * m.thickness), m.coupling > 0.0 ? fmt::format(", coupling {}", m.coupling) : "");
}

// The numbers behind the names of fabrics.
std::string fabrics(const ReferenceMatch& match, const std::string& name) {
  std::string text;
  if (match.key == nullptr || match.key->name != "preset") return text;
  for (const MaterialPreset& preset : material_presets())
    if (name == preset.name) return fabric_row(preset);
  for (const MaterialPreset& preset : material_presets()) text += fabric_row(preset);
  return text;
}

[[noreturn]] void refuse_unknown(const std::vector<TableReference>& reference, const std::string& name) {
  const std::vector<std::string> nearest = nearest_in_reference(reference, name, kSuggestions);
  const std::string meant = nearest.empty() ? "keydrape explain lists them"
                                            : fmt::format("did you mean {}?", fmt::join(nearest, ", "));
  throw InputError(
      fmt::format("explain: found \"{}\"; expected a key or table of the scene file; {}", name, meant));
}

}  // namespace

ExitCode explain(const std::string& name, const CommonOptions& options) {
  const std::vector<TableReference> reference = scene_reference();
  std::vector<ReferenceMatch> matches;
  std::string word = name;  // cotton, or "cotton" as it stands in the scene
  std::erase(word, '"');
  if (name.empty()) {
    for (const TableReference& table : reference) matches.push_back({&table, nullptr});
  } else {
    matches = find_in_reference(reference, name);
    if (matches.empty()) matches = keys_with_value(reference, word);
    if (matches.empty()) refuse_unknown(reference, name);
  }
  if (options.json) {
    Json keys = Json::array();
    for (const ReferenceMatch& match : matches) append(match, keys);
    print_text(json_text(keys, 2) + "\n");
    return ExitCode::kDone;
  }
  std::string text;
  for (const ReferenceMatch& match : matches) {
    if (!text.empty()) text += '\n';
    text += explanation(match) + fabrics(match, word);
  }
  print_text(text);
  return ExitCode::kDone;
}

}  // namespace keydrape
