#pragma once

#include "control/unknowns/channel/channel.h"

namespace keydrape {

// The velocity that the cloth starts with, added to that of the scene: a throw. Its unit is that of a free
// fall over half the cloth's size, sqrt(g_0 l).

// Of every vertex by itself. Rows: the vertices; mean |dv|^2/(g_0 l) is |c|^2.
class VertexThrow final : public Channel {
 public:
  // `vertices`: those that may be given one, ascending, at least one.
  VertexThrow(std::vector<int> vertices, const ChannelSize& size);

  std::string kind() const override { return "initial-velocity"; }
  std::vector<std::string> components() const override { return {"x_m_s", "y_m_s", "z_m_s"}; }
  const std::vector<int>* vertices() const override { return &vertices_; }

  void apply(const VecX& p, ClothDescription& cloth, State& start) const override;
  bool changes_cloth() const override { return false; }
  void add_start_change(const VecX& dp, StateVector& change) const override;
  void add_start_transposed(const StateVector& bar, VecX& p_bar) const override;

 private:
  std::vector<int> vertices_;
};

// As of a rigid body: v_i = v + w x (x_i - c), c the centre of mass. One row. The unit of w moves the cloth,
// in the mean square, at most as fast as that of v.
class RigidThrow final : public Channel {
 public:
  // `x`: positions at the start [m] (3n); `vertex_mass` [kg] (n), > 0; `vertices` are moved, the
  // others left alone.
  RigidThrow(std::vector<int> vertices, const VecX& x, const VecX& vertex_mass, const ChannelSize& size);

  std::string kind() const override { return "initial-velocity"; }
  std::vector<std::string> components() const override {
    return {"x_m_s", "y_m_s", "z_m_s", "turn_x_rad_s", "turn_y_rad_s", "turn_z_rad_s"};
  }

  void apply(const VecX& p, ClothDescription& cloth, State& start) const override;
  bool changes_cloth() const override { return false; }
  void add_start_change(const VecX& dp, StateVector& change) const override;
  void add_start_transposed(const StateVector& bar, VecX& p_bar) const override;

 private:
  std::vector<int> vertices_;
  std::vector<Vec3> arms_;  // x_i - c, as many
};

}  // namespace keydrape
