#include "control/unknowns/channel/initial_velocity.h"

#include <Eigen/Geometry>
#include <cassert>
#include <cmath>

namespace keydrape {

namespace {

double speed_unit(double length) { return std::sqrt(kStandardGravity * length); }

ChannelScale vertex_scale(size_t vertex_count, double length, double scale) {
  const auto size = 3 * static_cast<Eigen::Index>(vertex_count);
  const double unit = scale * speed_unit(length) * std::sqrt(static_cast<double>(vertex_count));
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
  for (const int i : vertices) arms.push_back(x.segment<3>(3 * i) - center);
  return arms;
}

ChannelScale rigid_scale(const std::vector<Vec3>& arms, double length, double scale) {
  double square = 0.0;
  for (const Vec3& arm : arms) square += arm.squaredNorm() / static_cast<double>(arms.size());
  VecX unit = VecX::Constant(6, scale * speed_unit(length));
  // A single vertex cannot be turned: whatever w is, nothing comes of it.
  unit.tail<3>() /= square > 0.0 ? std::sqrt(square) : length;
  return {VecX::Zero(6), unit};
}

}  // namespace

VertexThrow::VertexThrow(std::vector<int> vertices, double length, double scale)
    : Channel(vertex_scale(vertices.size(), length, scale)), vertices_(std::move(vertices)) {
  assert(!vertices_.empty() && length > 0.0 && scale > 0.0);
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

RigidThrow::RigidThrow(std::vector<int> vertices, const VecX& x, const VecX& vertex_mass, double length,
                       double scale)
    : Channel(rigid_scale(arms_of(vertices, x, vertex_mass), length, scale)),
      vertices_(std::move(vertices)),
      arms_(arms_of(vertices_, x, vertex_mass)) {
  assert(!vertices_.empty() && length > 0.0 && scale > 0.0);
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
