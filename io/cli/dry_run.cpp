#include "io/cli/commands.h"
#include "io/cli/console_text.h"
#include "io/cli/log.h"
#include "io/cli/plan.h"
#include "io/shot/control.h"
#include "io/shot/start.h"

namespace keydrape {

ExitCode dry_run(const Scene& scene, const Shot& shot, DryRun command, const CommonOptions& options) {
  if (command == DryRun::kSolve) {
    check_differentiable(scene, shot.task(), shot.simulator());
    check_draped_anew(scene, shot.prepared);
    check_resumable(scene, shot.simulator());
  }
  log_warnings(shot.warnings);
  const StepCost cost = measure_step_cost(shot);
  if (!cost.failure.empty()) log_warning("{}: without any control {}", scene.source.file, cost.failure);
  const Plan plan = command == DryRun::kSolve ? plan_search(scene, shot, cost) : plan_simulation(shot, cost);
  print_text(options.json ? plan_json(scene, shot, cost, plan) : plan_text(scene, shot, cost, plan));
  return ExitCode::kDone;
}

}  // namespace keydrape
