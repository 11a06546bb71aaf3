#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "control/optimize/progress.h"
#include "control/optimize/steihaug.h"

namespace keydrape {

namespace {

// Acceptance and radius (Nocedal & Wright 2006, algorithm 4.1, their constants).
constexpr double kAccept = 1e-4;
constexpr double kPoor = 0.25, kGood = 0.75;
constexpr double kShrink = 0.25, kGrow = 2.0;
constexpr int kMaxShrinks = 12;  // trials along one linearisation: 0.25^12 of a step is no step

}  // namespace

OptimizerResult minimize_gauss_newton(std::unique_ptr<Iterate> start, const OptimizerOptions& options,
                                      const IterationObserver& observer) {
  assert(start && options.max_evaluations > 0);
  std::unique_ptr<Iterate> at = std::move(start);
  OptimizerProgress progress = options.resume ? *options.resume : OptimizerProgress{};
  OptimizerResult result{at->z(),
                         at->objective(),
                         0.0,
                         progress.iterations,
                         progress.evaluations,
                         progress.cg_iterations,
                         OptimizerEnd::kMaxIterations};
  const auto finish = [&](OptimizerEnd end) {
    result.end = end;
    return std::move(result);
  };
  if (!std::isfinite(result.objective)) return finish(OptimizerEnd::kStartFailed);
  result.gradient_norm = at->gradient().norm();
  if (!options.resume) progress.first_gradient_norm = result.gradient_norm;
  double& radius = progress.trust_radius;
  const auto report = [&](double step_length) {
    return observer({result.iterations, result.objective, result.gradient_norm, step_length, result.evaluations,
                     result.cg_iterations, *at});
  };
  const auto keep = [&] {
    progress.iterations = result.iterations;
    progress.evaluations = result.evaluations;
    progress.cg_iterations = result.cg_iterations;
    return !options.keep_progress || options.keep_progress(progress, *at);
  };
  if (!options.resume && !(report(0.0) && keep())) return finish(OptimizerEnd::kStopped);
  if (progress.end) return finish(*progress.end);

  const auto read_again = [&] {
    result.objective = at->objective();
    result.gradient_norm = at->gradient().norm();
  };
  while (result.iterations < options.max_iterations) {
    if (result.gradient_norm <= options.gradient_tolerance * progress.first_gradient_norm || result.gradient_norm == 0.0)
      return finish(OptimizerEnd::kGradient);
    std::unique_ptr<Iterate> trial;
    TrustRegionStep step;
    SteihaugPath path(options.remembered_path);
    bool accepted = false;
    for (int k = 0; k < kMaxShrinks && !accepted; ++k) {
      if (result.evaluations >= options.max_evaluations) return finish(OptimizerEnd::kMaxEvaluations);
      const std::optional<TrustRegionStep> shortened = path.shortened(radius);
      step = shortened ? *shortened : path.solve(*at, radius, options);
      result.cg_iterations += step.iterations;
      for (int i = 0; k == 0 && options.reviser && i < options.max_reconsiderations; ++i) {
        if (!options.reviser->reconsider(*at, step.p)) break;
        read_again();
        step = path.solve(*at, radius, options);
        result.cg_iterations += step.iterations;
      }
      trial.reset();
      trial = at->step(step.p);
      ++result.evaluations;
      const double fall = result.objective - trial->objective();
      const double ratio = step.predicted_fall > 0.0 ? fall / step.predicted_fall : -1.0;
      accepted = ratio > kAccept;
      if (!(ratio >= kPoor))
        radius = kShrink * step.p.norm();
      else if (ratio > kGood && step.on_boundary)
        radius *= kGrow;
    }
    if (!accepted) return finish(OptimizerEnd::kNoDescent);
    const double step_length = (trial->z() - result.z).norm();
    const double relative_fall = (result.objective - trial->objective()) / result.objective;
    at = std::move(trial);
    result.z = at->z();
    result.objective = at->objective();
    result.gradient_norm = at->gradient().norm();
    ++result.iterations;
    if (!report(step_length)) return finish(OptimizerEnd::kStopped);
    const Revision revision = options.reviser ? options.reviser->revise(*at) : Revision::kNone;
    if (revision == Revision::kChanged || revision == Revision::kAdapted) read_again();
    if (revision == Revision::kDone)
      progress.end = OptimizerEnd::kDone;
    else if (revision != Revision::kChanged && relative_fall < options.objective_tolerance)
      progress.end = OptimizerEnd::kObjective;
    if (!keep()) return finish(OptimizerEnd::kStopped);
    if (progress.end) return finish(*progress.end);
  }
  return finish(OptimizerEnd::kMaxIterations);
}

std::string_view sentence(OptimizerEnd end) {
  switch (end) {
    case OptimizerEnd::kGradient: return "the gradient is below its tolerance";
    case OptimizerEnd::kObjective: return "the objective does not fall any more";
    case OptimizerEnd::kDone:
      return "every tolerance is met, with hardly more effort than that takes";
    case OptimizerEnd::kMaxEvaluations: return "the bound on forward simulations was reached";
    case OptimizerEnd::kMaxIterations: return "the bound on iterations was reached";
    case OptimizerEnd::kNoDescent: return "no step along the last direction was better";
    case OptimizerEnd::kStopped: return "stopped on request";
    case OptimizerEnd::kStartFailed: return "the simulation failed at the start";
  }
  return "";
}

}  // namespace keydrape
