#include "control/goal/objective.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace keydrape {
namespace {

// Squared length that the velocity terms are relative to: (speed of a free fall over l)^2 / 2.
double velocity_scale(double length) { return kStandardGravity * length; }

// Each y_fi times a power of its price.
VecX priced(const GoalState& goal, VecX y, double power = 1.0) {
  if (!goal.force_prices) return y;
  const VecX& prices = *goal.force_prices;
  for (Eigen::Index b = 0; b < prices.size(); ++b) y.segment<3>(3 * b) *= std::pow(prices[b], power);
  return y;
}

}  // namespace

Objective::Objective(ObjectiveOptions options, const std::vector<Keyframe>& keyframes,
                     const ControlLayout& layout, double block_duration, const std::vector<EdgeLength>& edges)
    : options_(options),
      first_goal_(std::make_shared<const GoalState>(
          GoalState{keyframes, std::vector<double>(keyframes.size(), 1.0)})),
      layout_(layout) {
  assert(options_.length > 0.0 && options_.effort >= 0.0 && block_duration > 0.0);
  for ([[maybe_unused]] const Keyframe& k : keyframes)
    assert(k.state > 0 && k.vertex_weight.minCoeff() >= 0.0 && k.vertex_weight.sum() > 0.0 &&
           k.velocity_omega().size() == k.vertex_weight.size() && k.velocity_omega().minCoeff() >= 0.0 &&
           k.velocity_omega().sum() > 0.0 && k.relative_to != k.state);
  const double l = options_.length, m = layout.active_count(), F = layout.block_count();
  const double fold = fold_size(l);
  // mean over blocks and vertices of |da/dt|^2 fold/g_0 / g_0^2
  const BorderForces& borders = options_.borders;
  const double changes = borders.changes > 0.0 ? borders.changes : F - 1;
  if (options_.smooth_time > 0.0 && changes > 0.0 && m > 0) {
    time_factor_ = options_.effort * options_.smooth_time * (fold / kStandardGravity) /
                   (block_duration * block_duration) / (changes * m);
    if (borders.before) pull_towards(*borders.before, 0);
    if (borders.after) pull_towards(*borders.after, layout.block_count() - 1);
  }
  if (options_.smooth_space > 0.0) {
    std::vector<int> position(layout.active().empty() ? 0 : layout.active().back() + 1, -1);
    for (int k = 0; k < layout.active_count(); ++k) position[layout.active()[k]] = k;
    const auto find = [&](int i) { return i < static_cast<int>(position.size()) ? position[i] : -1; };
    for (const auto& [vertices, length] : edges)
      if (find(vertices[0]) >= 0 && find(vertices[1]) >= 0)
        active_edges_.push_back({find(vertices[0]), find(vertices[1]), fold * fold / (length * length)});
    // mean over blocks and edges of |da/ds|^2 fold^2 / g_0^2
    for (ActiveEdge& edge : active_edges_)
      edge.factor *=
          options_.effort * options_.smooth_space / (F * static_cast<double>(active_edges_.size()));
  }
  if (options_.effort > 0.0 && layout.is_plain() && layout.is_even_in_time() &&
      (time_factor_ > 0.0 || !active_edges_.empty())) {
    // |a|^2 = F m |y|^2 at a share of 1.
    const double unit = F * m / options_.effort;
    std::vector<PriceMetric::Coupling> couplings;
    for (const ActiveEdge& edge : active_edges_) couplings.push_back({edge.k, edge.l, unit * edge.factor});
    const PriceMetric::InTime in_time{unit * time_factor_, borders.before.has_value(),
                                      borders.after.has_value()};
    metric_.emplace(layout, in_time, std::move(couplings));
  }
}

ObjectiveTerms Objective::adapted_value(const GoalState& goal, const Trajectory& trajectory,
                                        const VecX& z) const {
  if (!goal.is_adaptive()) return value(goal, trajectory, z);
  return value(*adapted(goal, trajectory, options_.length).goal, trajectory, z);
}

ObjectiveTerms Objective::value(const GoalState& goal, const Trajectory& trajectory, const VecX& z) const {
  ObjectiveTerms terms;
  const double l = options_.length;
  for (size_t i = 0; i < goal.keyframes.size(); ++i) {
    const Keyframe& k = goal.keyframes[i];
    const State compared = compared_state(k, states_of(trajectory));
    const double factor = goal.weight_factors[i];
    terms.keyframes += 0.5 * factor * k.weight / (l * l) * position_square(k, compared.x);
    if (k.velocity_weight > 0.0)
      terms.keyframes +=
          0.5 * factor * k.velocity_weight / velocity_scale(l) * velocity_square(k, compared.v);
  }
  const ObjectiveTerms of_forces = cost(goal, z);
  terms.effort = of_forces.effort;
  terms.smoothness = of_forces.smoothness;
  return terms;
}

ObjectiveTerms Objective::cost(const GoalState& goal, const VecX& z) const {
  const VecX y = layout_.fine(z);
  ObjectiveTerms terms;
  terms.effort = 0.5 * options_.effort * (y.dot(priced(goal, y)) + layout_.channels(z).squaredNorm());
  terms.smoothness = goal.change_share * smoothness(y);
  return terms;
}

void Objective::add_seeds(const GoalState& goal, size_t k, const State& d,
                          std::vector<StateVector>& seeds) const {
  const Keyframe& keyframe = goal.keyframes[k];
  const double l = options_.length, factor = goal.weight_factors[k];
  const auto add = [&](StateVector& seed, double sign) {
    add_weighted_positions(keyframe, sign * factor * keyframe.weight / (l * l), d.x, seed.x);
    if (keyframe.velocity_weight > 0.0)
      add_weighted_velocities(keyframe, sign * factor * keyframe.velocity_weight / velocity_scale(l), d.v,
                              seed.v);
  };
  add(seeds[keyframe.state], 1.0);
  if (keyframe.relative_to) add(seeds[*keyframe.relative_to], -1.0);
}

std::vector<StateVector> Objective::seeds(const GoalState& goal, const Trajectory& trajectory) const {
  std::vector<StateVector> seeds(trajectory.states.size());
  for (size_t k = 0; k < goal.keyframes.size(); ++k) {
    const Keyframe& keyframe = goal.keyframes[k];
    State d = compared_state(keyframe, states_of(trajectory));
    d.x -= keyframe.target;
    if (keyframe.velocity_weight > 0.0) d.v -= keyframe.target_velocity;
    add_seeds(goal, k, d, seeds);
  }
  return seeds;
}

std::vector<StateVector> Objective::seeds_of_change(const GoalState& goal,
                                                    const std::vector<StateVector>& change) const {
  std::vector<StateVector> seeds(change.size());
  const StateSource changes = [&](int n) { return State{change[n].x, change[n].v}; };
  for (size_t k = 0; k < goal.keyframes.size(); ++k)
    add_seeds(goal, k, compared_state(goal.keyframes[k], changes), seeds);
  return seeds;
}

void Objective::pull_towards(const VecX& a, int block) {
  assert(a.size() == 3 * layout_.active_count());
  if (border_pull_.size() == 0) border_pull_ = VecX::Zero(a.size() * layout_.block_count());
  for (int k = 0; k < layout_.active_count(); ++k)
    border_pull_.segment<3>(block * a.size() + 3 * k) +=
        time_factor_ * layout_.acceleration_scale(block, k) * a.segment<3>(3 * k);
  border_cost_ += 0.5 * time_factor_ * a.squaredNorm();
}

double Objective::smoothness(const VecX& y) const {
  if (time_factor_ == 0.0 && active_edges_.empty()) return 0.0;
  const double inside = 0.5 * y.dot(smoothness_product(y));
  return border_pull_.size() > 0 ? inside - border_pull_.dot(y) + border_cost_ : inside;
}

VecX Objective::smoothness_product(const VecX& y) const {
  // a = s y with s of the layout (and its painted weights): the product is s G_a s y.
  const int m = layout_.active_count(), F = layout_.block_count();
  VecX a(y.size()), g = VecX::Zero(y.size());
  const auto at = [&](int f, int k) { return 3 * (static_cast<Eigen::Index>(f) * m + k); };
  for (int f = 0; f < F; ++f)
    for (int k = 0; k < m; ++k)
      a.segment<3>(at(f, k)) = layout_.acceleration_scale(f, k) * y.segment<3>(at(f, k));
  if (options_.borders.before) g.head(3 * m) += time_factor_ * a.head(3 * m);
  if (options_.borders.after) g.tail(3 * m) += time_factor_ * a.tail(3 * m);
  for (int f = 0; f < F; ++f) {
    if (time_factor_ > 0.0 && f + 1 < F)
      for (int k = 0; k < m; ++k) {
        const Vec3 d = time_factor_ * (a.segment<3>(at(f + 1, k)) - a.segment<3>(at(f, k)));
        g.segment<3>(at(f + 1, k)) += d;
        g.segment<3>(at(f, k)) -= d;
      }
    for (const ActiveEdge& edge : active_edges_) {
      const Vec3 d = edge.factor * (a.segment<3>(at(f, edge.k)) - a.segment<3>(at(f, edge.l)));
      g.segment<3>(at(f, edge.k)) += d;
      g.segment<3>(at(f, edge.l)) -= d;
    }
  }
  for (int f = 0; f < F; ++f)
    for (int k = 0; k < m; ++k) g.segment<3>(at(f, k)) *= layout_.acceleration_scale(f, k);
  return g;
}

void Objective::add_effort_gradient(const GoalState& goal, const VecX& z, VecX& z_bar) const {
  add_effort_product(goal, z, z_bar);
  if (border_pull_.size() > 0) layout_.add_fine_transposed(-goal.change_share * border_pull_, z_bar);
}

void Objective::add_effort_product(const GoalState& goal, const VecX& dz, VecX& z_bar) const {
  const VecX y = layout_.fine(dz);
  VecX y_bar = options_.effort * priced(goal, y);
  if (time_factor_ > 0.0 || !active_edges_.empty()) y_bar += goal.change_share * smoothness_product(y);
  layout_.add_fine_transposed(y_bar, z_bar);
  layout_.channels(z_bar) += options_.effort * layout_.channels(dz);
}

VecX Objective::cheapest() const {
  VecX z = VecX::Zero(layout_.size());
  if (border_pull_.size() == 0 || !metric_) return z;
  VecX gradient = z;
  add_effort_gradient(*first_goal_, z, gradient);
  z -= over_metric(*first_goal_, gradient) / options_.effort;
  return z;
}

double Objective::plain_effort(const VecX& z) const {
  return 0.5 * options_.effort * (layout_.fine(z).squaredNorm() + layout_.channels(z).squaredNorm());
}

VecX Objective::times_metric(const GoalState& goal, const VecX& w) const {
  if (!metric_) return layout_.is_plain() ? priced(goal, w) : w;
  VecX w_bar = w;  // without prices of single forces: M^-1 is not to be had with both
  const Eigen::Index size = w.size() - layout_.channel_size();
  w_bar.head(size) += goal.change_share / options_.effort * smoothness_product(w.head(size));
  return w_bar;
}

VecX Objective::over_metric(const GoalState& goal, const VecX& w_bar) const {
  if (metric_) return metric_->solve(w_bar, goal.change_share);
  return layout_.is_plain() ? priced(goal, w_bar, -1.0) : w_bar;
}

}  // namespace keydrape
