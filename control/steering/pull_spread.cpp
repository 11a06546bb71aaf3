#include "control/steering/pull_spread.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace keydrape {
namespace {

// On the diagonal, over its mean: makes parts regular that are connected with nothing pulled or held.
constexpr double kShift = 1e-9;
// Over the mean: what is shorter counts as this, collapsed edges included.
constexpr double kShortest = 1e-4;

double mean_length(const std::vector<Objective::EdgeLength>& edges) {
  double sum = 0.0;
  for (const auto& edge : edges) sum += edge.length;
  return edges.empty() ? 0.0 : sum / static_cast<double>(edges.size());
}

}  // namespace

PullSpread::PullSpread(const ControlLayout& layout, const std::vector<Objective::EdgeLength>& edges,
                       const std::vector<char>& is_pulled) {
  const std::vector<int>& active = layout.active();
  assert(is_pulled.size() == active.size());
  int vertex_count = active.empty() ? 0 : *std::max_element(active.begin(), active.end()) + 1;
  for (const auto& [vertices, length] : edges)
    vertex_count = std::max({vertex_count, vertices[0] + 1, vertices[1] + 1});
  std::vector<int> position(static_cast<std::size_t>(vertex_count), -1), row(active.size(), -1);
  for (std::size_t k = 0; k < active.size(); ++k) {
    position[active[k]] = static_cast<int>(k);
    if (is_pulled[k]) continue;
    row[k] = static_cast<int>(others_.size());
    others_.push_back(static_cast<int>(k));
  }
  const auto count = static_cast<Eigen::Index>(others_.size());
  std::vector<Eigen::Triplet<double>> inner, outer;
  double sum = 0.0;
  const auto connect = [&](int from, int to, double w) {
    const int a = position[from], b = position[to];
    if (a < 0 || row[a] < 0) return;
    inner.emplace_back(row[a], row[a], w);
    sum += w;
    if (b < 0) return;
    if (row[b] >= 0)
      inner.emplace_back(row[a], row[b], -w);
    else
      outer.emplace_back(row[a], b, w);
  };
  const double shortest = kShortest * mean_length(edges);
  for (const auto& [vertices, length] : edges) {
    const double w = 1.0 / std::max(length, shortest);
    connect(vertices[0], vertices[1], w);
    connect(vertices[1], vertices[0], w);
  }
  const double shift = count > 0 && sum > 0.0 ? kShift * sum / static_cast<double>(count) : 1.0;
  for (int k = 0; k < count; ++k) inner.emplace_back(k, k, shift);
  Eigen::SparseMatrix<double> L(count, count);
  L.setFromTriplets(inner.begin(), inner.end());
  from_all_.resize(count, layout.active_count());
  from_all_.setFromTriplets(outer.begin(), outer.end());
  inverse_.compute(L);
  assert(inverse_.info() == Eigen::Success);
}

void PullSpread::spread(ControlLayout::Rows& a) const {
  if (others_.empty()) return;
  const Eigen::MatrixXd field = inverse_.solve(Eigen::MatrixXd(from_all_ * a));
  for (std::size_t k = 0; k < others_.size(); ++k)
    a.row(others_[k]) = field.row(static_cast<Eigen::Index>(k));
}

}  // namespace keydrape
