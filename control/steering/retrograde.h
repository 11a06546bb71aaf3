#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "control/goal/keyframe.h"
#include "control/run/force_schedule.h"
#include "control/run/steering.h"
#include "control/run/trajectory.h"
#include "control/unknowns/ball_bounds.h"
#include "control/unknowns/control_layout.h"

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
  // Told after every step that is only tried; may throw to abandon the run.
  using TrialObserver = std::function<void(int step, const StepReport& report)>;

  // What is steered, to where. All that it refers to outlives whoever has it.
  struct Problem {
    const Simulator& simulator;
    const ControlLayout& layout;
    const std::vector<Keyframe>& keyframes;  // can_steer_to() them
    std::vector<double> near_enough;         // RMS misses, one a keyframe, that need not be made smaller [m]
    // A run of the same shot that comes near the keyframes, with every step: where vertices without weight
    // will be when others are at their target.
    const Trajectory& near;
    const ForceSchedule* base = nullptr;  // that u comes on top of; null: none
    const BallBounds* bounds = nullptr;   // of the forces; null: none
  };
  // `observer` may be empty.
  Retrograde(Problem problem, TrialObserver observer);

  // Whether each is a pose at a moment of its own: positions that count from nowhere, in all directions.
  static bool can_steer_to(const std::vector<Keyframe>& keyframes);

  void steer(int step, const State& state, VecX& u) override;
  std::optional<VecX> expected(int step) const override;

  const VecX& z() const { return z_; }  // the unknowns that stand for the forces so far
  // Whether no way back from some keyframe was found: it lies in a body, or through itself. From there on
  // the run has no forces.
  bool is_lost() const { return is_lost_; }
  // Of the steps that are in no run: those of ways back and of trials.
  const std::vector<StepReport>& trial_reports() const { return trial_reports_; }

 private:
  // Steps [first, end) of a block, up to the keyframe at most.
  struct Span {
    int first, end;
    int count() const { return end - first; }
  };
  // A block as it would go.
  struct BlockRun {
    std::vector<VecX> ends;  // positions at the ends of its steps
    State last;
    bool is_complete;
  };

  // Forces of a block that were tried, and how far from the path they end (3n) [m].
  struct Attempt {
    VecX z, off;
  };

  // The mixture of attempts that would leave least if what they leave were linear in their forces (Anderson
  // 1965, of all attempts).  (R5)
  static Attempt anderson_mix(const std::vector<Attempt>& attempts, size_t best);
  void find_path(int step, const State& state);
  void choose(int block, const Span& span, const StepFrom& from);
  // The steps of a span from there under the forces that z stands for.
  BlockRun run_block(const Span& span, const StepFrom& from, const VecX& z);
  // Adds to z what moves vertices by `way` [m] (3n) until the end of the span.
  void push(int block, const Span& span, const VecX& way, VecX& z) const;
  // RMS over the vertices that the path's end has weight on, of how far they are off (3n) [m].
  double miss(const VecX& off) const;
  // The mean acceleration along the path (3n).
  VecX mean_acceleration(const Span& span) const;
  void observe(int step, const StepReport& report);

  Problem problem_;
  TrialObserver observer_;
  VecX z_;
  int path_begin_ = 0, path_end_ = 0;  // states
  std::vector<VecX> path_;             // positions at the states path_begin_ .. path_end_
  double near_enough_ = 0.0;           // of the keyframe at path_end_
  VecX weight_;                        // of its vertices (n)
  VecX wants_;      // 1 for the coordinates of vertices that path_end_ has weight on, else 0
  int block_ = -1;  // the one whose forces are chosen
  int best_begin_ = 0;
  std::vector<VecX> best_ends_;  // of the steps from best_begin_ on, as they went in the best attempt
  std::optional<State> before_;  // a step before the one that is steered next
  bool is_lost_ = false;
  std::vector<StepReport> trial_reports_;
};

}  // namespace keydrape
