#include "core/step/newton_system.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/random.h"
#include "core/step/filtered_cg.h"

namespace keydrape {

namespace {

// Forcing terms of the inexact Newton iteration (Eisenstat & Walker 1996): with a good preconditioner a digit
// costs an iteration or two, so that tighter systems cost less than another assembly would.
constexpr double kLoosestForcing = 1e-2;
constexpr double kTightestForcing = 1e-4;
// A system may spend this share of a factorisation's time on an old preconditioner before a new one is made.
constexpr double kPatience = 0.18;
constexpr int kMinPatience = 12;  // CG iterations
// All systems since the old preconditioner was made may spend this share together: then a new one is bought
// instead of renting on (ski rental: at worst a constant times the least).
constexpr double kRent = 0.5;
constexpr int kWithFreshFactor = 2;  // CG iterations
constexpr int kLeastPatience = 3;    // to see whether the old one has become a good one again
// A factor made so few iterations ago would not be much better if made anew: negative curvature is then the
// matrix's own, and the truncated direction is taken.
constexpr int kFresh = 2;
constexpr unsigned kProbeSeed = 20061;
// For the bound of the loop alone: what does not converge within it is given up.
constexpr CgOptions kProbe{1e-2, 200};
// Starting points only: where CG has not come that far, what it has serves as well.
constexpr CgOptions kRelax{1e-3, 100};   // away from a saddle
constexpr CgOptions kFollow{1e-3, 100};  // how free vertices follow held ones
constexpr int kRefinements = 50;         // with a fresh factor, some five digits each
constexpr int kFilteredIterations = 20000;

}  // namespace

NewtonSystem::NewtonSystem(const StepProblem& problem, const CholeskySolver& cholesky,
                           const SingleFactor* preconditioner, const NewtonOptions& options,
                           NewtonReport& report)
    : problem_(problem),
      cholesky_(cholesky),
      options_(options),
      report_(report),
      timed_(problem, report.times),
      preconditioner_(preconditioner),
      H_(problem.model().pattern()) {}

CgReport NewtonSystem::solve(const VecX& b, const CgOptions& options, VecX& x, VecX* curvature) {
  const CgReport report = timed_(&StepTimes::solve, [&] {
    return solve_by_cg(H_, b, *preconditioner_, problem_.constraints(), options, x, curvature);
  });
  report_.cg_iterations += report.iterations;
  return report;
}

// Gives H_ the blocks that it needs at y.
void NewtonSystem::widen(const VecX& y) {
  std::shared_ptr<const WidePattern> now =
      timed_(&StepTimes::assembly, [&] { return problem_.pattern(y, wide_); });
  if (now == wide_) return;
  wide_ = std::move(now);
  H_ = BlockMatrix(wide_ ? wide_->blocks() : problem_.model().pattern());
}

void NewtonSystem::assemble(const VecX& y, const VecX& tension, HessianKind kind) {
  widen(y);
  timed_(&StepTimes::assembly, [&] {
    problem_.hessian(y, tension, H_, kind, wide_.get());
    problem_.constrain(H_);
  });
}

// Replaces the preconditioner by the factor of H_ if that is positive definite.
bool NewtonSystem::refactor() {
  ++report_.factorizations;
  // Direct solves are the second attempt at a hard step: they get the best factor there is.
  const bool is_direct = options_.linear == LinearMethod::kDirect;
  auto fresh = timed_(&StepTimes::factorization, [&] {
    return is_direct ? cholesky().factorize_rounded(H_, work()) : cholesky().factorize_single(H_, work());
  });
  if (!fresh) return false;
  work().recycle(std::exchange(factor_, std::move(fresh)));
  factor_iteration_ = report_.iterations;
  spent_ = 0;
  preconditioner_ = factor_.get();
  return true;
}

// The same with H_psd, which H_ is afterwards.
bool NewtonSystem::refactor_projected(const VecX& y, const VecX& tension) {
  VecX projected = tension.size() > 0 ? tension : problem_.tensions(y);
  problem_.project_tensions(y, projected);
  assemble(y, projected, HessianKind::kPsd);
  return refactor();
}

// CG iterations for which the preconditioner may be tried on the next system.
int NewtonSystem::patience() const {
  const double price = cholesky().solves_per_factorization();
  const int for_one = std::max(kMinPatience, static_cast<int>(kPatience * price));
  return std::clamp(static_cast<int>(kRent * price) - spent_, kLeastPatience, for_one);
}

// With a factor of H_ itself: an iteration or two make up for its rounding.
void NewtonSystem::solve_directly(const VecX& r, VecX& d) { solve(-r, {kTightestForcing, 20}, d); }

bool NewtonSystem::find_direction_directly(const VecX& y, const VecX& tension, const VecX& r, VecX& d) {
  if (!refactor() && !refactor_projected(y, tension)) return false;
  solve_directly(r, d);
  return true;
}

CgOptions NewtonSystem::forcing() const {
  CgOptions cg;
  cg.relative_tolerance = std::clamp(std::sqrt(report_.residual), kTightestForcing, kLoosestForcing);
  cg.relative_tolerance = std::max(cg.relative_tolerance, 0.3 * options_.tolerance / report_.residual);
  if (options_.linear == LinearMethod::kAuto) cg.max_iterations = patience();
  return cg;
}

// Whether that was so few iterations ago that it still holds.
bool NewtonSystem::is_recent(const std::optional<int>& iteration) const {
  return iteration && report_.iterations - *iteration <= kFresh;
}

NewtonSystem::Attempt NewtonSystem::try_preconditioner(const CgOptions& cg, const VecX& r,
                                                       NewtonDirection& found) {
  if (!preconditioner_) return Attempt::kSlow;
  const CgReport report = solve(-r, cg, found.d, &found.curvature);
  spent_ += std::max(0, report.iterations - kWithFreshFactor);
  if (report.end == CgEnd::kConverged || options_.linear == LinearMethod::kConjugateGradient)
    return Attempt::kTaken;
  if (report.end != CgEnd::kNegativeCurvature) return Attempt::kSlow;
  return is_recent(factor_iteration_) ? Attempt::kTaken : Attempt::kIndefinite;
}

NewtonDirection NewtonSystem::find_direction(const VecX& y, const VecX& tension, const VecX& r) {
  NewtonDirection found;
  if (options_.linear == LinearMethod::kDirect) {
    if (!find_direction_directly(y, tension, r, found.d)) found.d = -r;
    return found;
  }
  const CgOptions cg = forcing();
  const Attempt attempt = try_preconditioner(cg, r, found);
  if (attempt == Attempt::kTaken) return found;
  // Where H is known to be indefinite, or was found so a few iterations ago, an attempt at it is
  // a factorisation lost.
  if (attempt == Attempt::kSlow && !is_recent(indefinite_iteration_)) {
    if (refactor()) {
      solve_directly(r, found.d);
      return found;
    }
    indefinite_iteration_ = report_.iterations;
  }
  return find_direction_by_projected(y, tension, cg, r);
}

// Preconditioned by a factor of H_psd. Negative curvature would end CG on H early: then H_psd moves more of
// the sheet (core/decisions/0006-whole-direction.md).
NewtonDirection NewtonSystem::find_direction_by_projected(const VecX& y, const VecX& tension, CgOptions cg,
                                                          const VecX& r) {
  NewtonDirection found;
  BlockMatrix exact = H_;
  if (!refactor_projected(y, tension)) {
    found.d = -r;
    return found;
  }
  solve_directly(r, found.d);
  VecX of_projected = found.d;
  H_ = std::move(exact);
  cg.max_iterations *= 4;
  if (solve(-r, cg, found.d, &found.curvature).end == CgEnd::kNegativeCurvature)
    found.d = std::move(of_projected);
  return found;
}

bool NewtonSystem::solve_without_factor(const VecX& b, double tolerance, const VecX& jump, VecX& way) {
  const FilteredCgReport report = timed_(&StepTimes::solve, [&] {
    return solve_filtered(H_, b, problem_.constraints(), {tolerance, kFilteredIterations}, jump, way);
  });
  report_.cg_iterations += report.iterations;
  return way.allFinite();
}

bool NewtonSystem::find_linearized_direction(const VecX& y, const VecX& r, const VecX& jump,
                                             const LinearizedOptions& options, VecX& d) {
  widen(y);
  timed_(&StepTimes::assembly, [&] { problem_.linearized_matrix(y, H_, wide_.get()); });
  if (!H_.all_finite()) return false;
  if (options_.linear == LinearMethod::kConjugateGradient)
    return solve_without_factor(-r, options.tolerance, jump, d);
  VecX b = -r;  // (J2)
  if (!jump.isZero(0.0)) {
    H_.multiply(jump, d);
    b -= d;
  }
  problem_.constraints().filter(b);
  problem_.constrain(H_);
  if (b.isZero(0.0)) {
    d = jump;
    return true;
  }
  // An older factor would not do: P changes with every step, and a new one costs less than what it saves.
  if (!refactor()) return false;
  solve(b, {options.tolerance, kRefinements}, d);
  d += jump;
  return d.allFinite();
}

VecX NewtonSystem::following(const VecX& y, const VecX& tension, const VecX& jump, double inertia,
                             std::optional<double> tolerance) {
  VecX projected = tension, follow = VecX::Zero(jump.size());
  problem_.project_tensions(y, projected);
  widen(y);
  timed_(&StepTimes::assembly, [&] {
    problem_.hessian(y, projected, H_, HessianKind::kPsd, wide_.get());
    if (inertia < 1.0) problem_.add_inertia(inertia - 1.0, H_);
  });
  if (tolerance && options_.linear == LinearMethod::kConjugateGradient) {
    VecX way;
    if (solve_without_factor(VecX::Zero(jump.size()), *tolerance, jump, way)) follow = way - jump;
    return follow;
  }
  VecX b;
  H_.multiply(jump, b);
  b = -b;
  problem_.constraints().filter(b);
  problem_.constrain(H_);
  if (!preconditioner_ || inertia < 1.0 || tolerance) refactor();
  if (preconditioner_) solve(b, tolerance ? CgOptions{*tolerance, kRefinements} : kFollow, follow);
  return follow;
}

VecX NewtonSystem::relax(const VecX& b) {
  VecX x;
  problem_.add_inertia(1.0, H_);
  solve(b, kRelax, x);
  problem_.add_inertia(-1.0, H_);
  return x;
}

VecX NewtonSystem::probe_curvature(const VecX& y) {
  assemble(y, VecX());
  if (!preconditioner_ && !refactor()) {
    if (!refactor_projected(y, VecX())) return VecX();
    assemble(y, VecX());
  }
  std::mt19937_64 random(kProbeSeed);
  VecX b(y.size()), ignored, curvature;
  for (Eigen::Index i = 0; i < b.size(); ++i) b(i) = 0.5 * uniform(random);
  problem_.constraints().filter(b);
  solve(b, kProbe, ignored, &curvature);
  return curvature;
}

}  // namespace keydrape
