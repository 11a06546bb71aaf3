#include "control/objective.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape {

namespace {

// Squared length that the velocity terms are relative to: (speed of a free fall over l)^2 / 2.
double velocity_scale(double length) { return kStandardGravity * length; }

// factor * Omega * d, with Omega the normalised vertex weights.
void add_weighted(const Keyframe& keyframe, double factor, const VecX& d, VecX& out) {
  if (out.size() == 0) out.setZero(d.size());
  const double normalized = factor / keyframe.vertex_weight.sum();
  for (Eigen::Index i = 0; i < keyframe.vertex_weight.size(); ++i)
    out.segment<3>(3 * i) += (normalized * keyframe.vertex_weight(i)) * d.segment<3>(3 * i);
}

double weighted_square(const Keyframe& keyframe, const VecX& d) {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < keyframe.vertex_weight.size(); ++i)
    sum += keyframe.vertex_weight(i) * d.segment<3>(3 * i).squaredNorm();
  return sum / keyframe.vertex_weight.sum();
}

}  // namespace

Objective::Objective(ObjectiveOptions options, std::vector<Keyframe> keyframes, const ControlLayout& layout,
                     double block_duration, const std::vector<EdgeLength>& edges)
    : options_(options),
      keyframes_(std::move(keyframes)),
      weight_factors_(keyframes_.size(), 1.0),
      layout_(layout) {
  assert(options_.length > 0.0 && options_.effort >= 0.0 && block_duration > 0.0);
  for ([[maybe_unused]] const Keyframe& k : keyframes_)
    assert(k.state > 0 && k.vertex_weight.minCoeff() >= 0.0 && k.vertex_weight.sum() > 0.0);
  const double l = options_.length, m = layout.active_count(), F = layout.block_count();
  // mean over blocks and vertices of |da/dt|^2 l/g_0 / g_0^2
  if (options_.smooth_time > 0.0 && F > 1 && m > 0)
    time_factor_ = options_.smooth_time * (l / kStandardGravity) / (block_duration * block_duration) / ((F - 1) * m);
  if (options_.smooth_space > 0.0) {
    std::vector<int> position(layout.active().empty() ? 0 : layout.active().back() + 1, -1);
    for (int k = 0; k < layout.active_count(); ++k) position[layout.active()[k]] = k;
    const auto find = [&](int i) { return i < static_cast<int>(position.size()) ? position[i] : -1; };
    for (const auto& [vertices, length] : edges)
      if (find(vertices[0]) >= 0 && find(vertices[1]) >= 0)
        active_edges_.push_back({find(vertices[0]), find(vertices[1]), l * l / (length * length)});
    // mean over blocks and edges of |da/ds|^2 l^2 / g_0^2
    for (ActiveEdge& edge : active_edges_)
      edge.factor *= options_.smooth_space / (F * static_cast<double>(active_edges_.size()));
  }
}

void Objective::set_weight_factors(std::vector<double> factors) {
  assert(factors.size() == keyframes_.size());
  weight_factors_ = std::move(factors);
}

ObjectiveTerms Objective::value(const Trajectory& trajectory, const VecX& z) const {
  ObjectiveTerms terms;
  const double l = options_.length;
  for (size_t i = 0; i < keyframes_.size(); ++i) {
    const Keyframe& k = keyframes_[i];
    const State& state = trajectory.states[k.state];
    const double factor = weight_factors_[i];
    terms.keyframes += 0.5 * factor * k.weight / (l * l) * weighted_square(k, state.x - k.target);
    if (k.velocity_weight > 0.0)
      terms.keyframes += 0.5 * factor * k.velocity_weight / velocity_scale(l) *
                         weighted_square(k, state.v - k.target_velocity);
  }
  const VecX y = layout_.fine(z);
  terms.effort = 0.5 * options_.effort * (y.squaredNorm() + layout_.channels(z).squaredNorm());
  terms.smoothness = smoothness(y);
  return terms;
}

std::vector<StateVector> Objective::seeds(const Trajectory& trajectory) const {
  std::vector<StateVector> seeds(trajectory.states.size());
  const double l = options_.length;
  for (size_t i = 0; i < keyframes_.size(); ++i) {
    const Keyframe& k = keyframes_[i];
    const State& state = trajectory.states[k.state];
    const double factor = weight_factors_[i];
    add_weighted(k, factor * k.weight / (l * l), state.x - k.target, seeds[k.state].x);
    if (k.velocity_weight > 0.0)
      add_weighted(k, factor * k.velocity_weight / velocity_scale(l), state.v - k.target_velocity,
                   seeds[k.state].v);
  }
  return seeds;
}

std::vector<StateVector> Objective::seeds_of_change(const std::vector<StateVector>& change) const {
  std::vector<StateVector> seeds(change.size());
  const double l = options_.length;
  for (size_t i = 0; i < keyframes_.size(); ++i) {
    const Keyframe& k = keyframes_[i];
    const double factor = weight_factors_[i];
    add_weighted(k, factor * k.weight / (l * l), change[k.state].x, seeds[k.state].x);
    if (k.velocity_weight > 0.0)
      add_weighted(k, factor * k.velocity_weight / velocity_scale(l), change[k.state].v, seeds[k.state].v);
  }
  return seeds;
}

double Objective::smoothness(const VecX& y) const {
  if (time_factor_ == 0.0 && active_edges_.empty()) return 0.0;
  return 0.5 * y.dot(smoothness_gradient(y));
}

VecX Objective::smoothness_gradient(const VecX& y) const {
  // a = s y with s of the layout (and its painted weights): the gradient is s G_a s y.
  const int m = layout_.active_count(), F = layout_.block_count();
  VecX a(y.size()), g = VecX::Zero(y.size());
  const auto at = [&](int f, int k) { return 3 * (static_cast<Eigen::Index>(f) * m + k); };
  for (int f = 0; f < F; ++f)
    for (int k = 0; k < m; ++k)
      a.segment<3>(at(f, k)) = layout_.acceleration_scale(k) * y.segment<3>(at(f, k));
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
    for (int k = 0; k < m; ++k) g.segment<3>(at(f, k)) *= layout_.acceleration_scale(k);
  return g;
}

void Objective::add_effort_gradient(const VecX& z, VecX& z_bar) const {
  const VecX y = layout_.fine(z);
  VecX y_bar = options_.effort * y;
  if (time_factor_ > 0.0 || !active_edges_.empty()) y_bar += smoothness_gradient(y);
  layout_.add_fine_transposed(y_bar, z_bar);
  layout_.channels(z_bar) += options_.effort * layout_.channels(z);
}

}  // namespace keydrape
