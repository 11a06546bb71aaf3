#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "core/base/types.h"

namespace keydrape {

struct OptimizerProgress;  // control/optimize/progress.h

// A point at which an objective was evaluated.
class Point {
 public:
  virtual ~Point() = default;
  virtual const VecX& z() const = 0;
  // A sum of squares, so not negative. Infinite where it could not be evaluated (a simulation that failed): a
  // rejected trial, not an end.
  virtual double objective() const = 0;
  // dJ/dz; requires a finite objective. Not finite where it could not be computed: an end.
  virtual const VecX& gradient() = 0;
};

// One that can be stepped from by a model.
class Iterate : public Point {
 public:
  // The Gauss-Newton model at this point, in local variables w (w = 0 here), as many as z:
  //   J(w) = J + g.w + 1/2 w.A w ,   g = T^T dJ/dz
  // where z = z(w) has a regular derivative T. In the simplest case w = z - z(0). Like the gradient, not
  // finite where they could not be computed.
  virtual const VecX& local_gradient() = 0;              // g
  virtual VecX gauss_newton_product(const VecX& w) = 0;  // A w
  // The same by what the goal sees of w, its image Y w: g = Y^T b and A = Y^T B Y. A goal that is another one
  // of the same variables leaves Y. Where nobody knows better Y is the identity.  (O3)
  virtual VecX image(const VecX& w) { return w; }                                  // Y w
  virtual VecX image_gradient() { return local_gradient(); }                       // b
  virtual VecX weighed(const VecX& image) { return gauss_newton_product(image); }  // B Y w
  virtual VecX of_image(const VecX& image_bar) { return image_bar; }               // Y^T image_bar
  // Their product; what the goal measures without asking for it adds nothing, to the bit.
  virtual double paired(const VecX& image, const VecX& image_bar) const { return image.dot(image_bar); }
  // A metric M of w: steps are measured by it, and its inverse preconditions conjugate gradients. The
  // identity where nobody knows better.
  virtual VecX metric_product(const VecX& w) { return w; }        // M w
  virtual VecX metric_solve(const VecX& w_bar) { return w_bar; }  // M^-1 w_bar
  // The objective at the point that w stands for.
  virtual std::unique_ptr<Iterate> step(const VecX& w) = 0;
  // The objective at a point, of the same kind as this, to which the problem's own knowledge leads rather
  // than the model; null: there is none.
  virtual std::unique_ptr<Iterate> corrected() { return nullptr; }
};

// Evaluates the objective at a point.
using PointSource = std::function<std::unique_ptr<Point>(const VecX& z)>;

// What became of the objective between two iterations.
enum class Verdict {
  kNone,
  kAdapted,  // it was adjusted to the iterate: to be read again, but hardly another one
  kChanged,  // it is another one now, of the same variables: to be read again
  kRenewed,  // likewise, and so are its model's metric and variables: no length of steps is known
  kDone,     // what it was to achieve is achieved
};
// Of an accepted step: what the model asked for, or shorter, since the trust region ended there or longer
// trials were rejected. What the model predicts for a shortened one says little of the objective's weights.
// Or a correction, of which the model knows nothing.
enum class StepKind { kFull, kShortened, kCorrection };
// What a model proposes before it is tried.
struct Proposal {
  const VecX& step;       // w of step(), or dz of step_to() under bounds
  const VecX* image;      // of step; null: not known
  double predicted_fall;  // of the objective
  bool is_shortened;      // the model asks for more than it may propose
  // Of the objective over what it was, by the last iterations together (OptimizerProgress::kRecent); infinite
  // where they are fewer since the policy changed the objective before a trial.
  double recent_fall = std::numeric_limits<double>::infinity();
  bool is_whole = true;  // else the model promises more, if for more than a run costs (O4)
};
// May change the objective (keyframe weights, say) while it is minimised: it then measures the points that it
// is told of by another one.
class GoalPolicy {
 public:
  virtual ~GoalPolicy() = default;
  // Told of what the model proposes. kChanged: it is to propose anew. kDone: it is not worth a try.
  virtual Verdict before_trial(Point& at, const Proposal& proposed) = 0;
  // Whether a step that is not whole will do.
  virtual bool is_enough(Point& /*at*/, const Proposal& /*proposed*/) { return false; }
  // Whether to end here rather than to try shorter and shorter steps.
  virtual bool should_end() { return false; }
  // Whether what is left is not worth another run.
  virtual bool is_spent() const { return false; }
  // Told of a correction that the objective refuses. Whether it changed the objective, at both points, to one
  // that accepts it.
  virtual bool accepts_correction(Point& /*at*/, Point& /*correction*/) { return false; }
  // Told of every accepted iterate, and of the step that led there.
  virtual Verdict after_step(Point& at, StepKind last_step) = 0;
};

// Told where the optimiser stands: at the start, and after every iteration once the policy has been asked.
// False ends the optimisation there.
using ProgressKeeper = std::function<bool(const OptimizerProgress& progress, const Point& at)>;

struct OptimizerOptions {
  int max_evaluations = 100;  // of the objective
  int max_iterations = 1000;
  double gradient_tolerance = 1e-10;  // |gradient| below this times that at the start ends it
  // A relative fall below this ends it: of Gauss-Newton in one iteration, of L-BFGS in memory_pairs in a row.
  double objective_tolerance = 1e-4;
  // Gauss-Newton: its linear systems.
  double cg_tolerance = 1e-10;      // relative residual
  double cg_model_tolerance = 0.1;  // gain of the last iteration times their number, over the gain so far
  double cg_loose_model_tolerance = 0.0;  // in its place, if larger, until the model proves right (O1)
  int max_cg_iterations = 60;
  int model_vectors = 60;  // kept of an iteration, with their images (model_subspace.h)
  // Whether vectors are added to a model that a trust region bounds already (Gould et al. 1999): first ones
  // push where a slope is, and further ones beside it.
  bool models_boundary = false;
  // L-BFGS: pairs kept; 0: gradient descent.
  int memory_pairs = 10;
  // Gauss-Newton only; null: the objective stays. Outlives the call.
  GoalPolicy* policy = nullptr;
  int max_reconsiderations = 4;  // in an iteration
  ProgressKeeper keep_progress;  // may be empty
  // Goes on from here: `start` is then the point that belongs to it, and is not reported again. Null: from
  // the start. Outlives the call, which takes the vectors out of it.
  OptimizerProgress* resume = nullptr;
};

enum class OptimizerEnd {
  kGradient,   // the gradient is below its tolerance
  kObjective,  // the objective does not fall any more
  kDone,       // the policy said so
  kMaxEvaluations,
  kMaxIterations,
  kNoDescent,    // no trial along the last direction was better: the best iterate stands
  kStopped,      // the observer asked for it
  kStartFailed,  // the objective is not finite at the start
  kFlat,         // the gradient is zero to rounding at the start, far from a minimum of 0
  kNoGradient,   // the gradient, or a product of the model, could not be computed: the best iterate stands
};
std::string_view sentence(OptimizerEnd end);

// Whether the gradient at a point is what rounding leaves of zero: with the unknowns of order 1, as all here
// are, a step of length 1 changes the objective by less than the digits that two sweeps keep.
inline bool is_flat(Point& at) {
  constexpr double kRounding = 1e-12;
  return at.objective() > 0.0 && at.gradient().norm() <= kRounding * at.objective();
}

// One line of the convergence log. Iteration 0 is the start.
struct IterationRecord {
  int iteration;
  double objective;
  double gradient_norm;
  double step_length;    // |z - z_before|
  int evaluations;       // so far
  int cg_iterations;     // so far
  const Point& iterate;  // as the problem made it
};

// Told after every accepted iteration; false ends the optimisation (with the best iterate so far).
using IterationObserver = std::function<bool(const IterationRecord&)>;

struct OptimizerResult {
  VecX z;  // the best point met
  double objective;
  double gradient_norm;
  int iterations;
  int evaluations;
  int cg_iterations;
  OptimizerEnd end;
  bool was_cut_off = false;  // by max_evaluations or what a policy allows, whatever `end` says was achieved
};

// Gauss-Newton in a trust region, by minima in growing subspaces (Gould, Lucidi, Roma & Toint 1999; Nocedal &
// Wright 2006, algorithm 4.1). The objective of accepted iterates never rises.
//
// Both optimisers begin at a point that was evaluated already, which counts as one evaluation.
OptimizerResult minimize_gauss_newton(std::unique_ptr<Iterate> start, const OptimizerOptions& options,
                                      const IterationObserver& observer);

// What its first iteration would try first, however that turns out: the policy may change the objective as it
// may there. Null: there is no slope, or a product could not be computed.
std::unique_ptr<Iterate> first_trial(Iterate& at, const OptimizerOptions& options);

// Limited-memory BFGS (Liu & Nocedal 1989) by LBFGS++, strong Wolfe line search. The best point survives
// every failure of the line search. With memory_pairs = 0 it is gradient descent: Armijo's search alone, that
// begins at twice the last step.
OptimizerResult minimize_lbfgs(const PointSource& evaluate, std::unique_ptr<Point> start,
                               const OptimizerOptions& options, const IterationObserver& observer);

}  // namespace keydrape
