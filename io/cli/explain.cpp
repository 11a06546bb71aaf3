#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/file/json_text.h"
#include "io/scene/reference/reference_page.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSuggestions = 5;

Json json(const TableReference& table, const KeyReference& key) {
  return {{"table", table.path},    {"key", key.name},    {"type", key.type},
          {"unit", key.unit},       {"range", key.range}, {"default", key.default_text},
          {"meaning", key.meaning}, {"when", key.when}};
}

// A table's keys, or the key alone.
void append(const ReferenceMatch& match, Json& keys) {
  if (match.key != nullptr) {
    keys.push_back(json(*match.table, *match.key));
  } else {
    for (const KeyReference& key : match.table->keys) keys.push_back(json(*match.table, key));
  }
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
  if (name.empty()) {
    for (const TableReference& table : reference) matches.push_back({&table, nullptr});
  } else {
    matches = find_in_reference(reference, name);
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
    text += explanation(match);
  }
  print_text(text);
  return ExitCode::kDone;
}

}  // namespace keydrape
