#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "io/cli/commands.h"
#include "io/cli/common_options.h"
#include "io/cli/console_text.h"
#include "io/cli/log.h"
#include "io/file/interrupt.h"
#include "io/file/json_text.h"
#include "io/play/session.h"

namespace keydrape {

void add_play(CLI::App& app, PlayArguments& arguments, CommonOptions& options) {
  static const std::map<std::string, bool> kSteps = {{"draft", false}, {"scene", true}};
  CLI::App& command = *app.add_subcommand("play", "The scene live in the browser: drag, pose, record, solve");
  add_scene(command, arguments.scene);
  command.add_option("--port", arguments.port, "of 127.0.0.1; default: a free one")
      ->check(CLI::Range(1, 65535).description(""))
      ->type_name("NUMBER");
  command.add_option("--step", arguments.is_exact, "linearised steps, or those of the scene; default: draft")
      ->transform(CLI::CheckedTransformer(kSteps).description(""))
      ->type_name("draft|scene");
  command.add_option("--substeps", arguments.substeps, "in place of the scene's: 1 is fastest")
      ->check(CLI::Range(1, 100000).description(""))
      ->type_name("NUMBER");
  command.add_option("--last", arguments.last_frame, "frame to play on to, beyond the scene's last")
      ->type_name("NUMBER");
  add_common_options(command, options);
}

ExitCode play(const PlayArguments& arguments, const CommonOptions& options) {
  const Scene scene = read_scene(arguments.scene);
  const StageOptions how{arguments.is_exact ? StepQuality::kScene : StepQuality::kDraft, arguments.substeps,
                         arguments.last_frame};
  PlaySession session(scene, how, arguments.port);
  const nlohmann::ordered_json place = {{"url", session.url()}};
  print_text(options.json ? json_text(place, 2) + "\n" : session.url() + "\n");
  log_info("open this page in a browser; Ctrl-C ends the stage");
  while (!interrupt_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return ExitCode::kDone;
}

}  // namespace keydrape
