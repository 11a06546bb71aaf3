#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/cloth/model.h"
#include "core/cloth/state.h"
#include "core/step/step_pattern.h"

namespace keydrape {

// The incremental potential of one step, a function of the end positions y (core/EQUATIONS.md (1) to (3)):
//   Phi(y) = 1/(2 dt^2) |y - x_tilde|^2_M + E(y; x, v) - u . y ,    x_tilde = x + dt v + dt^2 g
// over the y that satisfy the step's constraints. Everything below is exact.
class StepProblem {
 public:
  // The step from `start` that ends at `end_time` [s]. `u`: force on each vertex [N] (3n).
  // `model`, `start` and `u` outlive the problem.
  StepProblem(const Model& model, const State& start, double dt, double end_time, const VecX& u);

  const Model& model() const { return model_; }
  const StepConstraints& constraints() const { return constraints_; }
  const State& start() const { return start_; }
  double dt() const { return dt_; }
  // In the order of the model's.
  const std::vector<std::unique_ptr<EnergyStep>>& energies() const { return energies_; }

  double value(const VecX& y) const;            // Phi [J]
  void residual(const VecX& y, VecX& r) const;  // r = dPhi/dy [N], not filtered

  // H = d2Phi/dy2 without constraints; `tension` as in EnergyStep::add_hessian, of all conditions or empty.
  // Self-contact is exact or projected as `kind` says; over the model's pattern, or over `wide`.
  void hessian(const VecX& y, const VecX& tension, BlockMatrix& H,
               SelfContactStep::HessianKind kind = SelfContactStep::HessianKind::kExact,
               const WidePattern* wide = nullptr) const;
  // The pattern of H at y: null where the model's will do; `current` where that does; else a new one.
  std::shared_ptr<const WidePattern> pattern(const VecX& y, std::shared_ptr<const WidePattern> current) const;
  // H <- S H S + (I - S) s: the matrix over the free directions, regular and symmetric. s is of the
  // order of M/dt^2.
  void constrain(BlockMatrix& H) const;

  VecX tensions(const VecX& y) const;  // (condition_count)
  void predict_tensions(const VecX& y, const VecX& dy, VecX& tension) const;
  void project_tensions(VecX& tension) const;  // to where H is positive semidefinite: H_psd

  // Of all energies: EnergyStep::step_bound, and a start of the search at which none is infinite and to which
  // the cloth gets without passing through itself or a body through it. The first attempt takes a broad
  // neighbourhood of a body along, held vertices too; for when constraints cannot be met from there, the
  // others leave those where they belong, and take ever less along (B2).
  static constexpr int kFirstGuesses = 4;
  double step_bound(const VecX& y, const VecX& dy) const;
  struct FirstGuess {
    VecX y;       // (3n)
    int blocked;  // in how many places something is in the way; else than 0: y is of no use
  };
  FirstGuess first_guess(int attempt) const;  // attempt: from 0, below kFirstGuesses
  int count_violations(const VecX& y) const;
  // EnergyStep::count_met: what the straight way from the start to y passes through.
  int count_met(const VecX& y) const;
  double search_seconds() const;  // spent on looking for pairs that may touch, so far [s]

  // Adds this share of M/dt^2 to H.
  void add_inertia(double share, BlockMatrix& H) const;

  // From here on H, C and D leave contact out, as if its forces depended on nothing.
  void freeze_contact() { contact_is_frozen_ = true; }

  // C = d2E/dy dx, D = d2E/dy dv at y: D over the model's pattern, C too, or over `wide` as hessian().
  void start_derivatives(const VecX& y, BlockMatrix& C, BlockMatrix& D,
                         const WidePattern* wide = nullptr) const;

 private:
  // Whether H, C and D have a part in the energy of this index.
  bool is_differentiated(size_t energy) const {
    return !(contact_is_frozen_ && model_.energies()[energy]->is_contact());
  }
  // H without self-contact, above the diagonal and on it, over the model's pattern.
  void upper_elastic_hessian(const VecX& y, const VecX& tension, BlockMatrix& H) const;
  // The part of `tension` that belongs to each energy, in order: calls f(energy, its tensions).
  template <class F>
  void for_each_energy(VecX& tension, const F& f) const;

  const Model& model_;
  const State& start_;
  double dt_;
  const VecX& u_;
  VecX x_tilde_;
  StepConstraints constraints_;
  std::vector<std::unique_ptr<EnergyStep>> energies_;
  std::optional<SelfContactStep> self_contact_;
  bool contact_is_frozen_ = false;
  // M/dt^2 and the energies whose Hessian is the same for every y: upper triangle.
  BlockMatrix constant_hessian_;
};

}  // namespace keydrape
