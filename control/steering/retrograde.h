#pragma once

#include <optional>
#include <vector>

#include "control/goal/keyframe.h"
#include "control/run/steering.h"
#include "control/steering/path_following.h"

namespace keydrape {

// Steers from behind (control/EQUATIONS.md (R1) to (R4)). From every keyframe a run goes back in time
// to where the cloth is, steered towards that: a path which ends on the keyframe, folds included, and on
// which cloth costs little, since it is a motion of cloth. The run in hand follows the path. What is between
// it and the path at the end of a block of forces, the cloth itself tells, by a trial of the block.
//
// Guidance aims at where vertices have to be; a dent that has once turned to the wrong side stays there, and
// no derivative knows of the other side. Here all dents come about as they have to be in the end.
class Retrograde final : public Steering {
 public:
  // What is steered, to where. All that it refers to outlives whoever has it.
  struct Problem {
    const Simulator& simulator;
    const ControlLayout& layout;
    const std::vector<Keyframe>& keyframes;  // can_steer_to() them
    std::vector<double> near_enough;         // RMS misses, one a keyframe, that need not be made smaller [m]
    // A run of the same shot that comes near the keyframes, with every step: where vertices without weight
    // will be when others are at their target.
    const Trajectory& near;
    const ForceSchedule* base = nullptr;                          // that u comes on top of; null: none
    const BallBounds* bounds = nullptr;                           // of the forces; null: none
    PathFollowing::Return back = PathFollowing::Return::kInTime;  // to the path, where the run is off it
  };
  // `observer` may be empty.
  Retrograde(Problem problem, PathFollowing::TrialObserver observer);

  // Whether each is a pose at a moment of its own: positions that count from nowhere, in all directions.
  static bool can_steer_to(const std::vector<Keyframe>& keyframes);

  void steer(int step, const State& state, VecX& u) override;
  std::optional<VecX> expected(int step) const override;

  const VecX& z() const { return following_.z(); }  // the unknowns that stand for the forces so far
  // Whether no way back from some keyframe was found: it lies in a body, or through itself. From there on
  // the run has no forces.
  bool is_lost() const { return is_lost_; }
  // Of the steps that are in no run: those of ways back and of trials.
  const std::vector<StepReport>& trial_reports() const { return following_.reports(); }

 private:
  void find_path(int step, const State& state);
  // How far the path's mean acceleration takes vertices within the span (3n).  (R3)
  VecX way_along(const PathFollowing::Span& span) const;

  Problem problem_;
  PathFollowing following_;
  int block_ = -1;               // the one whose forces are chosen
  std::optional<State> before_;  // a step before the one that is steered next
  bool is_lost_ = false;
};

}  // namespace keydrape
