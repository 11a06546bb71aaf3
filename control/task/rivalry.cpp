#include "control/task/rivalry.h"

#include <algorithm>
#include <cmath>

#include "control/task/target_reach.h"

namespace keydrape {
namespace {

// How far from its target vertex i can be while the tolerances are met, with `sum` over omega [m]; 0 without
// any: such a target pulls all the same.
double room_at(const Target& target, double sum, Eigen::Index i) {
  const double by_mean = target.tolerance.value_or(0.0) * std::sqrt(sum / target.keyframe.vertex_weight[i]);
  if (!target.tolerance_max) return by_mean;
  return target.tolerance ? std::min(by_mean, *target.tolerance_max) : *target.tolerance_max;
}

}  // namespace

double rivalry(const Target& a, const Target& b) {
  if (const TargetDistance all = distance_between(a, b); all.excess > 0.0) return all.rms;
  const VecX &at_a = a.keyframe.vertex_weight, &at_b = b.keyframe.vertex_weight;
  const double sum_a = at_a.sum(), sum_b = at_b.sum();
  double farthest = 0.0;
  for (Eigen::Index i = 0; i < at_a.size(); ++i) {
    if (at_a[i] <= 0.0 || at_b[i] <= 0.0) continue;
    const double distance = (a.keyframe.target - b.keyframe.target).segment<3>(3 * i).norm();
    if (distance > room_at(a, sum_a, i) + room_at(b, sum_b, i)) farthest = std::max(farthest, distance);
  }
  return farthest;
}

}  // namespace keydrape
