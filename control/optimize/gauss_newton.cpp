#include <cmath>
#include <optional>

#include "control/optimize/gauss_newton_course.h"
#include "control/optimize/model_subspace.h"

namespace keydrape {

namespace {

// The minimum of the model within the trust region.
class TrustRegionModel {
 public:
  // Both outlive it.
  TrustRegionModel(GaussNewtonCourse<Iterate>& course, const OptimizerOptions& options)
      : course_(course), options_(options), subspace_(options.model_vectors) {}

  bool solve(int least_vectors) {
    step_ = subspace_.solve(course_.at(), course_.trust_radius(), options_, course_.model_tolerance(),
                            least_vectors);
    course_.count_cg(step_.iterations);
    return std::isfinite(step_.predicted_fall);
  }
  bool shorten() {
    std::optional<TrustRegionStep> shortened = subspace_.shortened(course_.trust_radius());
    if (!shortened) return solve(ModelSubspace::kAllVectors);
    step_ = std::move(*shortened);
    return true;
  }
  const VecX& step() const { return step_.p; }
  const VecX* image() const { return step_.image.size() > 0 ? &step_.image : nullptr; }
  double predicted_fall() const { return step_.predicted_fall; }
  bool is_shortened() const { return step_.on_boundary; }
  bool is_whole() const { return step_.is_whole; }
  std::unique_ptr<Iterate> trial() { return course_.at().step(step_.p); }
  void learn(double ratio) {
    double& radius = course_.trust_radius();
    if (!(ratio >= kPoor))
      radius = kShrink * step_.length;
    else if (ratio > kGood && step_.on_boundary)
      radius *= kGrow;
  }

 private:
  GaussNewtonCourse<Iterate>& course_;
  const OptimizerOptions& options_;
  ModelSubspace subspace_;
  TrustRegionStep step_;
};

// One iteration; why the last one was the last.
std::optional<OptimizerEnd> iterate(GaussNewtonCourse<Iterate>& course, const OptimizerOptions& options) {
  if (const auto corrected = course.begin_with_correction()) return corrected->end;
  if (course.is_spent()) return OptimizerEnd::kMaxEvaluations;
  TrustRegionModel model(course, options);
  if (const auto end = propose(course, model, options)) return end;
  return try_shorter_and_shorter(course, model);
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

std::unique_ptr<Iterate> first_trial(Iterate& at, const OptimizerOptions& options) {
  if (!std::isfinite(at.objective()) || is_flat(at)) return nullptr;
  ModelSubspace subspace(options.model_vectors);
  for (int i = 0;; ++i) {
    const TrustRegionStep step =
        subspace.solve(at, std::numeric_limits<double>::infinity(), options, first_model_tolerance(options));
    if (!std::isfinite(step.predicted_fall)) return nullptr;
    const VecX* image = step.image.size() > 0 ? &step.image : nullptr;
    if (!is_reconsidered(at, {step.p, image, step.predicted_fall, step.on_boundary}, i, options))
      return at.step(step.p);
  }
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
    case OptimizerEnd::kNoGradient:
      return "the derivatives of the last run could not be computed";
  }
  return "";
}

}  // namespace keydrape
