#include "core/solve/newton.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include "core/solve/conjugate_gradient.h"

namespace keydrape {

namespace {

constexpr double kArmijo = 1e-4;
// Below this share of the potential, a change is rounding noise: sums of some 1e4 terms of either sign.
constexpr double kRelativeRounding = 1e-13;
constexpr int kMaxHalvings = 40;
// Forcing terms of the inexact Newton iteration (Eisenstat & Walker 1996): with a good preconditioner a digit
// costs an iteration or two, so that tighter systems cost less than another assembly would.
constexpr double kLoosestForcing = 1e-2;
constexpr double kTightestForcing = 1e-4;
// A system may spend this share of a factorisation's time on an old preconditioner before a new one is made.
constexpr double kPatience = 0.18;
constexpr int kMinPatience = 8;  // CG iterations
// A factor made so few iterations ago would not be much better if made anew: negative curvature is then the
// matrix's own, and the truncated direction is taken.
constexpr int kFresh = 2;
constexpr int kMaxLegs = 6;     // each may close nine tenths of a gap: enough for a millionth
constexpr int kMaxEscapes = 5;  // from saddles, a step
constexpr unsigned kProbeSeed = 20061;
constexpr CgOptions kProbe{1e-2, 200};
constexpr double kLittleInertia = 1e-3;  // its share where vertices are to follow held ones all the way
constexpr CgOptions kFollow{1e-3, 100};  // how free vertices follow held ones is a starting point only

class NewtonIteration {
 public:
  NewtonIteration(const StepProblem& problem, const CholeskySolver& cholesky, const NewtonHints& hints,
                  const NewtonOptions& options)
      : problem_(problem),
        cholesky_(cholesky),
        options_(options),
        expected_(hints.expected),
        begin_(hints.begin),
        preconditioner_(hints.preconditioner),
        H_(problem.model().pattern()) {}

  NewtonResult run() {
    if (!find_start()) return finish_blocked();
    phi_ = potential(y_);
    if (expected_) go_where_expected();
    rounding_ = kRelativeRounding * std::abs(phi_);
    int escapes = 0;
    for (report_.iterations = 0;; ++report_.iterations) {
      evaluate_residual();
      if (!std::isfinite(report_.residual)) return finish(NewtonEnd::kNotFinite);
      if (report_.residual <= std::max(options_.tolerance, report_.rounding)) {
        if (report_.residual > options_.tolerance) refine();
        if (is_minimum()) return finish(NewtonEnd::kMinimum);
        if (++escapes > kMaxEscapes || !descend_along_negative_curvature()) return finish(NewtonEnd::kSaddle);
        continue;
      }
      if (report_.iterations == options_.max_iterations) return finish(NewtonEnd::kMaxIterations);
      assemble(tension_);
      report_.rounding = rounding_of_residual(H_, y_, problem_.model().force_scale());
      find_direction();
      if (!advance()) return finish(NewtonEnd::kStalled);
    }
  }

  NewtonResult run_once() {
    y_ = problem_.start().x;
    if (!take_constraints_in()) return finish_blocked();
    evaluate_residual();
    assemble(tension_);
    if (!refactor() && !refactor_projected()) return finish(NewtonEnd::kNotFinite);
    solve_directly();
    y_ += d_;
    report_.iterations = 1;
    if (is_blocked(y_)) return finish_blocked();
    evaluate_residual();
    return finish(std::isfinite(report_.residual) ? NewtonEnd::kMinimum : NewtonEnd::kNotFinite);
  }

 private:
  // Calls f; its time goes to `part`, but for what it spends on looking for pairs.
  template <class F>
  std::invoke_result_t<F> timed(double StepTimes::*part, const F& f) {
    struct Watch {
      StepTimes& times;
      double StepTimes::*part;
      const StepProblem& problem;
      double searched = problem.search_seconds();
      std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
      ~Watch() {
        const double all = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        const double search = problem.search_seconds() - searched;
        times.broad_phase += search;
        times.*part += all - search;
      }
    };
    const Watch watch{report_.times, part, problem_};
    return f();
  }
  double potential(const VecX& y) {
    return timed(&StepTimes::assembly, [&] { return problem_.value(y); });
  }
  double step_bound(const VecX& y, const VecX& dy) {
    return timed(&StepTimes::collision, [&] { return problem_.step_bound(y, dy); });
  }
  CgReport solve(const VecX& b, const CgOptions& options, VecX& x, VecX* curvature_direction = nullptr) {
    const CgReport report = timed(&StepTimes::solve, [&] {
      return solve_by_cg(H_, b, *preconditioner_, problem_.constraints(), options, x, curvature_direction);
    });
    report_.cg_iterations += report.iterations;
    return report;
  }

  bool find_start() {
    if (begin_) {
      y_ = *begin_;
      problem_.constraints().impose(y_);
      tension_ = problem_.tensions(y_);
      return true;
    }
    for (int attempt = 0; attempt < StepProblem::kFirstGuesses; ++attempt) {
      y_ = timed(&StepTimes::collision, [&] { return problem_.first_guess(attempt); });
      if (take_constraints_in()) return true;
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
    VecX way = jump + following(jump, 1.0);
    if (step_bound(y_, way) < 1.0) way = jump;
    if (!is_free(way)) way = jump + following(jump, kLittleInertia);
    if (!is_free(way)) return false;
    problem_.predict_tensions(y_, way, tension_);
    y_ += way;
    problem_.constraints().impose(y_);
    return true;
  }

  bool is_free(const VecX& way) { return !is_blocked(y_ + way) && step_bound(y_, way) == 1.0; }

  // How free vertices follow held ones that go `jump`; `inertia`: their share of it. 0 where that cannot be
  // told.
  VecX following(const VecX& jump, double inertia) {
    VecX projected = tension_, follow = VecX::Zero(jump.size());
    problem_.project_tensions(projected);
    widen();
    timed(&StepTimes::assembly, [&] {
      problem_.hessian(y_, projected, H_, SelfContactStep::HessianKind::kPsd, wide_.get());
      if (inertia < 1.0) problem_.add_inertia(inertia - 1.0, H_);
    });
    VecX b;
    H_.multiply(jump, b);
    b = -b;
    problem_.constraints().filter(b);
    problem_.constrain(H_);
    if (!preconditioner_ || inertia < 1.0) refactor();
    if (preconditioner_) solve(b, kFollow, follow);
    return follow;
  }

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
    report_.violations = timed(&StepTimes::collision, [&] { return problem_.count_violations(y); });
    return report_.violations > 0;
  }

  // Gives H_ the blocks that it needs at y_.
  void widen() {
    std::shared_ptr<const WidePattern> now =
        timed(&StepTimes::assembly, [&] { return problem_.pattern(y_, wide_); });
    if (now == wide_) return;
    wide_ = std::move(now);
    H_ = BlockMatrix(wide_ ? wide_->blocks() : problem_.model().pattern());
  }
  const CholeskySolver& cholesky() const { return wide_ ? wide_->cholesky() : cholesky_; }

  void assemble(const VecX& tension,
                SelfContactStep::HessianKind kind = SelfContactStep::HessianKind::kExact) {
    widen();
    timed(&StepTimes::assembly, [&] {
      problem_.hessian(y_, tension, H_, kind, wide_.get());
      problem_.constrain(H_);
    });
  }

  void evaluate_residual() {
    timed(&StepTimes::assembly, [&] { problem_.residual(y_, r_); });
    problem_.constraints().filter(r_);
    report_.residual = r_.norm() / problem_.model().force_scale();
  }

  // One full step more where the residual is rounding error already. What is left along the stiff directions
  // is noise, but the soft ones, which carry the momentum, are only as good as the last solve was.
  void refine() {
    const VecX y = y_;
    assemble(tension_);
    find_direction();
    ++report_.iterations;
    y_ += step_bound(y_, d_) * d_;
    evaluate_residual();
    if (!(report_.residual <= report_.rounding)) {
      y_ = y;
      evaluate_residual();
    }
    phi_ = potential(y_);
  }

  // Replaces the preconditioner by the factor of H_ if that is positive definite.
  bool refactor() {
    ++report_.factorizations;
    auto fresh = timed(&StepTimes::factorization, [&] { return cholesky().factorize_single(H_); });
    if (!fresh) return false;
    factor_ = std::move(fresh);
    factor_iteration_ = report_.iterations;
    preconditioner_ = factor_.get();
    return true;
  }

  bool refactor_projected() {
    VecX projected = tension_;
    problem_.project_tensions(projected);
    assemble(projected, SelfContactStep::HessianKind::kPsd);
    return refactor();
  }

  // With a factor of H_ itself: an iteration or two make up for its rounding.
  void solve_directly() { solve(-r_, {kTightestForcing, 20}, d_); }

  // d_ = -H^-1 r, more or less: always a direction of descent.
  void find_direction() {
    if (options_.linear == LinearMethod::kDirect) {
      if (refactor() || refactor_projected()) return solve_directly();
      d_ = -r_;
      return;
    }
    const bool may_refactor = options_.linear == LinearMethod::kAuto;
    CgOptions cg;
    cg.relative_tolerance = std::clamp(std::sqrt(report_.residual), kTightestForcing, kLoosestForcing);
    cg.relative_tolerance = std::max(cg.relative_tolerance, 0.3 * options_.tolerance / report_.residual);
    if (may_refactor)
      cg.max_iterations =
          std::max(kMinPatience, static_cast<int>(kPatience * cholesky().solves_per_factorization()));
    bool indefinite = false;
    if (preconditioner_) {
      const CgReport report = solve(-r_, cg, d_);
      if (report.end == CgEnd::kConverged || !may_refactor) return;
      indefinite = report.end == CgEnd::kNegativeCurvature;
      if (indefinite && report_.iterations - factor_iteration_ <= kFresh) return;
    }
    // Where H is known to be indefinite, or was found so a few iterations ago, an attempt at it is a
    // factorisation lost.
    if (!indefinite && report_.iterations - indefinite_iteration_ > kFresh) {
      if (refactor()) return solve_directly();
      indefinite_iteration_ = report_.iterations;
    }
    if (!refactor_projected()) {
      d_ = -r_;
      return;
    }
    // Negative curvature would end CG on H early: then H_psd moves more of the sheet (README, "Where H proves
    // indefinite").
    solve_directly();
    VecX of_projected = d_;
    assemble(tension_);
    cg.max_iterations *= 4;
    if (solve(-r_, cg, d_).end == CgEnd::kNegativeCurvature) d_ = std::move(of_projected);
  }

  // Backtracking along d_ until the potential falls enough (Armijo). Where the promised fall is below the
  // rounding error of the potential, the full step is taken on trust: the residual decides.
  bool advance() {
    const double slope = r_.dot(d_);
    double alpha = step_bound(y_, d_);
    VecX trial;
    for (int k = 0; k < kMaxHalvings; ++k, alpha *= 0.5) {
      trial = y_ + alpha * d_;
      const double phi = potential(trial);
      const bool beyond_rounding = -alpha * slope > rounding_;
      if (std::isfinite(phi) && (phi <= phi_ + kArmijo * alpha * slope || !beyond_rounding)) {
        problem_.predict_tensions(y_, alpha * d_, tension_);
        y_ = trial;
        phi_ = phi;
        rounding_ = kRelativeRounding * std::abs(phi_);
        return true;
      }
    }
    return false;
  }

  // Whether the exact H at y_ shows no negative curvature: CG on a right-hand side that has a part along
  // every direction. Leaves a direction of negative curvature in d_ if there is one.
  bool is_minimum() {
    assemble(VecX());
    if (!preconditioner_ && !refactor() && !refactor_projected()) return false;
    std::mt19937_64 random(kProbeSeed);
    VecX b(y_.size()), ignored;
    for (Eigen::Index i = 0; i < b.size(); ++i) b(i) = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
    problem_.constraints().filter(b);
    const CgReport report = solve(b, kProbe, ignored, &d_);
    return report.end != CgEnd::kNegativeCurvature;
  }

  // Leaves a saddle along d_, in the sense in which the potential falls further. The first trial moves no
  // vertex by more than a free fall does in one step.
  bool descend_along_negative_curvature() {
    d_ *= kStandardGravity * problem_.dt() * problem_.dt() / d_.lpNorm<Eigen::Infinity>();
    double alpha = std::min(step_bound(y_, d_), step_bound(y_, -d_));
    for (int k = 0; k < kMaxHalvings; ++k, alpha *= 0.5) {
      const double ahead = potential(y_ + alpha * d_), behind = potential(y_ - alpha * d_);
      const double lower = std::min(ahead, behind);
      if (!(lower < phi_ - rounding_)) continue;
      y_ += (ahead <= behind ? alpha : -alpha) * d_;
      phi_ = lower;
      tension_ = problem_.tensions(y_);
      return true;
    }
    return false;
  }

  NewtonResult finish_blocked() {
    report_.residual = std::numeric_limits<double>::infinity();
    return finish(NewtonEnd::kBlocked);
  }

  NewtonResult finish(NewtonEnd end) {
    report_.end = end;
    return {std::move(y_), report_, std::move(factor_)};
  }

  const StepProblem& problem_;
  const CholeskySolver& cholesky_;
  const NewtonOptions& options_;
  const VecX* expected_;  // null: nothing is known
  const VecX* begin_;     // null: a first guess of the step's own
  const SingleFactor* preconditioner_;
  std::unique_ptr<SingleFactor> factor_;     // what preconditioner_ points to, once a factor was made here
  std::shared_ptr<const WidePattern> wide_;  // of H_; null: the model's
  BlockMatrix H_;
  NewtonReport report_;
  VecX y_, tension_, r_, d_;
  double phi_ = 0.0;
  double rounding_ = 0.0;
  int factor_iteration_ = -1000;      // when preconditioner_ was made
  int indefinite_iteration_ = -1000;  // when H was last found to be indefinite
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
  NewtonResult& better = second.report.residual < first.report.residual ? second : first;
  better.report.add_work(&better == &first ? second.report : first.report);
  better.report.retries = 1;
  return std::move(better);
}

NewtonResult linearized_step(const StepProblem& problem, const CholeskySolver& cholesky) {
  const NewtonOptions options;
  return NewtonIteration(problem, cholesky, {}, options).run_once();
}

}  // namespace keydrape
