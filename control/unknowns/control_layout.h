#pragma once

#include <algorithm>
#include <vector>

#include "control/run/force_schedule.h"
#include "control/run/steering.h"
#include "control/unknowns/ball_bounds.h"
#include "control/unknowns/control_basis.h"
#include "core/base/types.h"

namespace keydrape {

// Where and when control forces may act, and the unknowns z that describe them
// (control/EQUATIONS.md (5)):
//   a_fi = g_0 sqrt(F m) s_i y_fi ,   u = M a ,   y = B z
// with F blocks in time and m vertices that may be pushed. Where the painted weight s is 1,
// |y|^2 = mean_f mean_i |a_fi|^2 / g_0^2: the effort is the squared length of y, and z has no unit. A vertex
// of weight s pays 1/s^2 as much for the same acceleration.
//
// z consists of triples, sorted by time: first those of the first group, which begins to act in block 0.
// Without a spline group f is block f; without modes its k-th triple is that of the k-th pushed vertex. After
// them come the unknowns of other channels (channel/channel.h), if there are any; they are no forces.
class ControlLayout {
 public:
  // One vector for each pushed vertex.
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;

  // `block_of_step`: which block of forces each step feels, -1 for none; blocks ascend in time, each
  // used. `active`: the vertices that may be pushed, ascending; none: no forces at all. vertex_mass
  // [kg] (n). `weight`: share of the full force at each active vertex, in (0, 1], as many as `active`,
  // or empty for ones: painted vertices take less of the effort. `strength`: likewise of each block, in time.
  // `basis` fits the numbers of blocks and of active vertices.
  ControlLayout(std::vector<int> block_of_step, std::vector<int> active, const VecX& vertex_mass,
                std::vector<double> weight = {}, ControlBasis basis = {}, std::vector<double> strength = {});

  int step_count() const { return static_cast<int>(block_of_step_.size()); }
  int block_count() const { return block_count_; }
  int active_count() const { return static_cast<int>(active_.size()); }
  Eigen::Index size() const {  // of z
    return 3 * static_cast<Eigen::Index>(group_count_) * mode_count_ + channel_size_;
  }
  // From now on z ends with so many unknowns of other channels; and these.
  void append_channels(int size) { channel_size_ = size; }
  int channel_size() const { return channel_size_; }
  auto channels(const VecX& z) const { return z.tail(channel_size_); }
  auto channels(VecX& z) const { return z.tail(channel_size_); }
  int block_of_step(int step) const { return block_of_step_[step]; }
  int blocks_before(int step) const;  // that act in steps before it
  const std::vector<int>& active() const { return active_; }
  // For how many blocks what is decided at once goes on to act.
  double blocks_in_response() const;

  // u = force in a block under z [N] (3n).
  void force(const VecX& z, int block, VecX& u) const;
  // z_bar of a block += (du/dz)^T u_bar.
  void add_transposed(const VecX& u_bar, int block, VecX& z_bar) const;
  // y = B z (3 F m), and z_bar += B^T y_bar.
  VecX fine(const VecX& z) const;
  void add_fine_transposed(const VecX& y_bar, VecX& z_bar) const;
  // Control acceleration of the k-th active vertex in a block, in units of g_0.
  Vec3 acceleration(const VecX& z, int block, int k) const;
  // d(acceleration of the k-th active vertex in a block)/dy, a multiple of the identity.
  double acceleration_scale(int block, int k) const { return scale_ * strength_[block] * weight_[k]; }
  double share(int k) const { return weight_[k]; }               // s_k
  double strength(int block) const { return strength_[block]; }  // s_f
  // How much of an acceleration that steers, or feeds back, the k-th active vertex takes on: in (0, 1], 1 for
  // the cheapest vertex, whatever the strength in time: what a weak block leaves undone, the next would have
  // to make up for. `change_price`: what the change of such an acceleration costs over itself, in the block
  // that is strongest.  (F5)
  double compliance(int k, double change_price = 0.0) const;
  // s_f is the same in all blocks.
  bool is_even_in_time() const {
    return std::all_of(strength_.begin(), strength_.end(), [&](double s) { return s == strength_.front(); });
  }
  // Neither splines nor modes: y = z but for the channels.
  bool is_plain() const { return !basis_.spline && basis_.modes.size() == 0; }

  // Orthogonal projection onto the unknowns whose net force or impulse is zero, as the basis asks. All points
  // and directions of a search have to lie there.
  void project(VecX& z) const;

  // The unknowns that begin to act in a block: what is decided when a run comes to it.
  struct Triples {
    int first, count;
  };
  Triples triples_beginning(int block) const;
  // Adds to them what comes nearest to y in the block, without net force where that is asked for;
  // and the transpose.
  void add_beginning(int block, const Rows& y, VecX& z) const;
  Rows beginning_transposed(int block, const VecX& z_bar) const;

  // The bounds on z under which no acceleration exceeds `max_acceleration` [g_0], whoever computes it from
  // the forces, in single precision or double. Requires a basis without modes and with NetForce::kFree;
  // those of splines are sufficient, not necessary. With `base`, of its forces and those on top of it:
  // requires a basis without splines and forces of the base that are constant over each block
  // (is_constant_over_blocks). (B1)
  BallBounds bounds(double max_acceleration, const class ForceSchedule* base = nullptr) const;
  bool is_constant_over_blocks(const class ForceSchedule& base) const;

 private:
  using Map = Eigen::Map<const Rows>;
  Map group(const VecX& z, int g) const { return Map(z.data() + group_begin(g), mode_count_, 3); }
  Eigen::Index group_begin(int g) const { return 3 * static_cast<Eigen::Index>(g) * mode_count_; }
  Rows y_of_block(const VecX& z, int block) const;
  void add_y_transposed(const Rows& y_bar, int block, VecX& z_bar) const;
  void remove_net_force(Rows& c) const;
  int strongest_block(int g) const;  // of those that feel a group

  std::vector<int> block_of_step_;
  std::vector<int> active_;
  std::vector<double> weight_;
  std::vector<double> strength_;  // of the blocks
  std::vector<double> mass_;      // of the active vertices [kg]
  ControlBasis basis_;
  int vertex_count_;
  int block_count_ = 0;
  int group_count_ = 0;
  int mode_count_ = 0;
  int channel_size_ = 0;
  double scale_ = 1.0;  // sqrt(F m)
  double largest_weight_ = 1.0, largest_strength_ = 1.0;
  std::vector<int> first_beginning_;  // group, for each block and the end
  VecX net_;                          // unit vector over a group's triples: net force per unit of each
  VecX impulse_;                      // over the groups, unit vector: share of the impulse
};

// The forces that a layout and its unknowns stand for, in addition to those of `base` unless null.
// All outlive it.
class ControlForces final : public ForceSchedule {
 public:
  ControlForces(const ControlLayout& layout, const VecX& z, const ForceSchedule* base = nullptr)
      : layout_(layout), z_(z), base_(base) {}
  void force(int step, VecX& u) const override;       // u has its size, (3n)
  const VecX* recorded_end(int step) const override;  // where nothing is added to a base that is a take

 private:
  const ControlLayout& layout_;
  const VecX& z_;
  const ForceSchedule* base_;
};

// Steering in addition to the forces of `base`, unless null. Both outlive it.
class SteeringOnTop final : public Steering {
 public:
  SteeringOnTop(Steering& steering, const ForceSchedule* base) : steering_(steering), base_(base) {}
  void steer(int step, const State& state, VecX& u) override;
  std::optional<VecX> expected(int step) const override { return steering_.expected(step); }
  const VecX* recorded_end(int step) const override { return base_ ? base_->recorded_end(step) : nullptr; }

 private:
  Steering& steering_;
  const ForceSchedule* base_;
};

}  // namespace keydrape
