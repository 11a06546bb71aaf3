#include <optional>

#include "control/optimize/gauss_newton_course.h"
#include "control/optimize/steihaug.h"

namespace keydrape {

namespace {

// Acceptance and radius (Nocedal & Wright 2006, algorithm 4.1, their constants).
constexpr double kAccept = 1e-4;
constexpr double kPoor = 0.25, kGood = 0.75;
constexpr double kShrink = 0.25, kGrow = 2.0;
constexpr int kMaxShrinks = 12;  // trials along one linearisation: 0.25^12 of a step is no step

// One iteration; why the last one was the last.
std::optional<OptimizerEnd> iterate(GaussNewtonCourse<Iterate>& course, const OptimizerOptions& options) {
  std::optional<OptimizerEnd> end;
  if (course.begin_with_correction(end)) return end;
  double& radius = course.trust_radius();
  SteihaugPath path(options.remembered_path);
  const auto solved = [&] {
    TrustRegionStep step = path.solve(course.at(), radius, options, course.model_tolerance());
    course.count_cg(step.iterations);
    return step;
  };
  for (int k = 0; k < kMaxShrinks; ++k) {
    if (course.is_spent()) return OptimizerEnd::kMaxEvaluations;
    const std::optional<TrustRegionStep> shortened = path.shortened(radius);
    TrustRegionStep step = shortened ? *shortened : solved();
    if (k > 0 && course.is_not_worth(step.predicted_fall)) return course.done();
    for (int i = 0; k == 0 && i < options.max_reconsiderations; ++i) {
      const Revision revision = course.reconsider(step.p);
      if (revision == Revision::kDone) return course.done();
      if (revision != Revision::kChanged) break;
      step = solved();
    }
    std::unique_ptr<Iterate> trial = course.at().step(step.p);
    const double ratio = course.try_out(*trial, step.predicted_fall);
    const bool is_better = ratio > kAccept;
    const bool ends = course.ends_here(is_better ? trial.get() : nullptr);
    if (!(ratio >= kPoor) || ends)
      radius = kShrink * step.p.norm();
    else if (ratio > kGood && step.on_boundary)
      radius *= kGrow;
    if (ends && k + 1 == kTrialsWhereDone) return course.done();
    if (is_better && !ends)
      return course.accept(std::move(trial),
                           k > 0 || step.on_boundary ? StepKind::kShortened : StepKind::kFull);
    if (k + 1 == kTrialsBeforeCorrection && course.correct(end)) return end;
  }
  return OptimizerEnd::kNoDescent;
}

}  // namespace

OptimizerResult minimize_gauss_newton(std::unique_ptr<Iterate> start, const OptimizerOptions& options,
                                      const IterationObserver& observer) {
  GaussNewtonCourse<Iterate> course(std::move(start), options, observer,
                                    [](Iterate& at) { return at.gradient().norm(); });
  std::optional<OptimizerEnd> end = course.begin();
  while (!end) end = iterate(course, options);
  return course.finish(*end);
}

std::string_view sentence(OptimizerEnd end) {
  switch (end) {
    case OptimizerEnd::kGradient:
      return "the gradient is below its tolerance";
    case OptimizerEnd::kObjective:
      return "the objective does not fall any more";
    case OptimizerEnd::kDone:
      return "every tolerance is met";
    case OptimizerEnd::kMaxEvaluations:
      return "the bound on forward simulations was reached";
    case OptimizerEnd::kMaxIterations:
      return "the bound on iterations was reached";
    case OptimizerEnd::kNoDescent:
      return "no step along the last direction was better";
    case OptimizerEnd::kStopped:
      return "stopped on request";
    case OptimizerEnd::kStartFailed:
      return "the simulation failed at the start";
    case OptimizerEnd::kFlat:
      return "the goal has no slope at the start, so that nothing shows where to go: to first order what may "
             "be chosen changes no keyframe, as a wind of speed 0 on cloth at rest; begin with another first "
             "guess";
  }
  return "";
}

}  // namespace keydrape
