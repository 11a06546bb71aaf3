#pragma once

#include <map>
#include <optional>
#include <vector>

#include "control/control_layout.h"
#include "control/keyframe.h"
#include "control/optimize/ball_bounds.h"
#include "control/trajectory.h"

namespace keydrape {

// Steers towards keyframes: in every block of forces, each vertex feels the acceleration that would take it
// to its next keyframe with the least effort if it were a free particle (control/README.md, equation (G)),
//   a = 3 (x* - x - tau v) / tau^2 ,   tau = time to go,
// chosen anew in each block from where the cloth has come. Cloth that is steered stays spread out and near
// its keyframes, where a linearisation means something; cloth that falls freely folds up, and no derivative
// leads out of the folds. Of keyframes on one state the first that has weight on a vertex counts for it; a
// vertex without weight in any is left alone. Surfaces pull across themselves only, P a instead of a: cloth
// that was pulled to the nearest points would be squeezed into folds. On a track the aim is a few blocks
// ahead: landing in every block would ring. Where velocities alone have weight, a = (v* - v) / tau; keyframes
// without any weight are not steered to.
class Guidance final : public Steering {
 public:
  // `bounds`: of the forces, or null. All arguments outlive it.
  Guidance(const ControlLayout& layout, const std::vector<Keyframe>& keyframes, double dt,
           const BallBounds* bounds = nullptr);

  void steer(int step, const State& state, VecX& u) override;

  const VecX& z() const { return z_; }  // the unknowns that stand for the forces so far

 private:
  void choose(int step, int block, const State& state);
  // The state to aim at in a block of `held` steps; -1: none is left.
  int aim(int step, int held) const;
  // From here to the state that is aimed at, in steps; of them, `held` until the next choice.
  struct Flight {
    int aimed, to_go, held;
  };
  // The acceleration of vertex i; none: no keyframe at that state wants it.
  std::optional<Vec3> pull(const Flight& flight, int i, const State& at) const;
  // Nearest points of surfaces, anew for where the cloth has come.
  void match_surfaces(int state, const VecX& x);

  const ControlLayout& layout_;
  std::vector<Keyframe> keyframes_;
  double dt_;
  const BallBounds* bounds_;
  int block_ = -1;  // the one whose forces are chosen
  VecX z_;
  std::map<int, State> origins_;  // at which keyframes are relative to them, once they are known
};

}  // namespace keydrape
