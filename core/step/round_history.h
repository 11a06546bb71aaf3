#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "core/base/types.h"
#include "core/step/round_matrix.h"

namespace keydrape {

// What the last rounds of a step have seen of its Hessian, with P as what is known before: L-BFGS after Liu,
// Bouaziz & Kavan 2017 (core/step/EQUATIONS.md (R11)). A copy is cheap.
class RoundHistory {
 public:
  struct Pair {
    int round;       // j
    VecX s, g;       // y_(j+1) - y_j and r_(j+1) - r_j  (3n), what is held left out
    double inverse;  // 1/(s . g)
  };

  // memory: of so many rounds, >= 0; with none B is S P^-1 S
  explicit RoundHistory(int memory) : memory_(memory) {}

  // What round j changed. Left out where r hardly rises along s: B stays positive definite.
  void add(int round, VecX s, VecX g);
  const std::deque<std::shared_ptr<const Pair>>& pairs() const { return pairs_; }  // the newest behind
  // B r. r: filtered, as B r is.
  VecX product(const VecX& r, const RoundMatrix& P, const StepConstraints& constraints) const;

 private:
  int memory_;
  std::deque<std::shared_ptr<const Pair>> pairs_;
};

// S P^-1 S b
VecX filtered_solve(const RoundMatrix& P, const StepConstraints& constraints, VecX b);

// B r once more, and what it changes by as r and what the history holds do (R12).
class RoundProduct {
 public:
  struct PairChange {
    VecX s, g;
  };

  // All outlive it.
  RoundProduct(const RoundHistory& history, const VecX& r, const RoundMatrix& P,
               const StepConstraints& constraints);

  // The change of B r. `of_pairs`: by round, of all that the history holds.
  VecX tangent(const VecX& dr, const std::vector<PairChange>& of_pairs) const;
  // The transpose: r's bar, from that of B r; adds those of the pairs. bar: filtered
  VecX adjoint(VecX bar, std::vector<PairChange>& of_pairs) const;

 private:
  const RoundHistory& history_;
  const RoundMatrix& P_;
  const StepConstraints& constraints_;
  std::vector<double> a_, b_;
  std::vector<VecX> q_, z_;  // that each pair finds
};

}  // namespace keydrape
