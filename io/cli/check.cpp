#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "control/optimize/derivative_check.h"
#include "control/shooting_problem.h"
#include "io/cli/commands.h"
#include "io/cli/log.h"
#include "io/cli/report.h"
#include "io/interrupt.h"
#include "io/shot_control.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

// Differences of whole runs need runs that are exact: at 1e-8 the last halvings show Newton's tolerance.
constexpr double kNewtonTolerance = 1e-14;
// Size of the first perturbation [g]; check_derivatives shrinks it until the linear part rules. At 0.05 g light cloth
// that is swung within 5 frames needs several such rounds.
constexpr double kPerturbation = 0.002;
// Passed at these; wrong terms bring orders near 1 and errors near 1.
constexpr double kLowestOrder = 1.9, kLargestDifferenceError = 1e-6, kLargestDotProductError = 1e-10;

// For scenes without keyframes: the cloth at the last frame as it falls, moved by a tenth of its size in
// smooth waves.
Keyframe made_up_keyframe(const Shot& shot) {
  const Trajectory trajectory = rollout(*shot.simulator, shot.start, NoForces(), shot.clock.step_count());
  const double size = bounding_box_diagonal(shot.rest.positions);
  Keyframe keyframe;
  keyframe.state = shot.clock.step_count();
  keyframe.target = trajectory.back().x;
  keyframe.vertex_weight = VecX::Ones(shot.rest.vertex_count());
  for (int i = 0; i < shot.rest.vertex_count(); ++i) {
    const Vec3 phase = 2.0 * shot.rest.positions[i] / size + Vec3(0, 1, 2);
    keyframe.target.segment<3>(3 * i) += 0.1 * size * phase.array().sin().matrix();
  }
  return keyframe;
}

Json json(const DerivativeCheck& check) {
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json orders = Json::array();
  for (const double order : check.taylor_orders) orders.push_back(number(order));
  return {{"taylor_order_mean", number(check.taylor_order_mean)},
          {"taylor_orders", orders},
          {"central_difference_error", number(check.central_difference_error)},
          {"dot_product_error", number(check.dot_product_error)},
          {"residual", number(check.residual)}};
}

bool passed(const DerivativeCheck& check) {
  return check.taylor_order_mean > kLowestOrder && check.central_difference_error < kLargestDifferenceError &&
         check.dot_product_error < kLargestDotProductError;
}

std::string table(const DerivativeCheck& check) {
  std::string orders;
  for (const double order : check.taylor_orders) orders += fmt::format(" {:.3f}", order);
  return fmt::format(
      "Taylor order               {:.3f}  (2 where the gradient is exact;{})\n"
      "central difference error   {:.2e}\n"
      "tangent against adjoint    {:.2e}\n"
      "largest Newton residual    {:.2e}\n"
      "steps with indefinite H    {}\n",
      check.taylor_order_mean, orders, check.central_difference_error, check.dot_product_error,
      check.residual, check.indefinite_steps);
}

}  // namespace

ExitCode check(const std::filesystem::path& path, const CommonOptions& options) {
  Scene scene = read_scene(path);
  scene.solver.newton_tolerance = std::min(scene.solver.newton_tolerance, kNewtonTolerance);
  Shot shot = build_shot(scene);
  log_warnings(shot.warnings);
  if (shot.keyframes.empty()) {
    spdlog::info("{}: no keyframes; the derivatives are tested with one made up at the last frame",
                 path.string());
    shot.objective = make_objective(scene, shot.clock, shot.rest, {made_up_keyframe(shot)}, *shot.layout);
  }

  Progress progress(options.progress, options.quiet);
  ShootingProblem problem(*shot.simulator, shot.start, *shot.layout, *shot.objective,
                          memory_budget_bytes(scene.solver));
  if (shot.base) problem.start_from(*shot.base);
  problem.observe_steps([&](int n, const StepReport&) {
    throw_if_interrupted();
    constexpr double kRuns = 10.0;  // what check_derivatives needs
    const double done = problem.work().forward_simulations + (n + 1.0) / shot.clock.step_count();
    progress.update(done / kRuns, fmt::format("forward run {}", problem.work().forward_simulations + 1));
    return true;
  });
  const DerivativeCheck result = check_derivatives(problem, {.direction_rms_g = kPerturbation});
  progress.clear();

  print_text(options.json ? json(result).dump(2) + "\n" : table(result));
  if (!result.finished) {
    spdlog::error(
        "{}: a simulation failed under the test's forces: the figures mean nothing; try more substeps",
        path.string());
    return ExitCode::kFailed;
  }
  const bool exact = scene.control.gradient == scene::Gradient::kExact;
  if (!passed(result) && exact) {
    spdlog::error("{}: the derivatives are wrong on this scene; please report it with the scene",
                  path.string());
    return ExitCode::kFailed;
  }
  spdlog::info(
      "{}: the scene is valid, {}", path.string(),
      passed(result) ? "and its derivatives are exact" : "its swapped gradient is approximate, as expected");
  return ExitCode::kDone;
}

}  // namespace keydrape
