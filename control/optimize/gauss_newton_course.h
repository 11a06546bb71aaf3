#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "control/optimize/model_subspace.h"
#include "control/optimize/progress.h"
#include "control/optimize/trust_region.h"

namespace keydrape {

// Trials along one linearisation that are refused before a correction is tried
// (control/decisions/0013-corrections.md).
constexpr int kTrialsBeforeCorrection = 1;
// Trials along one linearisation where the policy would rather stay, and the least share of the objective
// that a shorter one has to promise there: runs that save a few percent each lead far where cloth is close to
// buckling, and no longer step does.
constexpr int kTrialsWhereDone = 5;
constexpr double kWorthShortening = 0.02;
// Vectors before a policy is asked whether the step that they make is enough, and again.
constexpr int kFirstVectors = 1, kMoreVectors = 8;

// How far the model is worth minimising before anything is known of how well it predicts.
inline double first_model_tolerance(const OptimizerOptions& options) {
  return std::max(options.cg_model_tolerance, options.cg_loose_model_tolerance);
}

// Whether the policy has changed the objective for what the model proposes; i: how often it has done so here.
inline bool is_reconsidered(Point& at, const Proposal& proposed, int i, const OptimizerOptions& options) {
  return options.policy && i < options.max_reconsiderations &&
         options.policy->before_trial(at, proposed) == Verdict::kChanged;
}

// What every Gauss-Newton method does around its step: counts, reports, has the objective revised, keeps the
// progress and knows when to end. `Iterate` is the method's own kind of iterate.
template <class Iterate>
class GaussNewtonCourse {
 public:
  // Relative falls of the objective: an iteration of the model's that leads less far is followed by a
  // correction, and a correction that leads as far by another; below the least of them it is not accepted.
  static constexpr double kFar = 0.1, kWorthCorrecting = 0.01;

  // Of the gradient, without what bounds take away.
  using GradientNorm = std::function<double(Iterate&)>;

  // `options` and `observer` outlive this.
  GaussNewtonCourse(std::unique_ptr<Iterate> start, const OptimizerOptions& options,
                    const IterationObserver& observer, GradientNorm gradient_norm)
      : at_(std::move(start)),
        options_(options),
        observer_(observer),
        norm_(std::move(gradient_norm)),
        progress_(options.resume ? std::move(*options.resume) : OptimizerProgress{}),
        result_{at_->z(),
                at_->objective(),
                0.0,
                progress_.iterations,
                progress_.evaluations,
                progress_.cg_iterations,
                OptimizerEnd::kMaxIterations} {
    assert(options.max_evaluations > 0);
  }

  Iterate& at() { return *at_; }
  double& trust_radius() { return progress_.trust_radius; }

  // Before the first iteration. Here and below: why it ends there; nothing, it goes on.
  std::optional<OptimizerEnd> begin() {
    if (!std::isfinite(result_.objective)) return OptimizerEnd::kStartFailed;
    result_.gradient_norm = norm_(*at_);
    if (options_.resume) return progress_.end ? progress_.end : rest();
    progress_.first_gradient_norm = result_.gradient_norm;
    if (!report(0.0) || !keep()) return OptimizerEnd::kStopped;
    return rest();
  }

  // What becomes of the objective for what the model proposes. After kChanged `step` is to be found anew,
  // after kDone done() ends it. Requires a policy.
  Verdict reconsider(const Proposal& proposed) {
    const Verdict verdict = options_.policy->before_trial(*at_, proposed);
    if (verdict != Verdict::kChanged) return verdict;
    progress_.recent_falls.clear();
    result_.objective = at_->objective();  // its gradient is asked for at the next iterate
    return verdict;
  }

  // Proposal::recent_fall.
  double recent_fall() const {
    const std::vector<double>& falls = progress_.recent_falls;
    if (falls.size() < OptimizerProgress::kRecent) return std::numeric_limits<double>::infinity();
    return std::accumulate(falls.begin(), falls.end(), 0.0);
  }

  // Whether the policy would rather stay here.
  bool ends_here() const { return options_.policy && options_.policy->should_end(); }

  // Whether a shorter trial, which promises this fall, is none to be tried: the policy stays here, and it
  // would gain little.
  bool is_not_worth(double predicted_fall) const {
    return ends_here() && !(predicted_fall > kWorthShortening * at_->objective());
  }

  OptimizerEnd done() {
    progress_.end = OptimizerEnd::kDone;
    return keep() ? OptimizerEnd::kDone : OptimizerEnd::kStopped;
  }

  // How far the model is worth minimising: not far while it predicts badly (Eisenstat & Walker 1996,
  // choice 1), (O1).
  double model_tolerance() const {
    const double tight = options_.cg_model_tolerance, loose = first_model_tolerance(options_);
    return std::clamp(2.0 * std::abs(1.0 - progress_.model_ratio) * loose, tight, loose);
  }

  void count_cg(int iterations) { result_.cg_iterations += iterations; }
  bool is_spent() const {
    return result_.evaluations >= options_.max_evaluations ||
           (options_.policy && options_.policy->is_spent());
  }
  // How much lower the objective is at a new trial, which counts, over what the model predicts; -1 where
  // that is nothing.
  double try_out(const Iterate& trial, double predicted_fall) {
    ++result_.evaluations;
    const double fall = result_.objective - trial.objective(),
                 ratio = predicted_fall > 0.0 ? fall / predicted_fall : -1.0;
    progress_.model_ratio = std::isfinite(ratio) ? ratio : -1.0;
    return ratio;
  }

  // An iteration that a correction has made; `end`: why it was the last one.
  struct Corrected {
    std::optional<OptimizerEnd> end;
  };
  // Where the last iteration led nowhere near as far as a correction may, one is tried first. None: the
  // model's turn has come.
  std::optional<Corrected> begin_with_correction() {
    return progress_.correction_is_due ? correct() : std::nullopt;
  }

  // Tries a correction, unless one has failed here already. None: it was not accepted.
  std::optional<Corrected> correct() {
    progress_.correction_is_due = false;
    if (progress_.correction_failed || ends_here() || is_spent()) return std::nullopt;
    progress_.correction_failed = true;
    std::unique_ptr<Iterate> trial(static_cast<Iterate*>(at_->corrected().release()));
    if (!trial) return std::nullopt;
    ++result_.evaluations;
    if (!(trial->objective() < (1.0 - kWorthCorrecting) * result_.objective)) {
      if (!options_.policy || !options_.policy->accepts_correction(*at_, *trial)) return std::nullopt;
      result_.objective = at_->objective();
    }
    progress_.correction_failed = false;
    // Where it led nowhere far the model is right as far as it was.
    if (trial->objective() < (1.0 - kFar) * result_.objective)
      progress_.trust_radius = std::numeric_limits<double>::infinity();
    return Corrected{accept(std::move(trial), StepKind::kCorrection)};
  }

  std::optional<OptimizerEnd> accept(std::unique_ptr<Iterate> trial, StepKind step) {
    const double step_length = (trial->z() - result_.z).norm();
    const double relative_fall = (result_.objective - trial->objective()) / result_.objective;
    at_ = std::move(trial);
    result_.z = at_->z();
    read_again();
    ++result_.iterations;
    remember_fall(relative_fall);
    if (!report(step_length)) return OptimizerEnd::kStopped;
    const Verdict verdict = options_.policy ? options_.policy->after_step(*at_, step) : Verdict::kNone;
    const bool is_new = verdict == Verdict::kChanged || verdict == Verdict::kRenewed;
    if (is_new || verdict == Verdict::kAdapted) read_again();
    if (verdict == Verdict::kDone) return done();
    if (verdict == Verdict::kRenewed) progress_.trust_radius = std::numeric_limits<double>::infinity();
    const bool led_far = relative_fall >= kFar;
    if (led_far && step == StepKind::kFull) progress_.correction_failed = false;
    progress_.correction_is_due =
        !progress_.correction_failed && (step == StepKind::kCorrection ? led_far : !led_far);
    if (!is_new && relative_fall < options_.objective_tolerance && !progress_.correction_is_due)
      progress_.end = OptimizerEnd::kObjective;
    if (!keep()) return OptimizerEnd::kStopped;
    return progress_.end ? progress_.end : rest();
  }

  // What the policy has achieved counts, whatever ended the search.
  OptimizerResult finish(OptimizerEnd end) {
    const bool is_broken_off = end == OptimizerEnd::kStopped || end == OptimizerEnd::kStartFailed;
    result_.end = !is_broken_off && ends_here() ? OptimizerEnd::kDone : end;
    result_.was_cut_off = end == OptimizerEnd::kMaxEvaluations;
    return std::move(result_);
  }

 private:
  void remember_fall(double fall) {
    std::vector<double>& falls = progress_.recent_falls;
    falls.push_back(fall);
    if (falls.size() > OptimizerProgress::kRecent) falls.erase(falls.begin());
  }

  void read_again() {
    result_.objective = at_->objective();
    result_.gradient_norm = norm_(*at_);
  }

  // Whether nothing is left to do here.
  std::optional<OptimizerEnd> rest() {
    if (!std::isfinite(result_.gradient_norm)) return OptimizerEnd::kNoGradient;
    if (result_.iterations == 0 && is_flat(*at_)) return OptimizerEnd::kFlat;
    if (result_.iterations >= options_.max_iterations) return OptimizerEnd::kMaxIterations;
    if (result_.gradient_norm <= options_.gradient_tolerance * progress_.first_gradient_norm)
      return OptimizerEnd::kGradient;
    return std::nullopt;
  }

  bool report(double step_length) {
    return observer_({result_.iterations, result_.objective, result_.gradient_norm, step_length,
                      result_.evaluations, result_.cg_iterations, *at_});
  }

  bool keep() {
    progress_.iterations = result_.iterations;
    progress_.evaluations = result_.evaluations;
    progress_.cg_iterations = result_.cg_iterations;
    return !options_.keep_progress || options_.keep_progress(progress_, *at_);
  }

  std::unique_ptr<Iterate> at_;
  const OptimizerOptions& options_;
  const IterationObserver& observer_;
  GradientNorm norm_;
  OptimizerProgress progress_;
  OptimizerResult result_;
};

// What an iteration does with a `Model` of the objective, at the iterate that the course is at:
//   solve(least)      proposes a step, and counts its products; false: a product is not finite
//   shorten()         proposes a shorter one, likewise
//   step()            that the policy is told of
//   image()           of it; null: not known
//   predicted_fall()  of the objective
//   is_shortened()    whether the model asks for more than it may propose
//   is_whole()        whether solve() did not end for the price of vectors, of which it adds `least` anyway
//   trial()           the objective there
//   learn(ratio)      the trial's fall over the predicted one
//
// Has the model propose a step that the policy does not object to. Here and below: why it ends there.
template <class Iterate, class Model>
std::optional<OptimizerEnd> propose(GaussNewtonCourse<Iterate>& course, Model& model,
                                    const OptimizerOptions& options) {
  const auto proposal = [&] {
    return Proposal{model.step(),         model.image(),        model.predicted_fall(),
                    model.is_shortened(), course.recent_fall(), model.is_whole()};
  };
  if (!model.solve(options.policy ? kFirstVectors : ModelSubspace::kAllVectors))
    return OptimizerEnd::kNoGradient;
  for (int i = 0; options.policy; ++i) {
    for (int more = 0; more < options.max_cg_iterations && !model.is_whole(); more += kMoreVectors) {
      if (options.policy->is_enough(course.at(), proposal())) break;
      if (!model.solve(kMoreVectors)) return OptimizerEnd::kNoGradient;
    }
    if (i == options.max_reconsiderations) break;
    const Verdict verdict = course.reconsider(proposal());
    if (verdict == Verdict::kDone) return course.done();
    if (verdict != Verdict::kChanged) break;
    if (!model.solve(kFirstVectors)) return OptimizerEnd::kNoGradient;
  }
  return std::nullopt;
}

// Tries what the model proposes, shorter and shorter, until a trial is better, with a correction among them.
template <class Iterate, class Model>
std::optional<OptimizerEnd> try_shorter_and_shorter(GaussNewtonCourse<Iterate>& course, Model& model) {
  for (int k = 0; k < kMaxShrinks; ++k) {
    if (course.is_spent()) return OptimizerEnd::kMaxEvaluations;
    if (k > 0 && !model.shorten()) return OptimizerEnd::kNoGradient;
    if (k > 0 && course.is_not_worth(model.predicted_fall())) return course.done();
    std::unique_ptr<Iterate> trial = model.trial();
    const double ratio = course.try_out(*trial, model.predicted_fall());
    model.learn(ratio);
    if (ratio > kAccept)
      return course.accept(std::move(trial),
                           k > 0 || model.is_shortened() ? StepKind::kShortened : StepKind::kFull);
    if (k + 1 == kTrialsWhereDone && course.ends_here()) return course.done();
    if (k + 1 == kTrialsBeforeCorrection)
      if (const auto corrected = course.correct()) return corrected->end;
  }
  return OptimizerEnd::kNoDescent;
}

}  // namespace keydrape
