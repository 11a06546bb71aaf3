#pragma once

#include <optional>
#include <vector>

#include "control/goal/border_forces.h"
#include "control/goal/goal_state.h"
#include "control/goal/price_metric.h"
#include "control/run/state_vector.h"
#include "control/run/trajectory.h"
#include "control/unknowns/control_layout.h"

namespace keydrape {

// The goal (control/EQUATIONS.md (4)):
//   J = sum_k w_k/2 (miss_k/l)^2 + velocity terms + effort/2 (|z|^2 + changes)
struct ObjectiveOptions {
  double length;         // l: the cloth's size [m], > 0
  double effort = 1e-4;  // epsilon
  // What the changes of forces cost beside the forces: 1 is a sensible first value.
  double smooth_time = 0.0;   // the mean squared rate of change of a, in units of g_0 / sqrt(fold/g_0)
  double smooth_space = 0.0;  // the mean squared slope of a along edges, in units of g_0 / fold
  BorderForces borders{};
};

// The size of folds that changes of forces over time and space are measured by: a tenth of the cloth's, so
// that a price of 1 about halves them. [m]
inline double fold_size(double length) { return 0.1 * length; }

struct ObjectiveTerms {
  double keyframes = 0.0;  // positions and velocities
  double effort = 0.0;
  double smoothness = 0.0;
  double total() const { return keyframes + effort + smoothness; }
};

class Objective {
 public:
  // `edges`: [pairs of vertices] over which smooth_space acts, with rest lengths [m]; may be empty if that is
  // 0. block_duration: time covered by one block of forces [s]. `layout` outlives this.
  struct EdgeLength {
    Edge vertices;
    double length;
  };
  Objective(ObjectiveOptions options, const std::vector<Keyframe>& keyframes, const ControlLayout& layout,
            double block_duration, const std::vector<EdgeLength>& edges);

  const ObjectiveOptions& options() const { return options_; }
  // What a search begins with: the keyframes as given, every factor 1.
  const GoalPointer& first_goal() const { return first_goal_; }

  // Of one fixed, smooth goal. `goal`: one that came of first_goal().
  ObjectiveTerms value(const GoalState& goal, const Trajectory& trajectory, const VecX& z) const;
  // What it would be if the goal were adapted to the trajectory.
  ObjectiveTerms adapted_value(const GoalState& goal, const Trajectory& trajectory, const VecX& z) const;
  // dJ/dx_n, dJ/dv_n for every state.
  std::vector<StateVector> seeds(const GoalState& goal, const Trajectory& trajectory) const;
  // The Gauss-Newton matrix of the keyframe terms over states, times a change of the states.
  std::vector<StateVector> seeds_of_change(const GoalState& goal,
                                           const std::vector<StateVector>& change) const;
  // Effort and smoothness of z.
  ObjectiveTerms cost(const GoalState& goal, const VecX& z) const;
  // Adds the gradient of effort and smoothness, and the product of its derivative G with dz. G is constant
  // but for what the goal says of prices.
  void add_effort_gradient(const GoalState& goal, const VecX& z, VecX& z_bar) const;
  void add_effort_product(const GoalState& goal, const VecX& dz, VecX& z_bar) const;
  // The unknowns that cost least: none, or those by which forces beside a part fade, where metric() is had
  // (nearly, with net forces held to zero).
  VecX cheapest() const;
  // Effort as it is, whatever single forces cost.
  double plain_effort(const VecX& z) const;
  // G over the effort's weight, as a metric M of the unknowns, and its inverse; the identity where none
  // is to be had.  (O2)
  VecX times_metric(const GoalState& goal, const VecX& w) const;
  VecX over_metric(const GoalState& goal, const VecX& w_bar) const;
  // What changes of forces cost, of M; none: nothing, or not to be had.
  const std::optional<PriceMetric>& metric() const { return metric_; }

 private:
  // W of keyframe k, over what adds to compared states.  (K2)
  void add_seeds(const GoalState& goal, size_t k, const State& d, std::vector<StateVector>& seeds) const;
  double smoothness(const VecX& y) const;        // of all changes
  VecX smoothness_product(const VecX& y) const;  // with its second derivative
  // Of the changes to what is beside a part.
  void pull_towards(const VecX& a, int block);

  ObjectiveOptions options_;
  GoalPointer first_goal_;
  const ControlLayout& layout_;
  double time_factor_ = 0.0;  // of |a_f+1 - a_f|^2
  VecX border_pull_;          // minus the gradient of smoothness at zero; empty: zero
  double border_cost_ = 0.0;  // smoothness at zero
  struct ActiveEdge {
    int k, l;       // positions among the active vertices
    double factor;  // of |a_k - a_l|^2
  };
  std::vector<ActiveEdge> active_edges_;
  std::optional<PriceMetric> metric_;
};

}  // namespace keydrape
