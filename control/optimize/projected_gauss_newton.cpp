#include <cassert>
#include <cmath>

#include "control/optimize/bounded.h"
#include "control/optimize/progress.h"

namespace keydrape {

namespace {

constexpr double kAccept = 1e-4;  // of the predicted fall (Nocedal & Wright 2006, algorithm 4.1)
constexpr double kShrink = 0.25;
constexpr int kMaxShrinks = 12;  // trials along one step: 0.25^12 of it is no step
// On the model: a round finds the face and minimises along it.
constexpr int kMaxRounds = 20;
constexpr int kMaxModelTrials = 6;
constexpr double kSufficientFall = 0.05;  // of the slope; the minimiser of a quadratic has 0.5

// The model m(dz) = g . dz + 1/2 dz . H dz at its point dz.
struct ModelPoint {
  VecX dz;
  VecX H_dz;
  double slope;      // g . dz
  double curvature;  // dz . H dz
  int products;      // spent

  double fall(double t) const { return -(t * slope + 0.5 * t * t * curvature); }
};

// Solves A_D w = b by conjugate gradients, until iterations hardly lower the model (Nash & Sofer 1990).
VecX solve_on_face(BoundedIterate& at, const Face& face, const VecX& b, const OptimizerOptions& options,
                   int& products) {
  VecX w = VecX::Zero(b.size()), r = b, d = b;
  double rr = r.squaredNorm(), fall = 0.0;
  const double target = options.cg_tolerance * std::sqrt(rr);
  for (int k = 1; products < options.max_cg_iterations && std::sqrt(rr) > target; ++k) {
    const VecX Ad = at.face_product(d, face);
    ++products;
    const double curvature = d.dot(Ad);
    if (!(curvature > 0.0)) break;  // rounding has taken over: A_D is positive where effort counts
    const double alpha = rr / curvature, gain = 0.5 * alpha * rr;
    w += alpha * d;
    fall += gain;
    if (k * gain <= options.cg_model_tolerance * fall) break;
    r -= alpha * Ad;
    const double rr_next = r.squaredNorm();
    d = r + (rr_next / rr) * d;
    rr = rr_next;
  }
  return w;
}

// Lowers the model along P(z + dz + alpha p). Returns the gain; 0 where no alpha brings one.
double search_model(BoundedIterate& at, const BallBounds& bounds, const VecX& p, ModelPoint& model) {
  const VecX q = at.gradient() + model.H_dz;
  double alpha = 1.0;
  for (int k = 0; k < kMaxModelTrials; ++k, alpha *= kShrink) {
    VecX next = at.z() + model.dz + alpha * p;
    bounds.project(next);
    const VecX step = next - at.z() - model.dz;
    const double slope = q.dot(step);
    if (!(slope < 0.0)) continue;
    const VecX H_step = at.model_product(step);
    ++model.products;
    const double gain = -slope - 0.5 * step.dot(H_step);
    if (gain < kSufficientFall * -slope) continue;
    model.dz += step;
    model.H_dz += H_step;
    model.slope = at.gradient().dot(model.dz);
    model.curvature = model.dz.dot(model.H_dz);
    return gain;
  }
  return 0.0;
}

ModelPoint minimize_model(BoundedIterate& at, const BallBounds& bounds, const OptimizerOptions& options) {
  const VecX zero = VecX::Zero(at.z().size());
  ModelPoint model{zero, zero, 0.0, 0.0, 0};
  double first_slope = 0.0;
  for (int round = 0; round < kMaxRounds && model.products < options.max_cg_iterations; ++round) {
    const VecX q = at.gradient() + model.H_dz;
    const Face face(bounds, at.z() + model.dz, q);
    const VecX b = -at.local(q, face);
    if (round == 0) first_slope = b.norm();
    if (b.norm() <= options.cg_tolerance * first_slope) break;
    const VecX w = solve_on_face(at, face, b, options, model.products);  // (B3)
    const double gain = search_model(at, bounds, at.change(w, face), model);
    if (gain <= options.cg_model_tolerance * model.fall(1.0)) break;
  }
  return model;
}

}  // namespace

OptimizerResult minimize_projected_gauss_newton(std::unique_ptr<BoundedIterate> start,
                                                const BallBounds& bounds, const OptimizerOptions& options,
                                                const IterationObserver& observer) {
  assert(start && options.max_evaluations > 0);
  std::unique_ptr<BoundedIterate> at = std::move(start);
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
  const auto projected_gradient_norm = [&] {
    return Face(bounds, at->z(), at->gradient()).projected(at->gradient()).norm();
  };
  result.gradient_norm = projected_gradient_norm();
  if (!options.resume) progress.first_gradient_norm = result.gradient_norm;
  const auto report = [&](double step_length) {
    return observer({result.iterations, result.objective, result.gradient_norm, step_length,
                     result.evaluations, result.cg_iterations, *at});
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
    result.gradient_norm = projected_gradient_norm();
  };
  while (result.iterations < options.max_iterations) {
    if (result.gradient_norm <= options.gradient_tolerance * progress.first_gradient_norm ||
        result.gradient_norm == 0.0)
      return finish(OptimizerEnd::kGradient);
    ModelPoint model = minimize_model(*at, bounds, options);
    result.cg_iterations += model.products;
    for (int i = 0; options.reviser && i < options.max_reconsiderations; ++i) {
      if (!options.reviser->reconsider(*at, model.dz)) break;
      read_again();
      model = minimize_model(*at, bounds, options);
      result.cg_iterations += model.products;
    }
    std::unique_ptr<BoundedIterate> trial;
    bool accepted = false;
    double t = 1.0;
    for (int k = 0; k < kMaxShrinks && !accepted; ++k, t *= kShrink) {
      if (result.evaluations >= options.max_evaluations) return finish(OptimizerEnd::kMaxEvaluations);
      trial.reset();
      trial = at->step_to(t * model.dz);
      ++result.evaluations;
      accepted = result.objective - trial->objective() > kAccept * model.fall(t) && model.fall(t) > 0.0;
    }
    if (!accepted) return finish(OptimizerEnd::kNoDescent);
    const double step_length = (trial->z() - result.z).norm();
    const double relative_fall = (result.objective - trial->objective()) / result.objective;
    at = std::move(trial);
    result.z = at->z();
    result.objective = at->objective();
    result.gradient_norm = projected_gradient_norm();
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

}  // namespace keydrape
