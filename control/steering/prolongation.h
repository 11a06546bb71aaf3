#pragma once

#include "control/derivatives/feedback.h"
#include "core/mesh/coarse_mesh.h"

namespace keydrape {

// A run on a coarser mesh, with longer steps, or both, of the same shot. All of it outlives whoever
// refers to it.
struct CoarseRun {
  const ControlLayout& layout;
  const VecX& z;
  const Trajectory& trajectory;      // every step converged
  double dt;                         // [s]
  const VertexEmbedding& embedding;  // of the finer vertices
};

// Unknowns of the finer layout whose forces come nearest to those of the coarse run: its accelerations, over
// the painted shares, prolonged by value in space (between the vertices around) and in time (that of the
// coarse block at the middle of the finer one). The least squares of B z = y (P1), by conjugate gradients on
// B^T B; exact at once where B = I. Neither layout has channels. dt: of the finer steps [s].
VecX prolonged_unknowns(const ControlLayout& layout, double dt, const CoarseRun& coarse);

// Steers a run on the finer mesh along the coarse one (control/EQUATIONS.md (P2)): its forces, and
// feedback on how far the vertices that both have are from where they went there. The finer cloth moves
// between them as it will.
class Prolongation final : public Steering {
 public:
  // `bounds`: of the forces, feedback included, or null. All arguments outlive it.
  Prolongation(const ControlLayout& layout, double dt, const Feedback& feedback, const CoarseRun& coarse,
               const BallBounds* bounds = nullptr);

  void steer(int step, const State& state, VecX& u) override;

  const VecX& z() const { return z_; }  // the unknowns that stand for the forces so far, feedback included

 private:
  State coarse_state(int step) const;

  const ControlLayout& layout_;
  double dt_;
  Feedback feedback_;
  const CoarseRun& coarse_;
  const BallBounds* bounds_;
  VecX z_;
  int block_ = -1;
};

}  // namespace keydrape
