#pragma once

#include <limits>
#include <memory>
#include <string_view>

#include "core/linear/cholesky.h"
#include "core/step/step_problem.h"
#include "core/step/step_times.h"

namespace keydrape {

// How a linear system of Newton is solved.
enum class LinearMethod {
  kAuto,    // conjugate gradients on the exact H, preconditioned by an older factor while that pays
  kDirect,  // a fresh factorisation in every iteration: of H, or of H_psd where H is not positive definite
  kConjugateGradient,  // never refactors within a step but to start and to finish
};

struct NewtonOptions {
  double tolerance = 1e-8;  // |r| <= tolerance |M g_0| ends the iteration
  int max_iterations = 300;
  LinearMethod linear = LinearMethod::kAuto;
};

enum class NewtonEnd {
  kMinimum,  // the residual is below the tolerance (or its own rounding), and H shows no negative curvature
  kSaddle,   // the residual is below the tolerance; H has negative curvature, but nothing falls along it
  kMaxIterations,  // the bound on iterations was reached
  kStalled,        // no step along the last direction lowers the potential
  kNotFinite,      // a residual is not finite
  kBlocked,        // no free way is known: for the search to begin, or for a pass to correct
  // An explicit step is longer than it bears: `residual` says how many times the limit. Not taken, or
  // (`iterations` > 0) not finite.
  kTooLong,
};

// Why a step has not converged, in words.
std::string_view reason(NewtonEnd end);

// How a linearised step is solved.
struct LinearizedOptions {
  double tolerance = 1e-14;  // of its linear system: |r| <= tolerance |b|
  // It goes on by another linearisation, in so many rounds at most, where something cuts the way short, or
  // where so large a residual is left, over |M g_0|; infinite: whatever is left.
  int max_rounds = 1;
  double enough = std::numeric_limits<double>::infinity();
};

struct NewtonReport {
  NewtonEnd end = NewtonEnd::kMaxIterations;
  int iterations = 0;
  int factorizations = 0;
  int cg_iterations = 0;
  int violations = 0;     // kBlocked: places of the cloth from which no way is known
  int cuts = 0;           // of a linearised step: rounds that something was in the way of
  int retries = 0;        // second attempts: every system factorised afresh, or begun where shorter steps end
  double residual = 0.0;  // |r| over the free directions, in units of |M g_0|; infinite for kBlocked
  double rounding = 0.0;  // what rounding the positions does to it: no tolerance asks for less
  StepTimes times;

  // Counts and times of another search for the same step.
  void add_work(const NewtonReport& other);
  // Whether y solves the step's equation: the adjoint is exact at minima and saddles alike.
  bool converged() const { return end == NewtonEnd::kMinimum || end == NewtonEnd::kSaddle; }
};

struct NewtonResult {
  VecX y;
  NewtonReport report;
  // The last factor made on the way, of a matrix close to H at y: a preconditioner for the next step.
  // May be null.
  std::unique_ptr<SingleFactor> factor;
  VecX linearized_at{};  // of a linearised step: where its last round was; else empty
};

// What a caller knows beforehand. All have an influence on the work; `expected` and `begin` also on which of
// several minima is found, where a step has more than one (cloth that buckles).
struct NewtonHints {
  const SingleFactor* preconditioner = nullptr;  // a factor of a similar matrix: that of the step before
  const VecX* expected = nullptr;  // positions close to the solution (3n), say those of a similar run
  const VecX* begin = nullptr;     // to begin at (3n), where the potential is finite; null: a first guess
};

// What rounding the positions y, which carry a relative error of epsilon/2, does to the residual, which
// changes with them by H: below this no iteration gets, but for luck. In units of `force_scale`.
double rounding_of_residual(const BlockMatrix& H, const VecX& y, double force_scale);

// Minimises the potential of one step, starting from the step's start, or from where the solution is expected
// if the potential is lower there and the straight way free of contact. If the iteration ends without a
// solution, it is repeated once from the start with LinearMethod::kDirect; the better of the two is returned,
// and the report says how it ended.
NewtonResult minimize_step(const StepProblem& problem, const CholeskySolver& cholesky,
                           const NewtonHints& hints, const NewtonOptions& options);

// One linearised implicit step with H_psd at its start (Baraff & Witkin 1998, equation (16);
// core/EQUATIONS.md (J1) to (J3)), whatever its residual. The report calls it converged; `residual` tells by
// how much it is not. NewtonOptions::linear: with kConjugateGradient no factor is made (filtered_cg.h).
// NewtonHints::begin: it is linearised there instead of at its start, and the way begins there. With a start
// that has been moved from there that is the position alteration of Baraff & Witkin (1998, section 6): the
// velocity at the end counts from the start.
NewtonResult linearized_step(const StepProblem& problem, const CholeskySolver& cholesky,
                             const NewtonHints& hints, const NewtonOptions& options,
                             const LinearizedOptions& linearized);

}  // namespace keydrape
