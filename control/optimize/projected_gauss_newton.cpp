#include <cmath>
#include <optional>

#include "control/optimize/bounded.h"
#include "control/optimize/gauss_newton_course.h"

namespace keydrape {

namespace {

// On the model: a round finds the face and minimises along it. Rounds end with the one that gains little, or
// with the products, of which each takes two as a rule; the bound is for a face that changes to and fro.
constexpr int kMaxRounds = 20;
constexpr int kMaxModelTrials = 6;        // 0.25^5 is a thousandth of the way: no gain is left to speak of
constexpr double kSufficientFall = 0.05;  // of the slope; the minimiser of a quadratic has 0.5

// The model m(dz) = g . dz + 1/2 dz . H dz at its point dz.
struct ModelPoint {
  VecX dz;
  VecX H_dz;
  double slope = 0.0;      // g . dz
  double curvature = 0.0;  // dz . H dz
  int products = 0;        // spent

  double fall(double t) const { return -(t * slope + 0.5 * t * t * curvature); }
};

// Solves A_D w = b by conjugate gradients, until iterations hardly lower the model (Nash & Sofer 1990). Here
// and below, none: a product is not finite.
std::optional<VecX> solve_on_face(BoundedIterate& at, const Face& face, const VecX& b,
                                  const OptimizerOptions& options, double model_tolerance, int& products) {
  VecX w = VecX::Zero(b.size()), r = b, d = b;
  double rr = r.squaredNorm(), fall = 0.0;
  const double target = options.cg_tolerance * std::sqrt(rr);
  for (int k = 1; products < options.max_cg_iterations && std::sqrt(rr) > target; ++k) {
    const VecX Ad = at.face_product(d, face);
    ++products;
    const double curvature = d.dot(Ad);
    if (!std::isfinite(curvature)) return std::nullopt;
    if (!(curvature > 0.0)) break;  // rounding has taken over: A_D is positive where effort counts
    const double alpha = rr / curvature, gain = 0.5 * alpha * rr;
    w += alpha * d;
    fall += gain;
    if (k * gain <= model_tolerance * fall) break;
    r -= alpha * Ad;
    const double rr_next = r.squaredNorm();
    d = r + (rr_next / rr) * d;
    rr = rr_next;
  }
  return w;
}

// Lowers the model along P(z + dz + alpha p). Returns the gain; 0 where no alpha brings one.
std::optional<double> search_model(BoundedIterate& at, const BallBounds& bounds, const VecX& p,
                                   ModelPoint& model) {
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
    if (!std::isfinite(gain)) return std::nullopt;
    if (gain < kSufficientFall * -slope) continue;
    model.dz += step;
    model.H_dz += H_step;
    model.slope = at.gradient().dot(model.dz);
    model.curvature = model.dz.dot(model.H_dz);
    return gain;
  }
  return 0.0;
}

std::optional<ModelPoint> minimize_model(BoundedIterate& at, const BallBounds& bounds,
                                         const OptimizerOptions& options, double model_tolerance) {
  const VecX zero = VecX::Zero(at.z().size());
  ModelPoint model{zero, zero, 0.0, 0.0, 0};
  double first_slope = 0.0;
  for (int round = 0; round < kMaxRounds && model.products < options.max_cg_iterations; ++round) {
    const VecX q = at.gradient() + model.H_dz;
    const Face face(bounds, at.z() + model.dz, q);
    const VecX b = -at.local(q, face);
    if (!b.allFinite()) return std::nullopt;
    if (round == 0) first_slope = b.norm();
    if (b.norm() <= options.cg_tolerance * first_slope) break;
    // (B3)
    const std::optional<VecX> w = solve_on_face(at, face, b, options, model_tolerance, model.products);
    if (!w) return std::nullopt;
    const VecX change = at.change(*w, face);
    if (!change.allFinite()) return std::nullopt;
    const std::optional<double> gain = search_model(at, bounds, change, model);
    if (!gain) return std::nullopt;
    if (*gain <= model_tolerance * model.fall(1.0)) break;
  }
  return model;
}

// The minimum of the model along faces of the bounds, and shorter steps on the straight way there.
class FaceModel {
 public:
  // All outlive it.
  FaceModel(GaussNewtonCourse<BoundedIterate>& course, const BallBounds& bounds,
            const OptimizerOptions& options)
      : course_(course), bounds_(bounds), options_(options) {}

  bool solve(int /*least_vectors*/) {
    std::optional<ModelPoint> point =
        minimize_model(course_.at(), bounds_, options_, course_.model_tolerance());
    if (!point) return false;
    point_ = std::move(*point);
    course_.count_cg(point_.products);
    return true;
  }
  bool shorten() {
    share_ *= kShrink;
    return true;
  }
  const VecX& step() const { return point_.dz; }
  const VecX* image() const { return nullptr; }
  double predicted_fall() const { return point_.fall(share_); }
  bool is_shortened() const { return false; }
  bool is_whole() const { return true; }
  std::unique_ptr<BoundedIterate> trial() { return course_.at().step_to(share_ * point_.dz); }
  void learn(double /*ratio*/) {}

 private:
  GaussNewtonCourse<BoundedIterate>& course_;
  const BallBounds& bounds_;
  const OptimizerOptions& options_;
  ModelPoint point_;
  double share_ = 1.0;  // of the way to the minimum
};

// One iteration; why the last one was the last.
std::optional<OptimizerEnd> iterate(GaussNewtonCourse<BoundedIterate>& course, const BallBounds& bounds,
                                    const OptimizerOptions& options) {
  if (const auto corrected = course.begin_with_correction()) return corrected->end;
  if (course.is_spent()) return OptimizerEnd::kMaxEvaluations;
  FaceModel model(course, bounds, options);
  if (const auto end = propose(course, model, options)) return end;
  return try_shorter_and_shorter(course, model);
}

}  // namespace

OptimizerResult minimize_projected_gauss_newton(std::unique_ptr<BoundedIterate> start,
                                                const BallBounds& bounds, const OptimizerOptions& options,
                                                const IterationObserver& observer) {
  const auto projected_norm = [&bounds](BoundedIterate& at) {
    return Face(bounds, at.z(), at.gradient()).projected(at.gradient()).norm();
  };
  GaussNewtonCourse<BoundedIterate> course(std::move(start), options, observer, projected_norm);
  std::optional<OptimizerEnd> end = course.begin();
  while (!end) end = iterate(course, bounds, options);
  return course.finish(*end);
}

std::unique_ptr<BoundedIterate> first_trial(BoundedIterate& at, const BallBounds& bounds,
                                            const OptimizerOptions& options) {
  if (!std::isfinite(at.objective()) || is_flat(at)) return nullptr;
  for (int i = 0;; ++i) {
    const std::optional<ModelPoint> point =
        minimize_model(at, bounds, options, first_model_tolerance(options));
    if (!point) return nullptr;
    if (!is_reconsidered(at, {point->dz, nullptr, point->fall(1.0), false}, i, options))
      return at.step_to(point->dz);
  }
}

}  // namespace keydrape
