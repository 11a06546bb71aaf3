#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "control/run/force_schedule.h"
#include "control/run/trajectory.h"
#include "control/unknowns/ball_bounds.h"
#include "control/unknowns/control_layout.h"

namespace keydrape {

// Has a run follow a path, block by block of forces. What is between it and the path at the end of a block,
// the cloth itself tells, by trials of the block (control/EQUATIONS.md (R4), (R5)): no derivative is asked,
// and none would know of the other side of a fold.
class PathFollowing {
 public:
  // Told after every step that is only tried; may throw to abandon the run.
  using TrialObserver = std::function<void(int step, const StepReport& report)>;

  // All that it refers to outlives whoever has it.
  struct Problem {
    const Simulator& simulator;
    const ControlLayout& layout;
    const ForceSchedule* base = nullptr;  // that forces come on top of; null: none
    const BallBounds* bounds = nullptr;   // of the forces; null: none
  };
  // How soon cloth that is off the path is to be back.
  enum class Return {
    kAtOnce,  // by the end of each block
    kInTime,  // within a share of what is left of the path
  };
  // Where the cloth is to be at the states begin .. end.
  struct Path {
    int begin = 0, end = 0;
    std::vector<VecX> positions;  // end - begin + 1 of them [m] (3n)
    VecX weight;                  // of vertices (n); only those that have some are pushed
    double near_enough = 0.0;     // RMS distance from its end that need not be made smaller [m]
    Return back = Return::kAtOnce;

    const VecX& at(int state) const { return positions[state - begin]; }
  };
  // Steps [first, end) of a block, up to the path's end at most.
  struct Span {
    int first, end;
    int count() const { return end - first; }
  };

  // z: of forces to begin with. `observer` may be empty.
  PathFollowing(const Problem& problem, VecX z, TrialObserver observer);

  // From the state path.begin on.
  void follow(Path path);
  bool has_ended(int step) const { return step >= path_.end; }
  // The steps from `first` on in its block.
  Span span(int first) const;
  // Chooses the forces of a block: tries those that z() stands for with `way` more (3n) [m], then others.
  void choose(const Span& span, const StepFrom& from, const VecX& way);
  // Where a step is expected to end, by the best trial of its block.
  std::optional<VecX> expected(int step) const;
  // A step outside the run in hand, told to the observer.
  void observe(int step, const StepReport& report);

  const Path& path() const { return path_; }
  const VecX& z() const { return z_; }  // the unknowns that stand for the forces so far
  VecX& z() { return z_; }
  // Of the steps that are in no run.
  const std::vector<StepReport>& reports() const { return reports_; }

 private:
  // A block as it would go.
  struct BlockRun {
    std::vector<VecX> ends;  // positions at the ends of its steps
    State last;
    bool is_complete;
  };
  // What is off a path at the end of a span, where it counts: r, and what share of it the block pushes away
  // as if it were alone to do so.  (R4)
  struct Aim {
    double lead;  // time for which differences of velocities are carried on [s]
    double share;
  };
  // Forces of a block that were tried, as those unknowns that begin in it, and r of where they end [m] (3n).
  struct Attempt {
    VecX z, off;
  };

  // The mixture of attempts that would leave least if what they leave were linear in their forces (Anderson
  // 1965, of all attempts).  (R5)
  static Attempt anderson_mix(const std::vector<Attempt>& attempts, size_t best);
  // The steps of a span from there under the forces that z stands for.
  BlockRun run_block(const Span& span, const StepFrom& from, const VecX& z);
  Aim aim(const Span& span) const;
  // Adds to z what moves vertices by `way` [m] (3n) until the end of the span.
  void push(const Span& span, const VecX& way, VecX& z) const;
  // r of vertices that have weight, at the end of a span [m] (3n).
  VecX off_path(const Span& span, const State& end, const Aim& aim) const;
  // RMS over vertices, by weight, of how far they are off (3n) [m].
  double miss(const VecX& off) const;

  Problem problem_;
  TrialObserver observer_;
  VecX z_;
  Path path_;
  int best_begin_ = 0;
  std::vector<VecX> best_ends_;  // of the steps from best_begin_ on, as they went in the best attempt
  std::vector<StepReport> reports_;
};

}  // namespace keydrape
