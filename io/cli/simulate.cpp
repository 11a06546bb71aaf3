#include "io/cli/commands.h"
#include "io/cli/console_listener.h"
#include "io/cli/console_text.h"
#include "io/perform/run_place.h"
#include "io/perform/simulate_run.h"

namespace keydrape {

ExitCode simulate(const SimulateArguments& arguments, const CommonOptions& options) {
  const Scene scene = read_scene(arguments.scene);
  const SimulateOrder order{.place = {.folder = arguments.folder,
                                      .take = arguments.take,
                                      .earlier = options.earlier_run(),
                                      .resume = arguments.resume},
                            .forces = arguments.forces,
                            .channels = arguments.channels,
                            .along = arguments.along,
                            .quality = arguments.draft ? StepQuality::kDraft : StepQuality::kScene};
  if (arguments.dry_run) {
    static_cast<void>(RunPlace(scene, order.place, RunCommand::kSimulate));  // refuses names as the run does
    return dry_run(scene, simulated_shot(scene, order), DryRun::kSimulate, options);
  }
  ConsoleListener listener(options);
  const SimulatedRun run = simulate_in_folder(scene, order, listener);
  print_text(options.json ? run.json : run.folder.string() + "\n");
  return exit_code(run.summary.status);
}

}  // namespace keydrape
