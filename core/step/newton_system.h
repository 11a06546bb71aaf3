#pragma once

#include <memory>
#include <optional>

#include "core/linear/block_matrix.h"
#include "core/step/conjugate_gradient.h"
#include "core/step/newton.h"
#include "core/step/step_stopwatch.h"

namespace keydrape {

// Where a Newton iteration goes.
struct NewtonDirection {
  VecX d;          // 3n, of descent
  VecX curvature;  // 3n: along it H is not positive; empty where no such direction was met
};

// The linear systems of one step's Newton iteration: its matrix H, with the blocks that contact asks for, and
// the factor that preconditions it. Work is counted and timed in the report.
class NewtonSystem {
 public:
  // `preconditioner`: a factor of a similar matrix, or null. All outlive the system.
  NewtonSystem(const StepProblem& problem, const CholeskySolver& cholesky, const SingleFactor* preconditioner,
               const NewtonOptions& options, NewtonReport& report);

  // Makes H that at y, with these tensions (empty: those at y). y: 3n
  void assemble(const VecX& y, const VecX& tension, HessianKind kind = HessianKind::kExact);
  const BlockMatrix& matrix() const { return H_; }

  // d = -H^-1 r, more or less; H is assembled, of y and `tension`, and r its residual. Factors are made anew
  // where they pay (core/decisions/0002-kept-factors.md).
  NewtonDirection find_direction(const VecX& y, const VecX& tension, const VecX& r);
  // The way d of a linearised step from y, whose residual there is r, while held vertices go `jump` (3n).
  // Assembles H_psd. False: it is not finite.
  bool find_linearized_direction(const VecX& y, const VecX& r, const VecX& jump,
                                 const LinearizedOptions& options, VecX& d);
  // How free vertices follow held ones that go `jump`, as the linearised step would have it:
  // H_ff d_f = -H_fc d_c; `inertia`: their share of it. 0 where that cannot be told. With a tolerance, |r|
  // over |b|, by a factor of its own, or with kConjugateGradient by none; else it is a place to start from,
  // more or less.
  VecX following(const VecX& y, const VecX& tension, const VecX& jump, double inertia,
                 std::optional<double> tolerance);
  // x = (H + M/h^2)^-1 b, more or less; H is assembled, and may be indefinite by as much as a saddle that has
  // just been left.
  VecX relax(const VecX& b);
  // A direction along which the exact H at y is not positive, if CG on a right-hand side that has a part
  // along every direction meets one; empty if it meets none, or nothing preconditions it. Assembles H.
  VecX probe_curvature(const VecX& y);

  // The last factor made here; null if none was.
  std::unique_ptr<SingleFactor> take_factor() { return std::move(factor_); }

 private:
  // What a solve with a preconditioner of earlier came to.
  enum class Attempt {
    kTaken,       // its direction
    kSlow,        // too slow, or there is none: another factor is to be made
    kIndefinite,  // H has negative curvature, and another factor might tell more
  };
  Attempt try_preconditioner(const CgOptions& cg, const VecX& r, NewtonDirection& found);
  // d = -H^-1 r by a fresh factor, of H_psd where H is not positive definite. False where neither has one.
  bool find_direction_directly(const VecX& y, const VecX& tension, const VecX& r, VecX& d);
  NewtonDirection find_direction_by_projected(const VecX& y, const VecX& tension, CgOptions cg,
                                              const VecX& r);
  CgReport solve(const VecX& b, const CgOptions& options, VecX& x, VecX* curvature = nullptr);
  CgOptions forcing() const;  // how well the system is to be solved (Eisenstat & Walker 1996)
  bool is_recent(const std::optional<int>& iteration) const;
  void widen(const VecX& y);
  int patience() const;
  bool refactor();
  bool refactor_projected(const VecX& y, const VecX& tension);
  void solve_directly(const VecX& r, VecX& d);
  // The way of all vertices, by H_ without constraints, while held ones go `jump`. False: it is not finite.
  bool solve_without_factor(const VecX& b, double tolerance, const VecX& jump, VecX& way);
  const CholeskySolver& cholesky() const { return wide_ ? wide_->cholesky() : cholesky_; }
  CholeskyWorkspace& work() const { return problem_.work().cholesky; }

  const StepProblem& problem_;
  const CholeskySolver& cholesky_;
  const NewtonOptions& options_;
  NewtonReport& report_;
  StepStopwatch timed_;
  const SingleFactor* preconditioner_;
  std::unique_ptr<SingleFactor> factor_;     // what preconditioner_ points to, once a factor was made here
  std::shared_ptr<const WidePattern> wide_;  // of H_; null: the model's
  BlockMatrix H_;
  std::optional<int> factor_iteration_;      // when preconditioner_ was made, if here
  int spent_ = 0;                            // CG iterations since, beyond the two with a fresh factor
  std::optional<int> indefinite_iteration_;  // when H was last found to be indefinite
};

}  // namespace keydrape
