#include "control/control_layout.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape {

ControlLayout::ControlLayout(std::vector<int> block_of_step, std::vector<int> active, const VecX& vertex_mass,
                             std::vector<double> weight)
    : block_of_step_(std::move(block_of_step)),
      active_(std::move(active)),
      weight_(std::move(weight)),
      vertex_count_(static_cast<int>(vertex_mass.size())) {
  assert(!active_.empty() && std::is_sorted(active_.begin(), active_.end()));
  if (weight_.empty()) weight_.assign(active_.size(), 1.0);
  assert(weight_.size() == active_.size());
  for (int i : active_) mass_.push_back(vertex_mass(i));
  for (int block : block_of_step_) block_count_ = std::max(block_count_, block + 1);
  assert(block_count_ > 0);
  scale_ = std::sqrt(static_cast<double>(block_count_) * active_count());
}

void ControlLayout::force(const VecX& z, int block, VecX& u) const {
  assert(z.size() == size() && 0 <= block && block < block_count_);
  u.setZero(3 * vertex_count_);
  for (int k = 0; k < active_count(); ++k)
    u.segment<3>(3 * active_[k]) = mass_[k] * kStandardGravity * acceleration(z, block, k);
}

void ControlLayout::add_transposed(const VecX& u_bar, int block, VecX& z_bar) const {
  assert(z_bar.size() == size() && u_bar.size() == 3 * vertex_count_);
  const Eigen::Index begin = 3 * static_cast<Eigen::Index>(block) * active_count();
  for (int k = 0; k < active_count(); ++k)
    z_bar.segment<3>(begin + 3 * k) +=
        (mass_[k] * kStandardGravity * acceleration_scale(k)) * u_bar.segment<3>(3 * active_[k]);
}

Vec3 ControlLayout::acceleration(const VecX& z, int block, int k) const {
  const Eigen::Index begin = 3 * static_cast<Eigen::Index>(block) * active_count();
  return acceleration_scale(k) * z.segment<3>(begin + 3 * k);
}

BallBounds ControlLayout::bounds(double max_acceleration) const {
  assert(max_acceleration > 0.0);
  constexpr double kMargin = 0x1p-22;
  BallBounds bounds{VecX(block_count_ * active_count())};
  for (int k = 0; k < bounds.count(); ++k)
    bounds.radius(k) = max_acceleration * (1.0 - kMargin) / acceleration_scale(k % active_count());
  return bounds;
}

void ControlLayout::set_acceleration(VecX& z, int block, int k, const Vec3& acceleration) const {
  const Eigen::Index begin = 3 * static_cast<Eigen::Index>(block) * active_count();
  z.segment<3>(begin + 3 * k) = acceleration / acceleration_scale(k);
}

void ControlForces::force(int step, VecX& u) const {
  const int block = layout_.block_of_step(step);
  if (block >= 0)
    layout_.force(z_, block, u);
  else
    u.setZero();
}

}  // namespace keydrape
