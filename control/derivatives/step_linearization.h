#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "control/derivatives/derivative_failure.h"
#include "control/derivatives/scratch.h"
#include "core/linear/symmetric_matrix.h"
#include "core/step/simulator.h"

namespace keydrape {

// The states that a step depends on: that at its start and, with BDF2, that a step before.
enum class StepLevel { kStart, kBefore };
inline constexpr int kStepLevels = 2;

// Memory that steps whose values are in a scratch file take turns in.
struct FetchedValues {
  PageVector<double> H;
  std::array<PageVector<double>, kStepLevels> C, D;
  PageVector<float> factor;
};

// How far a solve with a factor in single precision is refined.
enum class SolveAccuracy {
  kDouble,  // to the residual of a solve in double precision, (M3): gradients
  kModel,   // to 1e-10 of the right-hand side: products with the model of a search
};

// The derivatives of one step at its solution (control/EQUATIONS.md (A1) to (T1)): H over the free
// directions, to be solved with, and for each level C = d2E/dy dx and D = d2E/dy dv. Exact: where H is not
// positive definite, it is factorised by LU with pivoting, and `is_indefinite` says so.
class StepLinearization {
 public:
  enum class Precision {
    kDouble,
    kSingle,   // half the memory; solves are refined to the residual of kDouble (core/step/refined_solve.h)
    kPassing,  // the same, made in a quarter to a half of the time, but solves take half as long again: for
               // one or two
  };

  // Of step n from there to `end`; with StepMethod::kLinearized the matrices are those at the start of
  // the step, H is H_psd there, and C and D have what it depends on in them (J4), but where
  // LinearizedDerivatives::kSwapped leaves that out: requires Simulator::has_derivatives().
  // ContactDerivatives::kFrozen leaves contact out of them. Assembles H, C and D. The simulator and `work`,
  // whose thread this is for, outlive it.
  StepLinearization(const Simulator& simulator, int n, const StepFrom& from, const State& end,
                    StepWorkspace& work);
  ~StepLinearization();
  StepLinearization(StepLinearization&&) noexcept;
  StepLinearization& operator=(StepLinearization&&) noexcept;

  int index() const { return n_; }  // of the step
  const StepScheme& scheme() const { return scheme_; }
  // The pattern of H, and the solver for it.
  const BlockPattern& pattern() const;
  const CholeskySolver& cholesky() const;

  // Makes the factor that solve() needs. Where rounding to single precision loses too much, it is made in
  // double precision all the same. Requires none. False: H is singular, and there is none still.
  [[nodiscard]] bool factorize(Precision precision);
  bool has_factor() const { return double_factor_ || single_factor_ || indefinite_; }
  void release_factor();  // requires that H is kept
  // Gives H up where no solve needs it: then no factor can be made any more.
  void release_matrix();

  // Moves H, C, D and the factor to the end of a scratch file: but for the pattern nothing is left in memory.
  // Requires is_single(). Throws as ScratchFile::append.
  void move_to(ScratchFile& file);
  bool is_filed() const { return filed_.has_value(); }
  std::uint64_t filed_bytes() const { return filed_ ? filed_->size : 0; }
  // Reads what move_to wrote, into memory that drop_fetched() gives back. Require is_filed().
  // Throws as ScratchFile::read.
  void fetch(const ScratchFile& file, FetchedValues& memory);
  void drop_fetched(FetchedValues& memory);

  // x = S H^-1 S b, S the projector on the free directions: the transpose of itself. Requires a factor.
  // False: x does not reach double precision.
  [[nodiscard]] bool solve(const VecX& b, VecX& x, SolveAccuracy accuracy = SolveAccuracy::kDouble) const;

  // s M/beta^2 - C and s M/beta - D of a level with the share s, and their transposes. out: not the argument;
  // a sweep uses its memory again from step to step.
  void apply_x(StepLevel level, const VecX& dx, VecX& out) const;
  void apply_v(StepLevel level, const VecX& dv, VecX& out) const;
  void apply_x_transposed(StepLevel level, const VecX& lambda, VecX& out) const;
  void apply_v_transposed(StepLevel level, const VecX& lambda, VecX& out) const;

  bool is_single() const { return single_factor_ != nullptr; }
  bool is_indefinite() const { return indefinite_ != nullptr; }  // known once a factor was made
  size_t memory_bytes() const;                                   // of all that is held now
  size_t pattern_bytes() const {
    return wide_ ? wide_->memory_bytes() : 0;
  }  // of them, the pattern of this step alone
  size_t releasable_bytes() const {
    return single_factor_ || !H_ ? 0 : H_->memory_bytes();
  }  // by release_matrix()

 private:
  struct Indefinite;
  struct Filed {
    std::uint64_t H = 0, factor = 0;                  // where they begin
    std::array<std::uint64_t, kStepLevels> C{}, D{};  // likewise
    std::uint64_t size = 0;                           // of all
    size_t H_count = 0;
    std::array<bool, kStepLevels> has_C{}, has_D{};
    std::shared_ptr<const SupernodalLayout> layout;
  };

  using Product = void (BlockMatrix::*)(const VecX& x, VecX& out) const;
  void apply(double divisor, const std::optional<BlockMatrix>& B, Product product, const VecX& d,
             VecX& out) const;
  double share(StepLevel level) const {
    return level == StepLevel::kStart ? scheme_.start.share : scheme_.before.share;
  }
  // Where C of a level may be other than zero: what touches counts at the start alone.
  const BlockPattern& pattern_of_C(int level) const;

  const Simulator* simulator_;
  StepWorkspace* work_;
  int n_;
  StepScheme scheme_;
  StepConstraints constraints_;
  std::shared_ptr<const WidePattern> wide_;  // that the matrices belong to; null: the model's
  std::optional<SymmetricMatrix> H_;
  std::array<std::optional<BlockMatrix>, kStepLevels> C_, D_;  // by level
  std::unique_ptr<CholeskyFactor> double_factor_;
  std::unique_ptr<SingleFactor> single_factor_;
  std::unique_ptr<Indefinite> indefinite_;
  std::optional<Filed> filed_;
};

}  // namespace keydrape
