#pragma once

#include <memory>
#include <optional>

#include "core/cloth/model.h"
#include "core/cloth/state.h"
#include "core/linear/cholesky.h"
#include "core/step/explicit_step.h"
#include "core/step/newton.h"
#include "core/step/rounds.h"

namespace keydrape {

// How one step is taken.
enum class StepMethod {
  kConverged,   // implicit Euler, solved by Newton to the tolerance: the adjoint is exact
  kBdf2,        // BDF2, likewise: cloth keeps its motion (core/EQUATIONS.md (I1)); from a start of its own
                // the first step is implicit Euler
  kLinearized,  // one linearised implicit step (Baraff & Witkin 1998, equation (16)), for previews and for
                // comparison: the gradient of what it does is exact as well, but in contact and strain limits
  // Those below are not solved either, and know neither barriers nor strain limits (core/step/EQUATIONS.md).
  // The gradient of what they do is exact.
  kPrefactored,  // rounds with one matrix, factorised once: local/global of Liu et al. (2013)
  kPredictor,    // one such round from the start, rotation restored: Desbrun, Schroeder & Barr (1999)
  kDescent,      // rounds with a diagonal matrix
  kExplicit,     // no matrix at all: steps are no longer than they bear
};

// What derivatives of a linearised step are.
enum class LinearizedDerivatives {
  kExact,    // of what it does (J4)
  kSwapped,  // without what its matrix depends on, the older recipe: for comparison only
};

// What derivatives of a step make of the forces of contact, friction included.
enum class ContactDerivatives {
  kExact,
  kFrozen,  // taken as given, as if they depended on nothing: for comparison only
};

struct SimulatorOptions {
  double dt = 1.0 / 96.0;  // time step [s], > 0
  int first_step = 0;      // steps of this size between time 0 and its step 0, >= 0
  StepMethod method = StepMethod::kConverged;
  ContactDerivatives contact_derivatives = ContactDerivatives::kExact;  // the step itself is the same
  LinearizedDerivatives linearized_derivatives = LinearizedDerivatives::kExact;  // likewise
  LinearizedOptions linearized;                                                  // of kLinearized
  std::optional<int> rounds;  // of kPrefactored and kDescent, > 0; none: default_rounds()
  int rounds_memory = 0;      // of kPrefactored: RoundsOptions::memory
  ExplicitScheme scheme = ExplicitScheme::kSymplectic;  // of kExplicit
  NewtonOptions newton;
};

// 10 and 32, the latter those of GAMES103; 1 of kPredictor.
int default_rounds(StepMethod method);
// Whether steps take rounds (step/rounds.h).
constexpr bool takes_rounds(StepMethod method) {
  return method == StepMethod::kPrefactored || method == StepMethod::kPredictor ||
         method == StepMethod::kDescent;
}
// Whether the end of a step solves an equation, so that its derivatives are those at its end.
constexpr bool is_solved(StepMethod method) {
  return method == StepMethod::kConverged || method == StepMethod::kBdf2;
}

// What a caller has to look at (law 6): a step that did not converge returns its best iterate, and
// says so here.
using StepReport = NewtonReport;

struct StepResult {
  State next;
  StepReport report;
  std::unique_ptr<SingleFactor> factor;  // hand it to the next step: NewtonResult::factor
};

// Advances cloth in time. Step n leads from time (first_step + n) dt to (first_step + n + 1) dt. A step is a
// function of its arguments (law 3). Immutable: any number of threads may take steps at a time, each with a
// workspace of its own.
class Simulator {
 public:
  // `model` outlives the simulator. Requires linearised steps, or rounds, where the model has passes: what a
  // minimised step solves for, a pass would undo. Throws InputError where steps of this method cannot be
  // taken with it: rounds or explicit ones where a potential is infinite somewhere (barriers, strain limits),
  // kPredictor and explicit ones with any contact.
  Simulator(const Model& model, const SimulatorOptions& options);

  const Model& model() const { return model_; }
  const SimulatorOptions& options() const { return options_; }
  const CholeskySolver& cholesky() const { return cholesky_; }
  double dt() const { return options_.dt; }

  // Step n from a state under the control forces u [N] (3n). The state before that counts with kBdf2 alone:
  // whoever has one hands it on, whatever the method. The hints, among them the factor that the step
  // before handed out, have an influence on the work, and below the tolerance on the result; where the step
  // has several solutions, `expected` chooses. Where no way to begin is known (NewtonEnd::kBlocked), shorter
  // steps look for one: the search begins where they end, and what it solves is the same; a linearised step
  // is solved, too. `work` has no influence on the result, and makes steps that follow one another cheaper.
  StepResult step(int n, const StepFrom& from, const VecX& u, const NewtonHints& hints,
                  StepWorkspace& work) const;
  // The same with a workspace of its own: for a step by itself.
  StepResult step(int n, const StepFrom& from, const VecX& u, const NewtonHints& hints = {}) const;

  bool is_explicit() const { return options_.method == StepMethod::kExplicit; }
  bool takes_rounds() const { return matrices_ != nullptr; }
  // Whether derivatives of a step go along what it did on its way (control/derivatives/way_derivative.h),
  // which control forces have had a part in.
  bool differentiates_way() const { return takes_rounds() || is_explicit(); }
  // Whether v = (x - x_before)/h at the end of a step, so that positions tell all: not of all explicit ones.
  bool ends_as_it_moved() const { return !is_explicit() || options_.scheme == ExplicitScheme::kSymplectic; }
  // Of a step with rounds, as it goes. Requires takes_rounds().
  RoundsOptions rounds_options() const;
  MatrixOfStep round_matrix(const StepProblem& problem, int n) const;
  // Of an explicit step, as it goes. Requires is_explicit().
  ExplicitStages stages(int n, const State& start, const VecX& u, StepWorkspace& work) const;

  bool is_linearized() const { return options_.method == StepMethod::kLinearized; }
  // Whether derivatives see what the matrix of a step depends on.  (J4)
  bool has_exact_linearized_derivatives() const {
    return is_linearized() && options_.linearized_derivatives == LinearizedDerivatives::kExact;
  }
  // Whether what it does has exact derivatives, or those that were asked for instead. Steps that filters look
  // through, or that hold vertices on bodies, have none; linearised steps have none of isotropic or coupled
  // cloth, in contact, or within a strain limit: how far a way is free jumps.
  bool has_derivatives() const {
    if (model_.has_passes()) return false;
    return !has_exact_linearized_derivatives() || model_.has_linearized_derivatives();
  }

  // The potential that step n minimises. All arguments outlive it.
  StepProblem problem(int n, const StepFrom& from, const VecX& u, StepWorkspace& work) const;
  // How a step from there counts the states that it knows.
  StepScheme scheme(const StepFrom& from) const {
    return step_scheme(dt(), from.before && options_.method == StepMethod::kBdf2);
  }
  // The state at the end y of such a step, to the bits of step().  (2)
  State end_state(const StepFrom& from, VecX y) const;

 private:
  NewtonResult first_result(StepProblem& step, const NewtonHints& hints) const;
  // The end that filters let through, and the report of a step that they let through nowhere.
  void filter(const StepProblem& step, NewtonResult& result) const;
  // The step once more, begun where shorter ones end; `blocked` with their work where they are
  // blocked as well.
  NewtonResult retry_from_pieces(int n, const StepFrom& from, const VecX& u, const NewtonHints& hints,
                                 NewtonResult blocked, StepWorkspace& work) const;
  // Where step n gets to in so many shorter ones; none where one of them is blocked as well. Adds what that
  // took to `taken`.
  std::optional<VecX> approach_in_pieces(int n, State start, const VecX& u, int pieces, NewtonReport& taken,
                                         StepWorkspace& work) const;

  StepResult explicit_step(int n, const State& start, const VecX& u, StepWorkspace& work) const;

  const Model& model_;
  SimulatorOptions options_;
  CholeskySolver cholesky_;
  std::unique_ptr<const RoundMatrices> matrices_;  // null: steps take no rounds
};

// Energy of motion, 1/2 |v|^2_M [J].
double kinetic_energy(const Model& model, const State& state);
// Energy stored in stretch, shear, bending, springs, soft pins and contact at the given time [J].
// `search`: as in StepStart.
double elastic_energy(const Model& model, const State& state, double dt, double time,
                      PairSearch* search = nullptr);

}  // namespace keydrape
