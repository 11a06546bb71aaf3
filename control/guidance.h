#pragma once

#include <vector>

#include "control/control_layout.h"
#include "control/keyframe.h"
#include "control/optimize/ball_bounds.h"
#include "control/trajectory.h"

namespace keydrape {

// Steers towards keyframes: in every block of forces, each vertex feels the acceleration that would take it to its next
// keyframe with the least effort if it were a free particle (control/README.md, equation (G)),
//   a = 3 (x* - x - tau v) / tau^2 ,   tau = time to go,
// chosen anew in each block from where the cloth has come. Cloth that is steered stays spread out and near its
// keyframes, where a linearisation means something; cloth that falls freely folds up, and no derivative leads out of
// the folds. A vertex without weight in the next keyframe is left alone.
class Guidance final : public Steering {
 public:
  // `bounds`: of the forces, or null. All arguments outlive it. Requires keyframes ascending in `state`.
  Guidance(const ControlLayout& layout, const std::vector<Keyframe>& keyframes, double dt,
           const BallBounds* bounds = nullptr);

  void steer(int step, const State& state, VecX& u) override;

  const VecX& z() const { return z_; }  // the unknowns that stand for the forces so far

 private:
  void choose(int step, int block, const State& state);

  const ControlLayout& layout_;
  const std::vector<Keyframe>& keyframes_;
  double dt_;
  const BallBounds* bounds_;
  int block_ = -1;  // the one whose forces are chosen
  VecX z_;
};

}  // namespace keydrape
