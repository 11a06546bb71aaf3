#include "io/cli/common_options.h"

#include <map>

namespace keydrape {

void add_common_options(CLI::App& command, CommonOptions& options) {
  static const std::map<std::string, ProgressStyle> kStyles = {{"auto", ProgressStyle::kAuto},
                                                               {"bar", ProgressStyle::kBar},
                                                               {"lines", ProgressStyle::kLines},
                                                               {"none", ProgressStyle::kNone}};
  command.add_option("--threads", options.threads, "threads to use; the results are the same for any number")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("NUMBER");
  command.add_flag("--quiet", options.quiet, "only warnings and errors on stderr");
  command.add_flag("--json", options.json, "results as JSON on stdout");
  command.add_option("--progress", options.progress, "how progress is shown on stderr")
      ->transform(CLI::CheckedTransformer(kStyles).description(""))
      ->type_name("auto|bar|lines|none");
  command.add_flag("--force", options.force, "replace the results of a finished run");
}

void add_scene(CLI::App& command, std::filesystem::path& scene) {
  command.add_option("scene", scene, "scene file")->required()->type_name("SCENE.toml");
}

}  // namespace keydrape
