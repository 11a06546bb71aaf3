#pragma once

#include <memory>

#include "core/linear/block_matrix.h"
#include "core/linear/single_factor.h"

namespace keydrape {

// What factorisations and solves use on their way and keep for the next: CHOLMOD's own memory, the matrix in
// its format, and room for factors. It serves any number of solvers; results do not depend on what it served
// before. For one thread at a time: each that solves has one of its own.
class CholeskyWorkspace {
 public:
  CholeskyWorkspace();
  ~CholeskyWorkspace();
  CholeskyWorkspace(CholeskyWorkspace&&) noexcept;
  CholeskyWorkspace& operator=(CholeskyWorkspace&&) noexcept;

  // Takes back a factor that nobody needs any more; the next that is made in single precision gets its
  // memory, without new pages. Null: nothing happens.
  void recycle(std::unique_ptr<SingleFactor> factor);

 private:
  friend class CholeskySolver;
  friend class CholeskyFactor;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A numeric Cholesky factor L L^T = H in double precision. Immutable.
class CholeskyFactor {
 public:
  struct Impl;
  explicit CholeskyFactor(std::unique_ptr<Impl> impl);
  CholeskyFactor(CholeskyFactor&&) noexcept;
  CholeskyFactor& operator=(CholeskyFactor&&) noexcept;
  ~CholeskyFactor();

  // x = H^-1 b.  b, x: 3n. Throws std::bad_alloc where there is no memory.
  void solve(const VecX& b, VecX& x, CholeskyWorkspace& work) const;
  size_t memory_bytes() const;

 private:
  std::unique_ptr<Impl> impl_;
};

// Sparse Cholesky factorisation of symmetric block matrices of one pattern, ordered and analysed by CHOLMOD
// (Chen, Davis, Hager & Rajamanickam 2008) once, on the graph of the vertices. Factors in double precision
// are made by its own supernodal code, the others by multifrontal.h. Immutable: any number of threads may
// factorise at a time, each with a workspace of its own. Bits depend on BLAS's threads (library_threads.h).
class CholeskySolver {
 public:
  // `pattern` outlives the solver. Throws std::bad_alloc where CHOLMOD has no memory for its analysis.
  explicit CholeskySolver(const BlockPattern& pattern);
  ~CholeskySolver();
  CholeskySolver(const CholeskySolver&) = delete;
  CholeskySolver& operator=(const CholeskySolver&) = delete;

  // The factor of H, of which only the lower triangle is read; null if H is not positive definite
  // or not finite. All of these throw std::bad_alloc where there is no memory.
  std::unique_ptr<CholeskyFactor> factorize(const BlockMatrix& H, CholeskyWorkspace& work) const;
  // To be kept, or null as above: rounded to single precision and packed, two fifths of the memory, and CG
  // needs three iterations to make up for it.
  std::unique_ptr<SingleFactor> factorize_rounded(const BlockMatrix& H, CholeskyWorkspace& work) const;
  // A preconditioner, or null as above: made in single precision, in a third to two thirds of the time, where
  // that tells whether H is positive definite, else as one to be kept.
  std::unique_ptr<SingleFactor> factorize_single(const BlockMatrix& H, CholeskyWorkspace& work) const;

  size_t factor_bytes() const;         // memory of one factor
  size_t single_factor_bytes() const;  // of one made in single precision
  size_t kept_factor_bytes() const;    // of one to be kept
  size_t memory_bytes() const;         // of the solver itself, its layouts and the matrix in CHOLMOD's format
  // How many solves by a SingleFactor take about as long as one factorisation. From operation counts, so that
  // decisions which rest on it are the same on every run.
  double solves_per_factorization() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace keydrape
