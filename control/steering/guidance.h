#pragma once

#include <map>
#include <optional>
#include <vector>

#include "control/derivatives/feedback.h"
#include "control/goal/keyframe.h"
#include "control/run/steering.h"
#include "control/run/trajectory.h"
#include "control/unknowns/ball_bounds.h"
#include "control/unknowns/control_layout.h"

namespace keydrape {

// Steers towards keyframes: in every block of forces, each vertex feels the acceleration that would take it
// to its next keyframe with the least effort if it were a free particle (control/EQUATIONS.md (G)),
//   a = 3 (x* - x - tau v) / tau^2 ,   tau = time to go,
// chosen anew in each block from where the cloth has come. Cloth that is steered stays spread out and near
// its keyframes, where a linearisation means something; cloth that falls freely folds up, and no derivative
// leads out of the folds. Of keyframes on one state the first that has weight on a vertex counts for it; a
// vertex without weight in any is left alone: where a part has any, led_poses.h makes poses first. Surfaces
// pull across themselves only, P a instead of a: cloth that was pulled to the nearest points would be
// squeezed into folds. On a track the aim is a few blocks ahead: landing in every block would ring. Where
// velocities alone have weight, a = (v* - v) / tau; keyframes without any weight are not steered to.
// Vertices whose forces are dear take on a share of it (F5).
//
// From a run that comes near its keyframes already, guidance takes away what that run has missed (equations
// (G1), (G2)): on top of its forces, and in the last moments before each keyframe only, lest it undo what
// they do on the way there. Otherwise the cloth is held to the run.
class Guidance final : public Steering {
 public:
  // `bounds`: of the forces, or null. All arguments outlive it.
  Guidance(const ControlLayout& layout, const std::vector<Keyframe>& keyframes, double dt,
           const BallBounds* bounds = nullptr);

  // A run to start from: its states and unknowns; the feedback that holds the cloth to it; for how many steps
  // before a keyframe guidance acts.
  struct Reference {
    const Trajectory& run;
    const VecX& z;
    Feedback feedback;
    int guided_steps;
  };
  // The reference outlives this.
  Guidance(const ControlLayout& layout, const std::vector<Keyframe>& keyframes, double dt,
           const BallBounds* bounds, const Reference& reference);

  void steer(int step, const State& state, VecX& u) override;
  std::optional<VecX> expected(int step) const override;

  const VecX& z() const { return z_; }  // the unknowns that stand for the forces so far

 private:
  void choose(int step, int block, const State& state);
  // The state to aim at in a block of `held` steps; -1: none is left.
  int aim(int step, int held) const;
  // From here to the state that is aimed at, in steps; of them, `held` until the next choice.
  struct Flight {
    int aimed, to_go, held;
  };
  // Where vertex i would be at the state that is aimed at, and how fast, if nothing but the reference's
  // forces acted on it and it were a free particle.
  struct Particle {
    Vec3 x, v;
  };
  Particle coast(const Flight& flight, int i, int step, const State& at) const;
  // The acceleration of vertex i; none: no keyframe at that state wants it.
  std::optional<Vec3> pull(const Flight& flight, int i, int step, const State& at) const;
  // What holds the k-th active vertex to the reference; without one: nothing.
  Vec3 hold(int k, int step, const State& at) const;
  // Whether some keyframe is so near that guidance acts.
  bool is_landing(int step) const;
  // Nearest points of surfaces, anew for where the cloth has come.
  void match_surfaces(int state, const VecX& x);

  const ControlLayout& layout_;
  std::vector<Keyframe> keyframes_;
  double dt_;
  const BallBounds* bounds_;
  std::optional<Reference> reference_;
  int block_ = -1;  // the one whose forces are chosen
  VecX z_;
  std::map<int, State> origins_;  // at which keyframes are relative to them, once they are known
};

}  // namespace keydrape
