#include "control/goal/peak_prices.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace keydrape {
namespace {

// What passes: of a peak over the RMS, and of a block's RMS over the mean of the blocks'.
constexpr double kPeak = 6.0, kBlock = 2.0;
// What gets dear, likewise: well below, so that a round or two are enough.
constexpr double kLargeForce = 3.0, kLargeBlock = 1.5;
// A round that leaves more than this of the unevenness has changed little; after so many in a row it is given
// up, as farthest vertices are.
constexpr double kLittle = 0.9;
constexpr int kMaxVainRounds = 3;

struct Sizes {
  VecX of_force;     // [g_0]
  VecX of_block;     // RMS
  double rms, mean;  // of all forces; of the blocks' RMS
};

Sizes sizes(const ControlLayout& layout, const VecX& z) {
  const int F = layout.block_count(), m = layout.active_count();
  const VecX y = layout.fine(z);
  Sizes sizes{VecX(F * m), VecX(F), 0.0, 0.0};
  for (int f = 0; f < F; ++f) {
    for (int k = 0; k < m; ++k) {
      const Eigen::Index b = static_cast<Eigen::Index>(f) * m + k;
      sizes.of_force[b] = layout.acceleration_scale(f, k) * y.segment<3>(3 * b).norm();
    }
    sizes.of_block[f] =
        sizes.of_force.segment(static_cast<Eigen::Index>(f) * m, m).norm() / std::sqrt(double(m));
  }
  sizes.rms = sizes.of_force.norm() / std::sqrt(static_cast<double>(sizes.of_force.size()));
  sizes.mean = sizes.of_block.mean();
  return sizes;
}

double unevenness(const Sizes& of) {
  if (!(of.rms > 0.0)) return 0.0;
  return std::max(of.of_force.maxCoeff() / (kPeak * of.rms), of.of_block.maxCoeff() / (kBlock * of.mean));
}

// Of a force that would be so many times as large as what is large, were its price 1.
double price_of(double demand) { return demand > 1.0 ? std::pow(demand, 2.0 / 3.0) : 1.0; }

std::vector<std::pair<int, double>> above_one(const VecX& prices) {
  std::vector<std::pair<int, double>> found;
  for (Eigen::Index i = 0; i < prices.size(); ++i)
    if (prices[i] > 1.0) found.emplace_back(static_cast<int>(i), prices[i]);
  return found;
}

}  // namespace

double unevenness(const ControlLayout& layout, const VecX& z) {
  return layout.active_count() > 0 ? unevenness(sizes(layout, z)) : 0.0;
}

PeakPrices::PeakPrices(const ControlLayout& layout)
    : of_force_(VecX::Ones(static_cast<Eigen::Index>(layout.block_count()) * layout.active_count())),
      of_block_(VecX::Ones(layout.block_count())) {}

bool PeakPrices::follow(const ControlLayout& layout, const VecX& z, Round round) {
  if (of_force_.size() == 0 || vain_rounds_ >= kMaxVainRounds) return false;
  const Sizes of = sizes(layout, z);
  const double now = unevenness(of);
  if (now <= 1.0) return false;
  const double before = std::exchange(unevenness_, now);
  const bool is_vain = round == Round::kCounts && before > 0.0 && now > kLittle * before;
  vain_rounds_ = is_vain ? vain_rounds_ + 1 : 0;
  if (vain_rounds_ >= kMaxVainRounds) return false;
  // (E8)
  for (Eigen::Index b = 0; b < of_force_.size(); ++b)
    of_force_[b] = price_of(of_force_[b] * of.of_force[b] / (kLargeForce * of.rms));
  for (Eigen::Index f = 0; f < of_block_.size(); ++f)
    of_block_[f] = price_of(of_block_[f] * of.of_block[f] / (kLargeBlock * of.mean));
  combine();
  return true;
}

void PeakPrices::combine() {
  const Eigen::Index m = of_block_.size() > 0 ? of_force_.size() / of_block_.size() : 0;
  VecX prices = of_force_;
  for (Eigen::Index f = 0; f < of_block_.size(); ++f) prices.segment(f * m, m) *= of_block_[f];
  prices_ = (prices.array() == 1.0).all() ? nullptr : std::make_shared<const VecX>(std::move(prices));
}

PeakPrices::Memory PeakPrices::memory() const {
  return {above_one(of_force_), above_one(of_block_), unevenness_, vain_rounds_};
}

void PeakPrices::remember(const Memory& memory) {
  of_force_.setOnes();
  of_block_.setOnes();
  for (const auto& [b, price] : memory.forces) of_force_[b] = price;
  for (const auto& [f, price] : memory.blocks) of_block_[f] = price;
  unevenness_ = memory.unevenness;
  vain_rounds_ = memory.vain_rounds;
  combine();
}

}  // namespace keydrape
