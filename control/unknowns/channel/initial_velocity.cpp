#include "control/unknowns/channel/initial_velocity.h"

#include <Eigen/Geometry>
#include <cassert>
#include <cmath>

namespace keydrape {

namespace {

double speed_unit(const ChannelSize& size) { return size.scale * std::sqrt(kStandardGravity * size.length); }

ChannelScale vertex_scale(size_t vertex_count, const ChannelSize& channel) {
  const auto size = 3 * static_cast<Eigen::Index>(vertex_count);
  const double unit = speed_unit(channel) * std::sqrt(static_cast<double>(vertex_count));
  return {VecX::Zero(size), VecX::Constant(size, unit)};
}

// The arms of vertices about their centre of mass.
std::vector<Vec3> arms_of(const std::vector<int>& vertices, const VecX& x, const VecX& vertex_mass) {
  Vec3 center = Vec3::Zero();
  double mass = 0.0;
  for (const int i : vertices) {
    center += vertex_mass(i) * x.segment<3>(3 * i);
    mass += vertex_mass(i);
  }
  center /= mass;
  std::vector<Vec3> arms;
  arms.reserve(vertices.size());
  for (const int i : vertices) arms.push_back(x.segment<3>(3 * i) - center);
  return arms;
}

ChannelScale rigid_scale(const std::vector<Vec3>& arms, const ChannelSize& channel) {
  double square = 0.0;
  for (const Vec3& arm : arms) square += arm.squaredNorm() / static_cast<double>(arms.size());
  VecX unit = VecX::Constant(6, speed_unit(channel));
  // A single vertex cannot be turned: whatever w is, nothing comes of it.
  unit.tail<3>() /= square > 0.0 ? std::sqrt(square) : channel.length;
  return {VecX::Zero(6), unit};
}

}  // namespace

VertexThrow::VertexThrow(std::vector<int> vertices, const ChannelSize& size)
    : Channel(vertex_scale(vertices.size(), size)), vertices_(std::move(vertices)) {
  assert(!vertices_.empty() && size.length > 0.0 && size.scale > 0.0);
}

void VertexThrow::apply(const VecX& p, ClothDescription&, State& start) const {
  for (size_t k = 0; k < vertices_.size(); ++k) start.v.segment<3>(3 * vertices_[k]) += p.segment<3>(3 * k);
}

void VertexThrow::add_start_change(const VecX& dp, StateVector& change) const {
  for (size_t k = 0; k < vertices_.size(); ++k) change.v.segment<3>(3 * vertices_[k]) += dp.segment<3>(3 * k);
}

void VertexThrow::add_start_transposed(const StateVector& bar, VecX& p_bar) const {
  for (size_t k = 0; k < vertices_.size(); ++k) p_bar.segment<3>(3 * k) += bar.v.segment<3>(3 * vertices_[k]);
}

RigidThrow::RigidThrow(std::vector<int> vertices, const VecX& x, const VecX& vertex_mass,
                       const ChannelSize& size)
    : Channel(rigid_scale(arms_of(vertices, x, vertex_mass), size)),
      vertices_(std::move(vertices)),
      arms_(arms_of(vertices_, x, vertex_mass)) {
  assert(!vertices_.empty() && size.length > 0.0 && size.scale > 0.0);
}

void RigidThrow::apply(const VecX& p, ClothDescription&, State& start) const {
  for (size_t k = 0; k < vertices_.size(); ++k)
    start.v.segment<3>(3 * vertices_[k]) += p.head<3>() + p.tail<3>().cross(arms_[k]);
}

void RigidThrow::add_start_change(const VecX& dp, StateVector& change) const {
  for (size_t k = 0; k < vertices_.size(); ++k)
    change.v.segment<3>(3 * vertices_[k]) += dp.head<3>() + dp.tail<3>().cross(arms_[k]);
}

void RigidThrow::add_start_transposed(const StateVector& bar, VecX& p_bar) const {
  for (size_t k = 0; k < vertices_.size(); ++k) {
    const Vec3 v_bar = bar.v.segment<3>(3 * vertices_[k]);
    p_bar.head<3>() += v_bar;
    p_bar.tail<3>() += arms_[k].cross(v_bar);
  }
}

}  // namespace keydrape
