#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/cloth/model.h"
#include "core/cloth/state.h"
#include "core/step/step_pattern.h"
#include "core/step/step_workspace.h"

namespace keydrape {

// Where a step starts, and for BDF2 the state a step before that; null: the step is implicit Euler. The
// states outlive it.
struct StepFrom {
  // Implicit: a state alone is the usual case.
  StepFrom(const State& start_, const State* before_ = nullptr, double sliding_time_ = 0.0,
           bool is_linearized_ = false)
      : start(start_), before(before_), sliding_time(sliding_time_), is_linearized(is_linearized_) {}

  const State& start;
  const State* before;
  double sliding_time;  // as in StepStart, and
  bool is_linearized;
};

// The incremental potential of one step, a function of the end positions y (core/EQUATIONS.md (1), (I1)):
//   Phi(y) = 1/(2 beta^2) |y - x_tilde|^2_M + E(y; x, v) - u . y ,    x_tilde = x* + beta v* + beta^2 g
// over the y that satisfy the step's constraints. Everything below is exact.
class StepProblem {
 public:
  // The step from there that ends at `end_time` [s]. `u`: force on each vertex [N] (3n).
  // All but the numbers outlive the problem, which is for the thread of its workspace.
  StepProblem(const Model& model, const StepFrom& from, double dt, double end_time, const VecX& u,
              StepWorkspace& work);

  const Model& model() const { return model_; }
  const StepConstraints& constraints() const { return constraints_; }
  const State& start() const { return start_; }
  double dt() const { return dt_; }
  double end_time() const { return end_time_; }  // [s]
  double beta() const { return scheme_.beta; }
  bool has_before() const { return before_ != nullptr; }
  const VecX& x_tilde() const { return x_tilde_; }
  // The state at the end of a step that ends at y.  (2)
  State end_state(VecX y) const;
  StepWorkspace& work() const { return work_; }
  // In the order of the model's.
  const std::vector<std::unique_ptr<EnergyStep>>& energies() const { return energies_; }

  double value(const VecX& y) const;            // Phi [J]
  void residual(const VecX& y, VecX& r) const;  // r = dPhi/dy [N], not filtered

  // H = d2Phi/dy2 without constraints, over the model's pattern, or over `wide`. `tension` and `kind` as in
  // HessianForm: of all conditions, or empty.
  void hessian(const VecX& y, const VecX& tension, BlockMatrix& H, HessianKind kind = HessianKind::kExact,
               const WidePattern* wide = nullptr) const;
  // The pattern of H at y: null where the model's will do; `current` where that does; else a new one.
  std::shared_ptr<const WidePattern> pattern(const VecX& y, std::shared_ptr<const WidePattern> current) const;
  // The matrix of a linearised step at y, without constraints: H_psd.  (J1)
  void linearized_matrix(const VecX& y, BlockMatrix& P, const WidePattern* wide = nullptr) const;
  // H <- S H S + (I - S) s: the matrix over the free directions, regular and symmetric. s is of the
  // order of M/beta^2.
  void constrain(BlockMatrix& H) const;

  VecX tensions(const VecX& y) const;  // (condition_count)
  void predict_tensions(const VecX& y, const VecX& dy, VecX& tension) const;
  void project_tensions(const VecX& y, VecX& tension) const;  // to where H is positive semidefinite: H_psd

  // Of all limits: Limit::step_bound, and a start of the search at which no energy is infinite and to which
  // the cloth gets without passing through itself or a body through it. The first attempt takes a broad
  // neighbourhood of a body along, held vertices too; for when constraints cannot be met from there, the
  // others leave those where they belong, and take ever less along (B2).
  static constexpr int kFirstGuesses = 4;
  bool has_limits() const;
  double step_bound(const VecX& y, const VecX& dy) const;
  struct FirstGuess {
    VecX y;       // (3n)
    int blocked;  // in how many places something is in the way; else than 0: y is of no use
  };
  FirstGuess first_guess(int attempt) const;  // attempt: from 0, below kFirstGuesses
  int count_violations(const VecX& y) const;
  // Limit::count_met: what the straight way from the start to y passes through.
  int count_met(const VecX& y) const;
  double search_seconds() const;  // spent on looking for pairs that may touch, so far [s]

  // Adds this share of M/beta^2 to H.
  void add_inertia(double share, BlockMatrix& H) const;

  // Holds these vertices besides, none of which pins hold; in place of those of the last call. Ascending.
  void hold(const std::vector<StepConstraints::Row>& rows);

  // From here on H, C and D leave contact out, as if its forces depended on nothing.
  void freeze_contact() { contact_is_frozen_ = true; }

  // C = d2E/dy dx, D = d2E/dy dv at y: D over the model's pattern, C too, or over `wide` as hessian().
  void start_derivatives(const VecX& y, BlockMatrix& C, BlockMatrix& D,
                         const WidePattern* wide = nullptr) const;
  // What stands in their place where the step is linearised at its start and goes the way d (3n), with H_psd
  // for H (J4); over the model's pattern. Requires Model::has_linearized_derivatives(), and implicit Euler.
  void linearized_derivatives(const VecX& d, BlockMatrix& C, BlockMatrix& D) const;
  // The same by the state before the start, C_1 and D_1, all over the model's pattern. Requires one.
  void before_derivatives(const VecX& y, BlockMatrix& C, BlockMatrix& D) const;

 private:
  // Whether H, C and D have a part in the energy of this index.
  bool is_differentiated(size_t energy) const {
    return !(contact_is_frozen_ && model_.energies()[energy]->is_contact());
  }
  bool couples_what_touches(size_t energy) const { return model_.energies()[energy]->couples_what_touches(); }
  // H without what couples what touches, above the diagonal and on it, over the model's pattern.
  void upper_hessian_of_model(const VecX& y, const VecX& tension, BlockMatrix& H) const;
  // Calls f for the Limit of each energy that has one, in order.
  template <class F>
  void for_each_limit(const F& f) const;
  // Calls f(tensions, their part of `tension`) for each energy that has any, in order.
  template <class F>
  void for_each_tensions(VecX& tension, const F& f) const;

  const Model& model_;
  const State& start_;
  const State* before_;
  double dt_, end_time_;
  StepScheme scheme_;
  const VecX& u_;
  StepWorkspace& work_;
  VecX x_star_, x_tilde_;
  StepConstraints pins_, constraints_;
  std::vector<std::unique_ptr<EnergyStep>> energies_;
  bool contact_is_frozen_ = false;
  // M/beta^2 and the energies whose Hessian is the same for every y: upper triangle.
  BlockMatrix constant_hessian_;
};

}  // namespace keydrape
