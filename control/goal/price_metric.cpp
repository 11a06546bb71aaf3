#include "control/goal/price_metric.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

namespace keydrape {
namespace {

using Blocks = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;  // a row each

}  // namespace

PriceMetric::PriceMetric(const ControlLayout& layout, const InTime& in_time, std::vector<Coupling> couplings)
    : layout_(layout),
      waves_(layout.block_count(), layout.block_count()),
      time_price_(layout.block_count()),
      couplings_(std::move(couplings)) {
  assert(layout.is_plain() && layout.is_even_in_time() && in_time.price >= 0.0);
  const int F = layout.block_count();
  const auto& [price, begins_held, ends_held] = in_time;
  for (int j = 0; j < F; ++j) {
    // Zero a block beyond a held end, even about the middle between the blocks at a free one.
    const double angle = begins_held && ends_held   ? std::numbers::pi * (j + 1) / (F + 1)
                         : begins_held || ends_held ? std::numbers::pi * (2 * j + 1) / (2 * F + 1)
                                                    : std::numbers::pi * j / F;
    for (int f = 0; f < F; ++f)
      waves_(f, j) = begins_held ? std::sin(angle * (f + 1))
                     : ends_held ? std::sin(angle * (F - f))
                                 : std::cos(angle * (f + 0.5));
    waves_.col(j).normalize();
    time_price_[j] = 2.0 * price * (1.0 - std::cos(angle));
  }
}

VecX PriceMetric::diagonal(double time_price) const {
  VecX diagonal(layout_.active_count());
  for (int k = 0; k < layout_.active_count(); ++k) diagonal[k] = 1.0 + time_price * share(k) * share(k);
  return diagonal;
}

PriceMetric::Matrix PriceMetric::between_vertices(double time_price, double price_share) const {
  const VecX diagonal = this->diagonal(time_price);
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<size_t>(layout_.active_count()) + 3 * couplings_.size());
  for (int k = 0; k < layout_.active_count(); ++k) entries.emplace_back(k, k, diagonal[k]);
  for (const auto& [k, l, price] : couplings_) {
    const double p = price_share * price, s_k = share(k), s_l = share(l);
    entries.emplace_back(k, k, p * s_k * s_k);
    entries.emplace_back(l, l, p * s_l * s_l);
    entries.emplace_back(std::max(k, l), std::min(k, l), -p * s_k * s_l);
  }
  Matrix M(layout_.active_count(), layout_.active_count());
  M.setFromTriplets(entries.begin(), entries.end());
  return M;
}

VecX PriceMetric::solve(const VecX& z_bar, double price_share) const {
  assert(z_bar.size() == layout_.size() && price_share > 0.0);
  const int F = layout_.block_count(), m = layout_.active_count();
  Blocks waves = waves_.transpose() * Eigen::Map<const Blocks>(z_bar.data(), F, 3 * m);
  Eigen::SimplicialLLT<Matrix> cholesky;
  for (int j = 0; j < F; ++j) {
    Eigen::Map<ControlLayout::Rows> wave(waves.row(j).data(), m, 3);
    const double time_price = price_share * time_price_[j];
    if (couplings_.empty()) {
      wave.array().colwise() /= diagonal(time_price).array();
      continue;
    }
    if (j == 0) cholesky.analyzePattern(between_vertices(time_price, price_share));
    if (j == 0 || time_price_[j] != time_price_[j - 1])
      cholesky.factorize(between_vertices(time_price, price_share));
    wave = cholesky.solve(Eigen::MatrixXd(wave));
  }
  VecX z = z_bar;  // channels as they are
  Eigen::Map<Blocks>(z.data(), F, 3 * m) = waves_ * waves;
  layout_.project(z);
  return z;
}

}  // namespace keydrape
