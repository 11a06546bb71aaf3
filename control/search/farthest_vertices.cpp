#include "control/search/farthest_vertices.h"

#include <algorithm>
#include <cassert>

namespace keydrape {
namespace {

constexpr double kFactorAim = 0.8;             // of the limit
constexpr double kLargestFactorChange = 20.0;  // of a factor in one round, as of a weight
constexpr double kLargestVertexFactor = 1e4;   // beyond it one vertex is all that counts

}  // namespace

bool FarthestVertices::follow(const VecX& distances, double limit) {
  assert(distances.size() == vertex_count_ && limit > 0.0);
  const double farthest = distances.maxCoeff();
  vain_rounds_ = farthest_ > 0.0 && farthest > kLittle * farthest_ ? vain_rounds_ + 1 : 0;
  farthest_ = farthest;
  if (is_given_up()) return false;
  if (factors_.size() == 0) factors_.setOnes(vertex_count_);
  bool changed = false;
  for (Eigen::Index i = 0; i < distances.size(); ++i) {
    if (distances[i] <= limit || factors_[i] >= kLargestVertexFactor) continue;
    const double share = distances[i] / (kFactorAim * limit);
    const double change = std::min(kLargestFactorChange, share * share);  // (K7)
    factors_[i] = std::min(kLargestVertexFactor, factors_[i] * change);
    changed = true;
  }
  return changed;
}

FarthestVertices::Memory FarthestVertices::memory() const {
  Memory memory{{}, farthest_, vain_rounds_};
  for (Eigen::Index i = 0; i < factors_.size(); ++i)
    if (factors_[i] > 1.0) memory.factors.emplace_back(static_cast<int>(i), factors_[i]);
  return memory;
}

void FarthestVertices::remember(const Memory& memory) {
  farthest_ = memory.farthest;
  vain_rounds_ = memory.vain_rounds;
  factors_ = memory.factors.empty() ? VecX() : VecX(VecX::Ones(vertex_count_));
  for (const auto& [vertex, factor] : memory.factors) factors_[vertex] = factor;
}

}  // namespace keydrape
