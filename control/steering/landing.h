#pragma once

#include <optional>
#include <vector>

#include "control/derivatives/feedback.h"
#include "control/goal/keyframe.h"
#include "control/run/steering.h"
#include "control/steering/path_following.h"

namespace keydrape {

// Lands a run on the keyframes that it comes near (control/EQUATIONS.md (R6)): in the last moments before
// each the cloth follows the run, and takes away evenly what it will have missed. Trials tell which forces
// that takes. A vertex that is folded the wrong way is pushed through, as hard as it has to be; neither a
// derivative nor guidance, which knows particles, has an idea of how hard. Elsewhere the run is held to (G2).
class Landing final : public Steering {
 public:
  // All that it refers to outlives whoever has it.
  struct Problem {
    const Simulator& simulator;
    const ControlLayout& layout;
    const std::vector<Keyframe>& keyframes;  // Retrograde::can_steer_to() them
    std::vector<double> near_enough;         // RMS misses, one a keyframe, that need not be made smaller [m]
    const Trajectory& run;                   // with every step
    const VecX& z;                           // its unknowns
    Feedback feedback;                       // that holds the cloth to it
    int steps;                               // before a keyframe, in which it is landed
    const ForceSchedule* base = nullptr;     // that u comes on top of; null: none
    const BallBounds* bounds = nullptr;      // of the forces; null: none
  };
  // `observer` may be empty.
  Landing(Problem problem, PathFollowing::TrialObserver observer);

  void steer(int step, const State& state, VecX& u) override;
  std::optional<VecX> expected(int step) const override;

  const VecX& z() const { return following_.z(); }  // the unknowns that stand for the forces so far
  // Of the steps that are only tried.
  const std::vector<StepReport>& trial_reports() const { return following_.reports(); }

 private:
  // Where the next keyframe is near: the path to it.
  void begin_path(int step, const VecX& x);
  // Holds vertices to the run that nothing else takes care of.
  void hold(int step, const State& state, bool is_landing);

  Problem problem_;
  PathFollowing following_;
  int block_ = -1;               // the one whose forces are chosen
  std::optional<State> before_;  // a step before the one that is steered next
};

}  // namespace keydrape
