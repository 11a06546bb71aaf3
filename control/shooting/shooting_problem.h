#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "control/derivatives/feedback.h"
#include "control/goal/objective.h"
#include "control/optimize/bounded.h"
#include "control/run/steering.h"
#include "control/shooting/shooting_observer.h"
#include "control/shooting/shooting_work.h"
#include "control/steering/path_following.h"

namespace keydrape {

class ShootingIterate;
struct CoarseRun;

// What a problem may have beside what it needs. All outlive it; null: none.
struct ShootingOptions {
  const ForceSchedule* base = nullptr;  // the forces of z come on top of these: z = 0 stands for them
  const BallBounds* bounds = nullptr;   // that all steered runs keep within
  const Channels* channels = nullptr;   // whose unknowns are the last ones, as many as the layout was told of
  Scratch* scratch = nullptr;           // where the derivatives of one run may be kept, too
  ShootingObserver* observer = nullptr;
  // RMS misses, one a keyframe, that steering by trials need not make smaller [m]; empty: as small as it can.
  std::vector<double> near_enough = {};
  const ClothDescription* cloth = nullptr;  // of the simulator; null: not known
};

// Simulation, goal and unknowns together: keyframe control as a function of z (single shooting). It counts
// what it does, and how long that takes.
class ShootingProblem {
 public:
  // `memory_budget_bytes`: for the states and derivatives of one run. The rest outlives it.
  ShootingProblem(const Simulator& simulator, const StepFrom& from, const ControlLayout& layout,
                  const Objective& objective, size_t memory_budget_bytes,
                  const ShootingOptions& options = {});

  int size() const { return layout_.size(); }
  // The run of the forces z, measured by the objective's first goal.
  std::unique_ptr<Iterate> evaluate(const VecX& z);

  // What z makes a run with; null without channels. May throw as build_model.
  std::unique_ptr<const ClothVariant> variant(const VecX& z) const;
  // A forward run with what z makes it with; it does not get beyond its start where cloth does not come to
  // rest that has to.
  Trajectory run(const ClothVariant* variant, Steering& steering);

  // The keyframes, with poses of the whole cloth for those that want a part of it, from a run in which that
  // is led there as by hands (control/steering/led_poses.h). Where none does, or the cloth is not known, or
  // steps are explicit: as they are.
  std::vector<Keyframe> led_keyframes(const std::vector<Keyframe>& keyframes);
  // The keyframes, with poses for those that want the cloth on a surface: of the cloth laid onto it from
  // where it is in `free` (control/steering/laid_poses.h). Where that does not bring it much nearer, or the
  // cloth is not known: as they are.
  std::vector<Keyframe> laid_keyframes(std::vector<Keyframe> keyframes, const Trajectory& free);
  // One forward run that is steered towards the keyframes of `goal`: a start for either
  // optimiser (control/steering/guidance.h).
  // `towards`: what stands for its keyframes, as led_keyframes() and laid_keyframes(); null: they do.
  std::unique_ptr<ShootingIterate> evaluate_guided(const GoalPointer& goal,
                                                   const std::vector<Keyframe>* towards = nullptr);
  // One that is steered from behind, `near` being another one, which comes near the keyframes of its goal
  // (control/steering/retrograde.h): meets them more closely, and takes as long as four, though it counts as
  // one. Null: there is no such run, of these keyframes or at all. `back`: how soon it is to be on its way
  // again where it is off it.
  std::unique_ptr<ShootingIterate> evaluate_retrograde(
      const ShootingIterate& near, const std::vector<Keyframe>* towards = nullptr,
      PathFollowing::Return back = PathFollowing::Return::kInTime);
  // One that is steered along a run of a coarser problem (control/steering/prolongation.h).
  // Requires no channels.
  std::unique_ptr<ShootingIterate> evaluate_along(const CoarseRun& coarse, const GoalPointer& goal);

  const Simulator& simulator() const { return simulator_; }
  const State& start() const { return from_.start; }
  const ControlLayout& layout() const { return layout_; }
  const Objective& objective() const { return objective_; }
  size_t memory_budget_bytes() const { return memory_budget_bytes_ - std::min(memory_budget_bytes_, aside_); }
  // So much of that is for other things, until another amount is said.
  void set_memory_aside(size_t bytes) { aside_ = bytes; }
  const ForceSchedule* base() const { return options_.base; }
  const BallBounds* bounds() const { return options_.bounds; }
  const Channels* channels() const { return options_.channels; }
  Scratch* scratch() const { return options_.scratch; }
  ShootingObserver* observer() const { return options_.observer; }
  // With gains that are the smaller the more changes of forces cost.  (F5)
  Feedback feedback(const GoalState& goal) const;
  std::vector<double> near_enough() const;  // ShootingOptions::near_enough, one for every keyframe
  // For how many steps before a keyframe a correction by guidance acts, and one by trials.
  int guided_steps() const;
  int landing_steps() const;
  // Tells the observer of steps that are only tried.
  PathFollowing::TrialObserver trial_observer() const;
  ShootingWork& work() { return work_; }
  const ShootingWork& work() const { return work_; }

 private:
  const Simulator& simulator_;
  const StepFrom from_;
  const ControlLayout& layout_;
  const Objective& objective_;
  size_t memory_budget_bytes_;
  size_t aside_ = 0;
  ShootingOptions options_;
  double response_s_;  // in which forces answer to where the cloth has come [s]
  Feedback feedback_;
  ShootingWork work_;
};

}  // namespace keydrape
