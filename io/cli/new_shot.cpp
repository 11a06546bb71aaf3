#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "core/base/error.h"
#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/cli/log.h"
#include "io/templates/own_mesh.h"
#include "io/templates/scene_template.h"

namespace keydrape {

std::vector<std::string> template_names() {
  std::vector<std::string> names;
  for (const SceneTemplate& each : scene_templates()) names.emplace_back(each.name);
  return names;
}

namespace {

ExitCode write(const SceneTemplate& scene_template, const std::filesystem::path& folder) {
  for (const std::string& remark : scene_template.remarks) log_info("{}", remark);
  const std::string scene = write_template(scene_template, folder).string();
  const bool has_keyframe =
      std::any_of(scene_template.tables.begin(), scene_template.tables.end(),
                  [](const TemplateTable& table) { return table.path == "keyframe" && !table.is_commented; });
  log_info("{}: {}; next: keydrape {} {}", folder.string(), scene_template.meaning,
           has_keyframe ? "solve" : "simulate", scene);
  print_text(scene + "\n");
  return ExitCode::kDone;
}

}  // namespace

ExitCode new_shot(const NewArguments& arguments, const CommonOptions& options) {
  if (std::filesystem::exists(arguments.folder / "shot.toml") && !options.force) {
    throw InputError(fmt::format("{}: holds a shot.toml; expected a new folder; --force writes over it",
                                 arguments.folder.string()));
  }
  if (!arguments.mesh.empty()) {
    std::vector<std::string> warnings;
    const SceneTemplate around_mesh = own_mesh_template(arguments.mesh, warnings);
    log_warnings(warnings);
    return write(around_mesh, arguments.folder);
  }
  const std::span<const SceneTemplate> templates = scene_templates();
  const auto named = std::find_if(templates.begin(), templates.end(),
                                  [&](const SceneTemplate& each) { return each.name == arguments.name; });
  assert(named != templates.end());
  return write(*named, arguments.folder);
}

}  // namespace keydrape
