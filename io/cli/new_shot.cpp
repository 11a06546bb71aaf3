#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/cli/log.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/file/printable.h"
#include "io/formats/named_file.h"
#include "io/templates/own_mesh.h"
#include "io/templates/scene_template.h"

namespace keydrape {

std::vector<std::string> template_names() {
  std::vector<std::string> names;
  for (const SceneTemplate& each : scene_templates()) names.emplace_back(each.name);
  return names;
}

namespace {

// Values as JSON has them: those of templates are written alike in both.
nlohmann::ordered_json new_json(const SceneTemplate& scene_template, const std::string& scene) {
  nlohmann::ordered_json json = {{"scene", scene},
                                 {"tables", nlohmann::ordered_json::array()},
                                 {"groups", nlohmann::ordered_json::object()},
                                 {"remarks", scene_template.remarks}};
  for (const TemplateTable& table : scene_template.tables) {
    if (table.is_commented) continue;
    nlohmann::ordered_json keys = nlohmann::ordered_json::object();
    for (const auto& [key, value] : table.values) keys[key] = nlohmann::ordered_json::parse(value);
    json["tables"].push_back({{"table", table.path}, {"keys", keys}});
  }
  for (const auto& [name, mesh] : scene_template.meshes())
    if (name == "rest.obj")
      for (const auto& [group, vertices] : mesh.groups) json["groups"][group] = vertices;
  return json;
}

// `own_mesh`: what the shot is made around; empty: nothing. It stays, even with --force.
void refuse_to_overwrite(const SceneTemplate& scene_template, const std::filesystem::path& folder,
                         const std::filesystem::path& own_mesh, const CommonOptions& options) {
  std::vector<std::filesystem::path> files = {folder / "shot.toml"};
  for (const auto& [name, mesh] : scene_template.meshes()) files.push_back(folder / name);
  if (!own_mesh.empty()) refuse_to_write_over(own_mesh, "MESH", files);
  if (!options.force) refuse_to_replace(files);
}

ExitCode write(const SceneTemplate& scene_template, const NewArguments& arguments,
               const CommonOptions& options) {
  const std::filesystem::path& folder = arguments.folder;
  refuse_to_overwrite(scene_template, folder, arguments.mesh, options);
  for (const std::string& remark : scene_template.remarks) log_info("{}", remark);
  const std::string scene = write_template(scene_template, folder).string();
  const bool has_keyframe =
      std::any_of(scene_template.tables.begin(), scene_template.tables.end(),
                  [](const TemplateTable& table) { return table.path == "keyframe" && !table.is_commented; });
  log_info("{}: {}; next: keydrape {} {}", folder.string(), scene_template.meaning,
           has_keyframe ? "solve" : "simulate", shell_word(scene));
  print_text(options.json ? json_text(new_json(scene_template, scene), 2) + "\n" : scene + "\n");
  return ExitCode::kDone;
}

}  // namespace

ExitCode new_shot(const NewArguments& arguments, const CommonOptions& options) {
  if (!arguments.mesh.empty()) {
    std::vector<std::string> warnings;
    const SceneTemplate around_mesh =
        own_mesh_template(arguments.mesh, {arguments.up_axis, arguments.meters_per_unit}, warnings);
    log_warnings(warnings);
    return write(around_mesh, arguments, options);
  }
  const std::span<const SceneTemplate> templates = scene_templates();
  const auto named = std::find_if(templates.begin(), templates.end(),
                                  [&](const SceneTemplate& each) { return each.name == arguments.name; });
  assert(named != templates.end());
  return write(*named, arguments, options);
}

}  // namespace keydrape
