#include "io/cli/commands.h"
#include "io/cli/console_listener.h"
#include "io/cli/console_text.h"
#include "io/perform/read_runs.h"
#include "io/perform/run_place.h"
#include "io/perform/solve_run.h"

namespace keydrape {

ExitCode solve(const SolveArguments& arguments, const CommonOptions& options) {
  const Scene scene = read_scene(arguments.scene);
  const PlaceOrder place{.folder = arguments.folder,
                         .take = arguments.take,
                         .earlier = options.earlier_run(),
                         .resume = arguments.resume};
  if (arguments.dry_run) {
    static_cast<void>(RunPlace(scene, place, RunCommand::kSolve));  // refuses names as the run does
    refuse_without_targets(scene);
    Shot shot = open_shot(scene);
    add_doubts_of_read_runs(scene_files(scene), shot.warnings);
    return dry_run(scene, shot, DryRun::kSolve, options);
  }
  ConsoleListener listener(options);
  const SolvedRun run =
      solve_in_folder(scene,
                      {.place = place,
                       .report = arguments.report,
                       .live = arguments.live ? RunningReport::Live::kYes : RunningReport::Live::kNo,
                       .one_window = arguments.one_window},
                      listener);
  print_text(options.json ? run.json : run.folder.string() + "\n");
  return exit_code(run.summary.status);
}

}  // namespace keydrape
