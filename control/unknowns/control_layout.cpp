#include "control/unknowns/control_layout.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape {

ControlLayout::ControlLayout(std::vector<int> block_of_step, std::vector<int> active, const VecX& vertex_mass,
                             std::vector<double> weight, ControlBasis basis, std::vector<double> strength)
    : block_of_step_(std::move(block_of_step)),
      active_(std::move(active)),
      weight_(std::move(weight)),
      strength_(std::move(strength)),
      basis_(std::move(basis)),
      vertex_count_(static_cast<int>(vertex_mass.size())) {
  assert(std::is_sorted(active_.begin(), active_.end()));
  if (weight_.empty()) weight_.assign(active_.size(), 1.0);
  assert(weight_.size() == active_.size());
  if (!weight_.empty()) largest_weight_ = *std::max_element(weight_.begin(), weight_.end());
  for (int i : active_) mass_.push_back(vertex_mass(i));
  for (int block : block_of_step_) block_count_ = std::max(block_count_, block + 1);
  assert(block_count_ > 0);
  if (strength_.empty()) strength_.assign(block_count_, 1.0);
  assert(static_cast<int>(strength_.size()) == block_count_);
  largest_strength_ = *std::max_element(strength_.begin(), strength_.end());
  scale_ = std::sqrt(static_cast<double>(block_count_) * active_count());
  assert(basis_.modes.size() == 0 || basis_.modes.rows() == active_count());
  mode_count_ = basis_.modes.size() > 0 ? static_cast<int>(basis_.modes.cols()) : active_count();
  group_count_ = basis_.spline ? basis_.spline->function_count() : block_count_;

  first_beginning_.push_back(0);
  for (int f = 0; f < block_count_; ++f)
    first_beginning_.push_back(basis_.spline ? basis_.spline->first_function(f) + TimeSpline::kSupport
                                             : f + 1);
  assert(first_beginning_.back() == group_count_);
  net_ = VecX::Zero(active_count());
  for (int k = 0; k < active_count(); ++k) net_(k) = mass_[k] * weight_[k];
  if (basis_.modes.size() > 0) net_ = basis_.modes.transpose() * net_;
  net_.normalize();
  impulse_ = VecX::Zero(group_count_);
  for (int block : block_of_step_) {
    if (block < 0) continue;
    if (basis_.spline)
      impulse_.segment<TimeSpline::kSupport>(basis_.spline->first_function(block)) +=
          strength_[block] * basis_.spline->weights(block);
    else
      impulse_(block) += strength_[block];
  }
  impulse_.normalize();
}

int ControlLayout::blocks_before(int step) const {
  int blocks = 0;
  for (int n = 0; n < step; ++n) blocks = std::max(blocks, block_of_step_[n] + 1);
  return blocks;
}

double ControlLayout::blocks_in_response() const {
  return basis_.spline ? 0.5 * TimeSpline::kSupport * basis_.spline->blocks_per_span() : 1.0;
}

ControlLayout::Rows ControlLayout::y_of_block(const VecX& z, int block) const {
  Rows c = Rows::Zero(mode_count_, 3);
  if (basis_.spline) {
    const int first = basis_.spline->first_function(block);
    const Eigen::Vector4d weights = basis_.spline->weights(block);
    for (int j = 0; j < TimeSpline::kSupport; ++j) c += weights(j) * group(z, first + j);
  } else {
    c = group(z, block);
  }
  return basis_.modes.size() > 0 ? Rows(basis_.modes * c) : c;
}

void ControlLayout::add_y_transposed(const Rows& y_bar, int block, VecX& z_bar) const {
  const Rows c_bar = basis_.modes.size() > 0 ? Rows(basis_.modes.transpose() * y_bar) : y_bar;
  const auto add = [&](int g, double factor) {
    Eigen::Map<Rows>(z_bar.data() + group_begin(g), mode_count_, 3) += factor * c_bar;
  };
  if (!basis_.spline) return add(block, 1.0);
  const Eigen::Vector4d weights = basis_.spline->weights(block);
  for (int j = 0; j < TimeSpline::kSupport; ++j) add(basis_.spline->first_function(block) + j, weights(j));
}

void ControlLayout::force(const VecX& z, int block, VecX& u) const {
  assert(z.size() == size() && 0 <= block && block < block_count_);
  u.setZero(3 * vertex_count_);
  const Rows y = y_of_block(z, block);
  for (int k = 0; k < active_count(); ++k) {
    const Vec3 acceleration = acceleration_scale(block, k) * y.row(k).transpose();
    u.segment<3>(3 * active_[k]) = mass_[k] * kStandardGravity * acceleration;
  }
}

void ControlLayout::add_transposed(const VecX& u_bar, int block, VecX& z_bar) const {
  assert(z_bar.size() == size() && u_bar.size() == 3 * vertex_count_);
  Rows y_bar(active_count(), 3);
  for (int k = 0; k < active_count(); ++k)
    y_bar.row(k) = (mass_[k] * kStandardGravity * acceleration_scale(block, k)) *
                   u_bar.segment<3>(3 * active_[k]).transpose();
  add_y_transposed(y_bar, block, z_bar);
}

VecX ControlLayout::fine(const VecX& z) const {
  assert(z.size() == size());
  VecX y(3 * static_cast<Eigen::Index>(block_count_) * active_count());
  for (int f = 0; f < block_count_; ++f)
    Eigen::Map<Rows>(y.data() + 3 * static_cast<Eigen::Index>(f) * active_count(), active_count(), 3) =
        y_of_block(z, f);
  return y;
}

void ControlLayout::add_fine_transposed(const VecX& y_bar, VecX& z_bar) const {
  assert(z_bar.size() == size() &&
         y_bar.size() == 3 * static_cast<Eigen::Index>(block_count_) * active_count());
  for (int f = 0; f < block_count_; ++f)
    add_y_transposed(Map(y_bar.data() + 3 * static_cast<Eigen::Index>(f) * active_count(), active_count(), 3),
                     f, z_bar);
}

Vec3 ControlLayout::acceleration(const VecX& z, int block, int k) const {
  if (is_plain()) return acceleration_scale(block, k) * z.segment<3>(group_begin(block) + 3 * k);
  return acceleration_scale(block, k) * y_of_block(z, block).row(k).transpose();
}

double ControlLayout::compliance(int k, double change_price) const {
  const double dearness = largest_weight_ / weight_[k];
  const double full = largest_weight_ * largest_strength_;
  return 1.0 / (dearness * dearness + change_price * full * full);
}

void ControlLayout::remove_net_force(Rows& c) const {
  if (basis_.net != NetForce::kFree) c -= net_ * (net_.transpose() * c).eval();
}

void ControlLayout::project(VecX& z) const {
  assert(z.size() == size());
  if (basis_.net == NetForce::kFree) return;
  Eigen::RowVector3d impulse = Eigen::RowVector3d::Zero();
  for (int g = 0; g < group_count_; ++g) impulse += impulse_(g) * (net_.transpose() * group(z, g));
  for (int g = 0; g < group_count_; ++g) {
    Eigen::Map<Rows> c(z.data() + group_begin(g), mode_count_, 3);
    if (basis_.net == NetForce::kZero)
      c -= net_ * (net_.transpose() * c).eval();
    else
      c -= (impulse_(g) * net_) * impulse;
  }
}

ControlLayout::Triples ControlLayout::triples_beginning(int block) const {
  const int first = first_beginning_[block], end = first_beginning_[block + 1];
  return {first * mode_count_, (end - first) * mode_count_};
}

void ControlLayout::add_beginning(int block, const Rows& y, VecX& z) const {
  assert(y.rows() == active_count() && z.size() == size());
  Rows c = basis_.modes.size() > 0 ? Rows(basis_.modes.transpose() * y) : y;
  remove_net_force(c);
  for (int g = first_beginning_[block]; g < first_beginning_[block + 1]; ++g)
    Eigen::Map<Rows>(z.data() + group_begin(g), mode_count_, 3) += c;
}

ControlLayout::Rows ControlLayout::beginning_transposed(int block, const VecX& z_bar) const {
  Rows c_bar = Rows::Zero(mode_count_, 3);
  for (int g = first_beginning_[block]; g < first_beginning_[block + 1]; ++g) c_bar += group(z_bar, g);
  remove_net_force(c_bar);
  return basis_.modes.size() > 0 ? Rows(basis_.modes * c_bar) : c_bar;
}

bool ControlLayout::is_constant_over_blocks(const ForceSchedule& base) const {
  VecX before, u = VecX::Zero(3 * vertex_count_);
  for (int n = 0; n < step_count(); ++n) {
    before = u;
    base.force(n, u);
    if (n == 0 || block_of_step_[n] < 0 || block_of_step_[n] != block_of_step_[n - 1]) continue;
    for (const int i : active_)
      if (u.segment<3>(3 * i) != before.segment<3>(3 * i)) return false;
  }
  return true;
}

int ControlLayout::strongest_block(int g) const {
  if (!basis_.spline) return g;
  int strongest = -1;
  for (int f = 0; f < block_count_; ++f) {
    const int first = basis_.spline->first_function(f);
    const bool is_felt = first <= g && g < first + TimeSpline::kSupport;
    if (is_felt && (strongest < 0 || strength_[f] > strength_[strongest])) strongest = f;
  }
  return std::max(strongest, 0);
}

BallBounds ControlLayout::bounds(double max_acceleration, const ForceSchedule* base) const {
  assert(max_acceleration > 0.0 && basis_.modes.size() == 0 && basis_.net == NetForce::kFree);
  assert(!base || (!basis_.spline && is_constant_over_blocks(*base)));
  constexpr double kMargin = 0x1p-22;
  BallBounds bounds{VecX(group_count_ * active_count())};
  for (int k = 0; k < bounds.count(); ++k)
    bounds.radius(k) = max_acceleration * (1.0 - kMargin) /
                       acceleration_scale(strongest_block(k / active_count()), k % active_count());
  if (!base) return bounds;
  bounds.center = VecX::Zero(3 * bounds.radius.size());
  VecX u = VecX::Zero(3 * vertex_count_);
  for (int n = 0; n < step_count(); ++n) {
    if (block_of_step_[n] < 0 || (n > 0 && block_of_step_[n] == block_of_step_[n - 1])) continue;
    base->force(n, u);
    for (int k = 0; k < active_count(); ++k)
      bounds.center.segment<3>(group_begin(block_of_step_[n]) + 3 * k) =
          -u.segment<3>(3 * active_[k]) /
          (mass_[k] * kStandardGravity * acceleration_scale(block_of_step_[n], k));
  }
  return bounds;
}

namespace {

// u += base
void add_base(const ForceSchedule* base, int step, VecX& u) {
  if (!base) return;
  VecX of_base = VecX::Zero(u.size());
  base->force(step, of_base);
  u += of_base;
}

}  // namespace

void SteeringOnTop::steer(int step, const State& state, VecX& u) {
  steering_.steer(step, state, u);
  add_base(base_, step, u);
}

void ControlForces::force(int step, VecX& u) const {
  const int block = layout_.block_of_step(step);
  if (block >= 0)
    layout_.force(z_, block, u);
  else
    u.setZero();
  add_base(base_, step, u);
}

const VecX* ControlForces::recorded_end(int step) const {
  if (!base_) return nullptr;
  const int block = layout_.block_of_step(step);
  if (block >= 0) {
    VecX added;
    layout_.force(z_, block, added);
    if (!added.isZero(0.0)) return nullptr;
  }
  return base_->recorded_end(step);
}

}  // namespace keydrape
