#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "core/error.h"
#include "io/cli/commands.h"
#include "io/cli/report.h"
#include "io/templates/scene_template.h"

namespace keydrape {

std::vector<std::string> template_names() {
  std::vector<std::string> names;
  for (const SceneTemplate& each : scene_templates()) names.emplace_back(each.name);
  return names;
}

ExitCode new_shot(const NewArguments& arguments, const CommonOptions& options) {
  if (std::filesystem::exists(arguments.folder / "shot.toml") && !options.force) {
    throw InputError(fmt::format("{}: holds a shot.toml; expected a new folder; --force writes over it",
                                 arguments.folder.string()));
  }
  for (const SceneTemplate& each : scene_templates()) {
    if (each.name != arguments.name) continue;
    const std::string scene = write_template(each, arguments.folder).string();
    spdlog::info("{}: {}; next: keydrape solve {}", arguments.folder.string(), each.meaning, scene);
    print_text(scene + "\n");
  }
  return ExitCode::kDone;
}

}  // namespace keydrape
