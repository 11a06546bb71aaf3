#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "control/derivatives/feedback.h"
#include "control/goal/objective.h"
#include "control/optimize/bounded.h"
#include "control/run/rollout.h"

namespace keydrape {

// Work and time spent, over the life of a problem.
struct ShootingWork {
  int forward_simulations = 0;
  int adjoint_sweeps = 0;
  int tangent_sweeps = 0;
  long newton_iterations = 0;
  long factorizations = 0;
  long time_steps = 0;
  double forward_s = 0.0, linearize_s = 0.0, adjoint_s = 0.0, tangent_s = 0.0;
  size_t trajectory_bytes = 0;  // largest memory of states and factors
  int kept_steps = 0;           // steps whose factors were kept, of the last linearised trajectory
  StorageCounts kept{};         // all of its steps, by what was kept of them
  int indefinite_steps = 0;     // steps of the last linearised trajectory whose H was not positive definite
};

// What the linear model says of a step.
struct Prediction {
  std::vector<KeyframeMiss> misses;
  double cost;  // effort and smoothness
};

// One forward run and what hangs on it.
class ShootingIterate final : public BoundedIterate {
 public:
  // Runs the forces that z stands for.
  ShootingIterate(class ShootingProblem& problem, VecX z);
  // A run that was steered, with the unknowns that reproduce it and what they made it with (null: the
  // problem's own).
  ShootingIterate(class ShootingProblem& problem, VecX z, std::unique_ptr<const Setting> setting,
                  Trajectory trajectory);

  const VecX& z() const override { return z_; }
  double objective() const override { return objective_; }
  const VecX& gradient() override;
  // w: forces with feedback on what the linear model misses (control/derivatives/feedback.h).
  const VecX& local_gradient() override;
  VecX gauss_newton_product(const VecX& w) override;
  // A run that tracks what the linear model predicts for w: where the model is wrong, feedback holds the cloth near the
  // prediction instead of letting the error grow.
  std::unique_ptr<Iterate> step(const VecX& w) override;
  // A run with this one's forces that is guided, in the last moments before each keyframe, to where this one has
  // missed it: out of folds that the model cannot see beyond (control/steering/guidance.h).
  std::unique_ptr<Iterate> corrected() override;
  // The run of the forces z, close to this one's: where a step has several solutions, the one that this run found.
  std::unique_ptr<ShootingIterate> nearby(VecX z) const;

  // Along a face of the problem's bounds (optimize/bounded.h). step_to() tracks as step() does.
  VecX model_product(const VecX& dz) override;
  VecX change(const VecX& w, const Face& face) override;
  VecX local(const VecX& z_bar, const Face& face) override;
  VecX face_product(const VecX& w, const Face& face) override;
  std::unique_ptr<BoundedIterate> step_to(const VecX& dz) override;

  ~ShootingIterate() override;  // adds what its sweeps factorised to the problem's work

  const Trajectory& trajectory() const { return trajectory_; }
  const ObjectiveTerms& terms() const { return terms_; }
  // The objective if its keyframes were adapted to this run; infinite where objective() is.
  double adapted_objective() const;
  std::vector<KeyframeMiss> misses() const;  // one a keyframe; requires is_complete()
  // What the model that this run was a step of said they would be; empty where there was none.
  const std::vector<KeyframeMiss>& predicted_misses() const { return predicted_misses_; }
  // What the model says of step(w), or of step_to(dz).
  Prediction predict(const VecX& w);
  Prediction predict_change(const VecX& dz);
  bool is_complete() const;  // every step was taken and converged
  // To be called after the objective's weights were changed.
  void objective_changed();

  // The derivatives of the run; made on the first call, and again after they were released.
  const LinearizedTrajectory& linearized();
  void release_derivatives();
  // Change of the states under a change p of z.  (T1)
  std::vector<StateVector> push_forward(const VecX& p);
  // dJ/dz from dJ/d(states), and from dJ/dz at fixed states.  (A1) to (A4)
  VecX pull_back(const std::vector<StateVector>& seeds, const VecX& z_bar);

 private:
  void evaluate();
  const Simulator& simulator() const;
  const State& start() const;
  const ChannelDerivatives* channel_derivatives() const { return channel_derivatives_.get(); }
  std::unique_ptr<ShootingIterate> track(const FeedbackTangent& change);
  double cost_after(const VecX& dz) const;
  std::vector<KeyframeMiss> misses_after(const std::vector<StateVector>& change) const;
  std::vector<KeyframeMiss> measure_misses(const StateSource& states) const;

  class ShootingProblem& problem_;
  VecX z_;
  std::unique_ptr<const Setting> setting_;  // null: the problem's own
  Trajectory trajectory_;
  std::vector<KeyframeMiss> predicted_misses_;
  ObjectiveTerms terms_;
  double objective_;
  VecX gradient_, local_gradient_;
  std::unique_ptr<LinearizedTrajectory> linearized_;
  std::unique_ptr<ChannelDerivatives> channel_derivatives_;  // null: no channels, or not linearised
};

// Simulation, goal and unknowns together: keyframe control as a function of z (single shooting).
// All arguments outlive it.
class ShootingProblem final : public OptimizationProblem {
 public:
  ShootingProblem(const Simulator& simulator, const State& start, const ControlLayout& layout,
                  const Objective& objective, size_t memory_budget_bytes)
      : simulator_(simulator),
        start_(start),
        layout_(layout),
        objective_(objective),
        memory_budget_bytes_(memory_budget_bytes),
        response_s_(response_time(layout, simulator.dt())),
        feedback_(Feedback::for_blocks(response_s_)) {}

  int size() const override { return layout_.size(); }
  // From now on the forces of z come on top of these, which outlive the problem: z = 0 stands for them.
  void start_from(const ForceSchedule& base) { base_ = &base; }
  const ForceSchedule* base() const { return base_; }  // null: none
  // From now on all steered runs keep within these bounds.
  void limit(BallBounds bounds) { bounds_ = std::move(bounds); }
  const BallBounds* bounds() const { return bounds_ ? &*bounds_ : nullptr; }  // null: none
  // From now on the last unknowns, as many as the layout was told of, are those of these channels, which
  // outlive the problem.
  void open(const Channels& channels) { channels_ = &channels; }
  const Channels* channels() const { return channels_; }  // null: none
  // From now on the derivatives of one run may be kept there, too; it outlives the problem.
  void keep_in(Scratch& scratch) { scratch_ = &scratch; }
  Scratch* scratch() const { return scratch_; }  // null: none
  // What z makes a run with; null without channels. May throw as build_model.
  std::unique_ptr<const Setting> setting(const VecX& z) const;
  std::unique_ptr<Iterate> evaluate(const VecX& z) override;
  // A forward run with what z makes it with.
  Trajectory run(const Setting* setting, Steering& steering) const;
  // One forward run that is steered towards the keyframes: a start for either optimiser (control/steering/guidance.h).
  std::unique_ptr<ShootingIterate> evaluate_guided();
  // One that is steered from behind, and `near` another one that comes near the keyframes
  // (control/steering/retrograde.h): meets them more closely, and takes as long as four,
  // though it counts as one. `near_enough`: RMS misses, one
  // a keyframe, that need not be made smaller [m]. Null: there is no such run, of these keyframes or at all.
  std::unique_ptr<ShootingIterate> evaluate_retrograde(const ShootingIterate& near,
                                                       std::vector<double> near_enough);
  // One that is steered along a run of a coarser problem (control/steering/prolongation.h). Requires no channels.
  std::unique_ptr<ShootingIterate> evaluate_along(const struct CoarseRun& coarse);

  const Simulator& simulator() const { return simulator_; }
  const State& start() const { return start_; }
  const ControlLayout& layout() const { return layout_; }
  const Objective& objective() const { return objective_; }
  size_t memory_budget_bytes() const { return memory_budget_bytes_; }
  const Feedback& feedback() const { return feedback_; }
  // For how many steps before a keyframe a correction acts.
  int landing_steps() const;
  // Told of every step of every forward run from now on; may throw to abandon the search.
  void observe_steps(StepObserver observer) { step_observer_ = std::move(observer); }
  const StepObserver& step_observer() const { return step_observer_; }
  // Told of every forward run from now on, after its end.
  using RunObserver = std::function<void(const Trajectory& run)>;
  void observe_runs(RunObserver observer) { run_observer_ = std::move(observer); }
  const RunObserver& run_observer() const { return run_observer_; }
  // Told of every step of every sweep from now on, and of those whose derivatives are made; may throw to
  // abandon the search.
  void observe_sweeps(LinearizedTrajectory::Observer observer) { sweep_observer_ = std::move(observer); }
  const LinearizedTrajectory::Observer& sweep_observer() const { return sweep_observer_; }
  ShootingWork& work() { return work_; }
  const ShootingWork& work() const { return work_; }

 private:
  static double response_time(const ControlLayout& layout, double dt);

  const Simulator& simulator_;
  const State& start_;
  const ControlLayout& layout_;
  const Objective& objective_;
  size_t memory_budget_bytes_;
  double response_s_;  // in which forces answer to where the cloth has come [s]
  Feedback feedback_;
  std::optional<BallBounds> bounds_;
  const ForceSchedule* base_ = nullptr;
  const Channels* channels_ = nullptr;
  Scratch* scratch_ = nullptr;
  StepObserver step_observer_;
  RunObserver run_observer_;
  LinearizedTrajectory::Observer sweep_observer_;
  ShootingWork work_;
};

}  // namespace keydrape
