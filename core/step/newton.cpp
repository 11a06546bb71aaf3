#include "core/step/newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/step/newton_system.h"
#include "core/step/step_stopwatch.h"

namespace keydrape {

namespace {

constexpr double kArmijo = 1e-4;  // Nocedal & Wright (2006), section 3.1
// Below this share of the potential, a change is rounding noise: sums of some 1e4 terms of either sign.
constexpr double kRelativeRounding = 1e-13;
constexpr int kMaxHalvings = 40;           // to 1e-12 of the step: below that y does not change
constexpr double kShortestEscape = 1e-12;  // of a free fall
constexpr double kBendDifference = 0.01;   // by which residuals are differenced, of a free fall
constexpr int kMaxLegs = 6;                // each may close nine tenths of a gap: enough for a millionth
constexpr int kMaxEscapes = 5;             // from saddles, a step
constexpr double kLittleInertia = 1e-3;    // its share where vertices are to follow held ones all the way
// Where H is indefinite and no vertex would move by more than this share of a free fall, cloth creeps away
// from a saddle (core/decisions/0007-bent-way.md).
constexpr double kCreep = 0.01;
// Of the cloth's weight. Where rounding does more, cloth is so near to a limit that nothing can be told
// there; a little off it everything can.
constexpr double kMostRounding = 1.0;
constexpr double kNoise = 30.0;  // how many times its floor a residual of mere rounding can be

class NewtonIteration {
 public:
  NewtonIteration(const StepProblem& problem, const CholeskySolver& cholesky, const NewtonHints& hints,
                  const NewtonOptions& options)
      : problem_(problem),
        options_(options),
        expected_(hints.expected),
        begin_(hints.begin),
        timed_(problem, report_.times),
        system_(problem, cholesky, hints.preconditioner, options, report_) {}

  NewtonResult run() {
    if (!find_start()) return finish_blocked();
    phi_ = potential(y_);
    if (expected_) go_where_expected();
    rounding_ = rounding_of_potential();
    int escapes = 0;
    for (report_.iterations = 0;; ++report_.iterations) {
      evaluate_residual();
      if (!std::isfinite(report_.residual)) return finish(NewtonEnd::kNotFinite);
      if (is_rounding()) report_.rounding = std::min(report_.residual, kMostRounding);
      if (report_.residual <= std::max(options_.tolerance, report_.rounding)) {
        if (report_.residual > options_.tolerance) refine();
        const VecX curvature = system_.probe_curvature(y_);
        if (curvature.size() == 0) return finish(NewtonEnd::kMinimum);
        if (++escapes > kMaxEscapes || !descend_along(curvature)) return finish(NewtonEnd::kSaddle);
        continue;
      }
      if (report_.iterations >= options_.max_iterations) return finish(NewtonEnd::kMaxIterations);
      system_.assemble(y_, tension_);
      report_.rounding =
          std::min(rounding_of_residual(system_.matrix(), y_, problem_.model().force_scale()), kMostRounding);
      const NewtonDirection direction = system_.find_direction(y_, tension_, r_);
      if (creeps(direction) && descend_along(direction.curvature)) continue;
      before_ = report_.residual;
      const bool at_floor = direction.curvature.size() == 0 && is_near_floor();
      if (!advance(direction.d, at_floor)) return finish(NewtonEnd::kStalled);
    }
  }

  // Where nothing limits the way held vertices go theirs in the same linear system; else they go first, as in
  // Newton's search, and what is linearised is where that leads.
  NewtonResult run_linearized(const LinearizedOptions& options) {
    y_ = begin_ ? *begin_ : problem_.start().x;
    const bool has_limits = problem_.has_limits();
    follow_tolerance_ = options.tolerance;
    if (has_limits && !find_start()) return finish_blocked();
    VecX jump = y_, d, at;
    problem_.constraints().impose(jump);
    jump -= y_;
    timed_(&StepTimes::assembly, [&] { problem_.residual(y_, r_); });
    while (report_.iterations < options.max_rounds) {
      if (!r_.allFinite() || !system_.find_linearized_direction(y_, r_, jump, options, d))
        return finish(NewtonEnd::kNotFinite);
      ++report_.iterations;
      at = y_;
      const double share = has_limits ? step_bound(y_, d) : 1.0;
      y_ += share * d;
      problem_.constraints().impose(y_);
      jump.setZero();
      report_.cuts += share < 1.0;
      evaluate_residual();
      if (share == 1.0 && report_.residual <= options.enough) break;
    }
    NewtonResult result =
        finish(std::isfinite(report_.residual) ? NewtonEnd::kMinimum : NewtonEnd::kNotFinite);
    result.linearized_at = std::move(at);
    return result;
  }

 private:
  double potential(const VecX& y) {
    return timed_(&StepTimes::assembly, [&] { return problem_.value(y); });
  }
  double step_bound(const VecX& y, const VecX& dy) {
    return timed_(&StepTimes::collision, [&] { return problem_.step_bound(y, dy); });
  }

  bool find_start() {
    if (begin_) {
      y_ = *begin_;
      problem_.constraints().impose(y_);
      tension_ = problem_.tensions(y_);
      return true;
    }
    for (int attempt = 0; attempt < StepProblem::kFirstGuesses; ++attempt) {
      StepProblem::FirstGuess guess =
          timed_(&StepTimes::collision, [&] { return problem_.first_guess(attempt); });
      y_ = std::move(guess.y);
      report_.violations = guess.blocked;
      if (guess.blocked == 0 && take_constraints_in()) return true;
    }
    return false;
  }

  // Moves the held vertices to where they belong, and the others with them as the linearised step would have
  // it: H_ff dy_f = -H_fc dy_c. Without this, elements beside a fast pin begin the iteration torn apart.
  // Where something is in the way, or a triangle would pass its strain limit, the held vertices alone; or the
  // others as if they had hardly any mass, so that they do not stay behind. False where all that, or y_
  // itself, is inside a body: nothing but the number of violations is defined there.
  bool take_constraints_in() {
    if (is_blocked(y_)) return false;
    tension_ = problem_.tensions(y_);
    VecX jump = y_;
    problem_.constraints().impose(jump);
    jump -= y_;
    if (jump.isZero(0.0)) return true;
    VecX way = jump + system_.following(y_, tension_, jump, 1.0, follow_tolerance_);
    if (step_bound(y_, way) < 1.0) way = jump;
    if (!is_free(way)) way = jump + system_.following(y_, tension_, jump, kLittleInertia, follow_tolerance_);
    if (!is_free(way)) return false;
    problem_.predict_tensions(y_, way, tension_);
    y_ += way;
    problem_.constraints().impose(y_);
    return true;
  }

  bool is_free(const VecX& way) { return !is_blocked(y_ + way) && step_bound(y_, way) == 1.0; }

  // Goes on from where the solution is expected, if the potential is lower there and nothing is in the way.
  void go_where_expected() {
    VecX y = *expected_;
    problem_.constraints().impose(y);
    if (!is_free_way(y)) return;
    const double phi = potential(y);
    if (!(phi < phi_)) return;
    y_ = std::move(y);
    phi_ = phi;
    tension_ = problem_.tensions(y_);
  }

  // Whether cloth may go straight from y_ to there: in legs, since each may close but a share of the gaps.
  bool is_free_way(const VecX& there) {
    VecX y = y_;
    for (int leg = 0; leg < kMaxLegs; ++leg) {
      const double bound = step_bound(y, there - y);
      if (bound == 1.0) return true;
      y += bound * (there - y);
    }
    return false;
  }

  bool is_blocked(const VecX& y) {
    report_.violations = timed_(&StepTimes::collision, [&] { return problem_.count_violations(y); });
    return report_.violations > 0;
  }

  // Its terms may cancel, as in free flight: then what the weight does over the rounding of positions.
  double rounding_of_potential() const {
    constexpr double kRounding = std::numeric_limits<double>::epsilon();
    return std::max(kRelativeRounding * std::abs(phi_),
                    kRounding * problem_.model().force_scale() * y_.lpNorm<Eigen::Infinity>());
  }

  void evaluate_residual() {
    timed_(&StepTimes::assembly, [&] { problem_.residual(y_, r_); });
    problem_.constraints().filter(r_);
    report_.residual = r_.norm() / problem_.model().force_scale();
  }

  // One full step more where the residual is rounding error already. What is left along the stiff directions
  // is noise, but the soft ones, which carry the momentum, are only as good as the last solve was.
  void refine() {
    const VecX y = y_;
    system_.assemble(y_, tension_);
    const VecX d = system_.find_direction(y_, tension_, r_).d;
    ++report_.iterations;
    y_ += step_bound(y_, d) * d;
    evaluate_residual();
    if (!(report_.residual <= report_.rounding)) {
      y_ = y;
      evaluate_residual();
    }
    phi_ = potential(y_);
  }

  // Whether a residual near its floor is nothing but rounding: a full step, with hardly a fall to be had, has
  // not even halved it.
  bool is_rounding() const { return is_trusted_ && report_.residual > 0.5 * before_ && is_near_floor(); }
  bool is_near_floor() const { return report_.residual <= kNoise * report_.rounding; }

  // Whether cloth on its way away from a saddle goes so slowly along `direction` that it would take
  // tens of iterations.
  bool creeps(const NewtonDirection& direction) const {
    return direction.curvature.size() > 0 && direction.d.lpNorm<Eigen::Infinity>() < kCreep * free_fall();
  }
  // How far from rest within one step, but no farther than the cloth is large: steps of a drape are long. [m]
  double free_fall() const { return std::min(kStandardGravity * problem_.dt() * problem_.dt(), extent()); }
  double extent() const {
    const auto points = y_.reshaped(3, y_.size() / 3);
    return (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm();
  }

  // Backtracking along d until the potential falls enough (Armijo). Where the promised fall is below the
  // rounding error of the potential, or the residual near its floor, the potential has no say: the full step
  // is taken, and the residual decides.
  bool advance(const VecX& d, bool at_floor) {
    const double slope = r_.dot(d);
    is_trusted_ = false;
    double alpha = step_bound(y_, d);
    VecX trial;
    for (int k = 0; k < kMaxHalvings; ++k, alpha *= 0.5) {
      trial = y_ + alpha * d;
      if (alpha < 1.0 && trial == y_) return false;  // what is in the way leaves none
      const double phi = potential(trial);
      const bool beyond_rounding = -alpha * slope > rounding_ && !at_floor;
      if (std::isfinite(phi) && (phi <= phi_ + kArmijo * alpha * slope || !beyond_rounding)) {
        problem_.predict_tensions(y_, alpha * d, tension_);
        y_ = trial;
        phi_ = phi;
        rounding_ = rounding_of_potential();
        is_trusted_ = !beyond_rounding && alpha == 1.0;
        return true;
      }
    }
    return false;
  }

  // Leaves a saddle along y + s p + s^2 q (12), to either side, as far as the potential falls the
  // most of all s = 1, 1/2, 1/4 .. that nothing is in the way of. |p| is scaled to a free fall. False
  // where nothing falls.
  bool descend_along(VecX p) {
    p *= free_fall() / p.lpNorm<Eigen::Infinity>();
    const VecX q = bend_of_way(p);
    double lowest = phi_ - rounding_;
    VecX best;
    for (double s = 1.0; s > kShortestEscape; s *= 0.5) {
      const double before = lowest;
      for (const double side : {s, -s}) {
        const VecX way = side * p + s * s * q;
        if (step_bound(y_, way) < 1.0) continue;
        const double phi = potential(y_ + way);
        if (!(phi < lowest)) continue;
        lowest = phi;
        best = y_ + way;
      }
      if (best.size() > 0 && lowest == before) break;
    }
    if (best.size() == 0) return false;
    y_ = std::move(best);
    phi_ = lowest;
    tension_ = problem_.tensions(y_);
    return true;
  }

  // The q of (12); 0 where something is in the way of the differences that it is made of.
  VecX bend_of_way(const VecX& p) {
    const VecX difference = kBendDifference * p;
    VecX r, ahead, behind;
    if (step_bound(y_, difference) < 1.0 || step_bound(y_, -difference) < 1.0) return VecX::Zero(p.size());
    timed_(&StepTimes::assembly, [&] {
      problem_.residual(y_, r);
      problem_.residual(y_ + difference, ahead);
      problem_.residual(y_ - difference, behind);
    });
    VecX b = (2.0 * r - ahead - behind) / (2.0 * kBendDifference * kBendDifference);
    if (!b.allFinite()) return VecX::Zero(p.size());
    problem_.constraints().filter(b);
    return system_.relax(b);
  }

  NewtonResult finish_blocked() {
    report_.residual = std::numeric_limits<double>::infinity();
    return finish(NewtonEnd::kBlocked);
  }

  NewtonResult finish(NewtonEnd end) {
    report_.end = end;
    return {std::move(y_), report_, system_.take_factor(), {}};
  }

  const StepProblem& problem_;
  const NewtonOptions& options_;
  const VecX* expected_;  // null: nothing is known
  const VecX* begin_;     // null: a first guess of the step's own
  NewtonReport report_;
  StepStopwatch timed_;
  NewtonSystem system_;
  VecX y_, tension_, r_;
  std::optional<double> follow_tolerance_;  // where what follows held vertices is part of the result
  double phi_ = 0.0;
  double rounding_ = 0.0;
  double before_ = 0.0;      // the residual that the last step began with
  bool is_trusted_ = false;  // whether that was a full one, too short for the potential to tell
};

}  // namespace

void NewtonReport::add_work(const NewtonReport& other) {
  iterations += other.iterations;
  factorizations += other.factorizations;
  cg_iterations += other.cg_iterations;
  times += other.times;
}

double rounding_of_residual(const BlockMatrix& H, const VecX& y, double force_scale) {
  VecX r;
  H.multiply_absolute(y, r);
  return 0.5 * std::numeric_limits<double>::epsilon() * r.norm() / force_scale;
}

NewtonResult minimize_step(const StepProblem& problem, const CholeskySolver& cholesky,
                           const NewtonHints& hints, const NewtonOptions& options) {
  NewtonResult first = NewtonIteration(problem, cholesky, hints, options).run();
  if (first.report.converged() || options.linear == LinearMethod::kDirect) return first;
  NewtonOptions direct = options;
  direct.linear = LinearMethod::kDirect;
  NewtonResult second = NewtonIteration(problem, cholesky, {nullptr, nullptr, hints.begin}, direct).run();
  const auto left = [](const NewtonReport& report) {
    return std::isnan(report.residual) ? std::numeric_limits<double>::infinity() : report.residual;
  };
  const bool is_better = second.report.converged() || left(second.report) < left(first.report);
  NewtonResult& better = is_better ? second : first;
  better.report.add_work(&better == &first ? second.report : first.report);
  better.report.retries = 1;
  return std::move(better);
}

NewtonResult linearized_step(const StepProblem& problem, const CholeskySolver& cholesky,
                             const NewtonHints& hints, const NewtonOptions& options,
                             const LinearizedOptions& linearized) {
  return NewtonIteration(problem, cholesky, hints, options).run_linearized(linearized);
}

std::string_view reason(NewtonEnd end) {
  switch (end) {
    case NewtonEnd::kMaxIterations:
      return "the limit on Newton iterations was reached";
    case NewtonEnd::kStalled:
      return "no smaller residual could be found";
    case NewtonEnd::kNotFinite:
      return "forces are not finite";
    case NewtonEnd::kTooLong:
      return "the step is longer than 0.9 of what its explicit integrator bears";
    case NewtonEnd::kBlocked:
      return "within the substep a body, pins or stretch_scale drive cloth into a body, into itself or "
             "beyond its strain limit, or a pin let go within a body, and no free way was found";
    case NewtonEnd::kMinimum:
    case NewtonEnd::kSaddle:
      break;
  }
  return "it converged";
}

}  // namespace keydrape
