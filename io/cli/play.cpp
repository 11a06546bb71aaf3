#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/cli/log.h"
#include "io/file/interrupt.h"
#include "io/file/json_text.h"
#include "io/play/session.h"

namespace keydrape {

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
