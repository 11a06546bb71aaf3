#pragma once

#include <memory>
#include <optional>

#include "core/simulator.h"

namespace keydrape {

// The derivatives of one step at its solution (control/README.md, equations (A1) to (T1)): H over the free
// directions, ready to be solved with, C = d2E/dy dx and D = d2E/dy dv. Exact: where H is not positive
// definite, it is factorised by LU with pivoting, and `is_indefinite` says so.
class StepLinearization {
 public:
  // Of step n from `start` to `end`; with StepMethod::kLinearized the matrices are those at the start of the
  // step. `cholesky`: a solver for the simulator's pattern; both outlive this.
  StepLinearization(const Simulator& simulator, const CholeskySolver& cholesky, int n, const State& start,
                    const State& end);
  ~StepLinearization();
  StepLinearization(StepLinearization&&) noexcept;
  StepLinearization& operator=(StepLinearization&&) noexcept;

  // x = S H^-1 S b, S the projector on the free directions: the transpose of itself.
  void solve(const VecX& b, VecX& x) const;

  // M/dt^2 - C and M/dt - D, and their transposes. out: not the argument.
  void apply_start_x(const VecX& dx, VecX& out) const;
  void apply_start_v(const VecX& dv, VecX& out) const;
  void apply_start_x_transposed(const VecX& lambda, VecX& out) const;
  void apply_start_v_transposed(const VecX& lambda, VecX& out) const;

  bool is_indefinite() const { return indefinite_ != nullptr; }
  size_t memory_bytes() const;

 private:
  struct Indefinite;

  const Simulator* simulator_;
  StepConstraints constraints_;
  std::shared_ptr<const WidePattern> wide_;  // that the factor and C belong to; null: the model's
  std::unique_ptr<CholeskyFactor> factor_;
  std::unique_ptr<Indefinite> indefinite_;
  std::optional<BlockMatrix> C_, D_;
};

}  // namespace keydrape
