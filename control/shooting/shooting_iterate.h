#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "control/shooting/shooting_problem.h"
#include "control/shooting/sweeps.h"

namespace keydrape {

// What the linear model says of a step.
struct Prediction {
  std::vector<KeyframeMiss> misses;
  double cost;  // effort and smoothness
};

// One forward run, the goal that it is measured by, and what hangs on both.
class ShootingIterate final : public BoundedIterate {
 public:
  // Runs the forces that z stands for. Measured by the objective's first goal, or by this one.
  ShootingIterate(ShootingProblem& problem, VecX z);
  ShootingIterate(ShootingProblem& problem, VecX z, GoalPointer goal);
  // A run that was steered, with the unknowns that reproduce it and what they made it with (null:
  // the problem's own).
  ShootingIterate(ShootingProblem& problem, VecX z, std::unique_ptr<const ClothVariant> variant,
                  Trajectory trajectory, GoalPointer goal);

  const VecX& z() const override { return z_; }
  double objective() const override { return objective_; }
  const VecX& gradient() override;
  // w: forces with feedback on what the linear model misses (control/derivatives/feedback.h).
  const VecX& local_gradient() override;
  VecX gauss_newton_product(const VecX& w) override;
  // Images: changes of the states that the goal sees, and of z, one behind the other.  (O3)
  VecX image(const VecX& w) override;
  VecX image_gradient() override;
  VecX weighed(const VecX& image) override;
  VecX of_image(const VecX& image_bar) override;
  double paired(const VecX& image, const VecX& image_bar) const override;
  VecX metric_product(const VecX& w) override;  // by what forces cost (O2)
  VecX metric_solve(const VecX& w_bar) override;
  // A run that tracks what the linear model predicts for w: where the model is wrong, feedback holds the
  // cloth near the prediction instead of letting the error grow. Here and below: of the same goal.
  std::unique_ptr<Iterate> step(const VecX& w) override;
  // A run with this one's forces that is brought, in the last moments before each keyframe, to where this
  // one has missed it: out of folds that the model cannot see beyond. To poses by trials, which take about as
  // long as a run (control/steering/landing.h), elsewhere by guidance (control/steering/guidance.h).
  std::unique_ptr<Iterate> corrected() override;
  // The run of the forces z, close to this one's: where a step has several solutions, the one that
  // this run found.
  std::unique_ptr<ShootingIterate> nearby(VecX z) const;

  // Along a face of the problem's bounds (optimize/bounded.h). step_to() tracks as step() does.
  VecX model_product(const VecX& dz) override;
  VecX change(const VecX& w, const Face& face) override;
  VecX local(const VecX& z_bar, const Face& face) override;
  VecX face_product(const VecX& w, const Face& face) override;
  std::unique_ptr<BoundedIterate> step_to(const VecX& dz) override;

  const GoalState& goal() const { return *goal_; }
  const GoalPointer& shared_goal() const { return goal_; }
  // From now on the run is measured by this goal.
  void measure_by(GoalPointer goal);

  const Trajectory& trajectory() const { return trajectory_; }
  const ObjectiveTerms& terms() const { return terms_; }
  // The objective if its keyframes were adapted to this run; infinite where objective() is.
  double adapted_objective() const;
  std::vector<KeyframeMiss> misses() const;  // one a keyframe; requires is_complete()
  // What the model that this run was a step of said they would be; empty where there was none.
  const std::vector<KeyframeMiss>& predicted_misses() const { return predicted_misses_; }
  // What the model says of step(w) of an image, or of step_to(dz). None: there are no derivatives.
  Prediction predict(const VecX& image) const;
  std::optional<Prediction> predict_change(const VecX& dz);
  bool is_complete() const;  // every step was taken and converged

  // Requires is_complete().
  Sweeps& sweeps() { return sweeps_; }

 private:
  Feedback feedback() const;
  void count_run();
  void recall_forces();
  void measure();
  const Simulator& simulator() const;
  const DrapeRounds* drape() const;
  VecX product(const std::optional<FeedbackTangent>& change, const Feedback& feedback, const Face* face);
  VecX seen(const std::vector<StateVector>& states, const VecX& z) const;
  FeedbackTangent of_seen(const VecX& image) const;
  VecX gradient_by(const Feedback& feedback);
  std::unique_ptr<ShootingIterate> track(const std::optional<FeedbackTangent>& change);
  std::unique_ptr<ShootingIterate> landed();
  std::unique_ptr<ShootingIterate> guided();
  double cost_after(const VecX& dz) const;
  std::vector<KeyframeMiss> misses_after(const std::vector<StateVector>& change) const;
  std::vector<KeyframeMiss> measure_misses(const StateSource& states) const;

  ShootingProblem& problem_;
  VecX z_;
  std::unique_ptr<const ClothVariant> variant_;  // null: the problem's own
  Trajectory trajectory_;
  GoalPointer goal_;
  std::vector<KeyframeMiss> predicted_misses_;
  ObjectiveTerms terms_;
  double objective_;
  VecX gradient_, local_gradient_;
  Sweeps sweeps_;
};

}  // namespace keydrape
