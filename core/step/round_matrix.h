#pragma once

#include <Eigen/SparseCholesky>
#include <memory>
#include <utility>
#include <vector>

#include "core/cloth/model.h"
#include "core/constraint/hard_pin.h"

namespace keydrape {

// The P of steps that are not solved (core/step/EQUATIONS.md (R1)): the same number for all three
// coordinates of a vertex. Immutable.
class RoundMatrix {
 public:
  // The diagonal P [kg/s^2] (n), each > 0.
  explicit RoundMatrix(VecX diagonal) : diagonal_(std::move(diagonal)) {}
  // A symmetric, positive definite P (n x n); factorised here.
  explicit RoundMatrix(const Eigen::SparseMatrix<double>& P);

  // x = P^-1 b. b, x: 3n, not the same vector
  void solve(const VecX& b, VecX& x) const;

 private:
  VecX diagonal_;  // empty: there is a factor
  std::unique_ptr<const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>>> factor_;
};

// Connected vertices that nothing holds: what happens inside them must not turn them.
using LooseParts = std::vector<std::vector<int>>;

enum class RoundMatrixKind {
  kStiffness,  // M/h^2 + L, with a factor
  kDiagonal,   // m_i/h^2 + sum_j |L_ij|: by Gershgorin no less
};

// P of a step, and what nothing holds in it.
struct MatrixOfStep {
  std::shared_ptr<const RoundMatrix> P;
  std::shared_ptr<const LooseParts> loose;
};

class RoundMatrices;

// The last matrices that steps took, for the next ones (StepWorkspace). For one thread at a time.
class MadeMatrices {
 public:
  int made_count() const { return made_count_; }  // of matrices so far

 private:
  friend class RoundMatrices;
  // What the matrix of a step depends on.
  struct Key {
    const RoundMatrices* of;
    std::vector<int> held;       // vertices, ascending
    std::vector<int> sliding;    // likewise: held in some directions
    std::vector<double> coming;  // vertex, vertex, value of what comes and goes
    bool operator==(const Key&) const = default;
  };

  std::vector<std::pair<Key, MatrixOfStep>> made_;  // the newest behind
  int made_count_ = 0;
};

// What makes the matrices of a model's steps of one length. L is made once, and a matrix with its factor for
// each set of vertices that pins hold: as pins come, go or change their strength, another one. Immutable.
class RoundMatrices {
 public:
  // `model` outlives it. dt: of a step [s]
  RoundMatrices(const Model& model, double dt, RoundMatrixKind kind);

  // Of a step that ends at `end_time` [s] with these constraints. Vertices that are held keep a P of their
  // inertia alone, and couple to nothing; what a pin lets slide counts as free.
  MatrixOfStep at(const StepConstraints& constraints, double end_time, MadeMatrices& made) const;

 private:
  MatrixOfStep make(const MadeMatrices::Key& key) const;
  LooseParts loose_parts(const MadeMatrices::Key& key) const;

  const Model& model_;
  double dt_;
  RoundMatrixKind kind_;
  std::vector<Eigen::Triplet<double>> lasting_;  // of L
};

}  // namespace keydrape
