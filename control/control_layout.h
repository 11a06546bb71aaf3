#pragma once

#include <vector>

#include "control/optimize/ball_bounds.h"
#include "control/trajectory.h"
#include "core/types.h"

namespace keydrape {

// Where and when control forces may act, and the unknowns z that describe them (control/README.md, equation
// (5)):
//   a_fi = g_0 sqrt(F m) z_fi ,   u = M a       F blocks in time, m vertices that may be pushed
// so that |z|^2 = mean_f mean_i |a_fi|^2 / g_0^2: the effort is the squared length of z, and z has no unit.
// Where the painted weight is s, a = s g_0 sqrt(F m) z: such a vertex pays 1/s^2 as much for the same
// acceleration.
class ControlLayout {
 public:
  // `block_of_step`: which block of forces each step feels, -1 for none; blocks ascend in time, each used.
  // `active`: the vertices that may be pushed, ascending. vertex_mass [kg] (n). `weight`: share of the full
  // force at each active vertex, in (0, 1], as many as `active`, or empty for ones: painted vertices take
  // less of the effort.
  ControlLayout(std::vector<int> block_of_step, std::vector<int> active, const VecX& vertex_mass,
                std::vector<double> weight = {});

  int step_count() const { return static_cast<int>(block_of_step_.size()); }
  int block_count() const { return block_count_; }
  int active_count() const { return static_cast<int>(active_.size()); }
  int size() const { return 3 * block_count_ * active_count(); }  // of z
  int block_of_step(int step) const { return block_of_step_[step]; }
  const std::vector<int>& active() const { return active_; }

  // u = force in a block under z [N] (3n).
  void force(const VecX& z, int block, VecX& u) const;
  // z_bar of a block += (du/dz)^T u_bar.
  void add_transposed(const VecX& u_bar, int block, VecX& z_bar) const;
  // Control acceleration of the k-th active vertex in a block, in units of g_0.
  Vec3 acceleration(const VecX& z, int block, int k) const;
  // d(acceleration of the k-th active vertex)/dz, a multiple of the identity.
  double acceleration_scale(int k) const { return scale_ * weight_[k]; }
  // The bounds on z under which no acceleration exceeds `max_acceleration` [g_0], whoever computes it from the forces,
  // in single precision or double.  (B1)
  BallBounds bounds(double max_acceleration) const;
  // Sets that acceleration.
  void set_acceleration(VecX& z, int block, int k, const Vec3& acceleration) const;

 private:
  std::vector<int> block_of_step_;
  std::vector<int> active_;
  std::vector<double> weight_;
  std::vector<double> mass_;  // of the active vertices [kg]
  int vertex_count_;
  int block_count_ = 0;
  double scale_ = 1.0;  // sqrt(F m)
};

// The forces that a layout and its unknowns stand for. Both outlive it.
class ControlForces final : public ForceSchedule {
 public:
  ControlForces(const ControlLayout& layout, const VecX& z) : layout_(layout), z_(z) {}
  void force(int step, VecX& u) const override;

 private:
  const ControlLayout& layout_;
  const VecX& z_;
};

}  // namespace keydrape
