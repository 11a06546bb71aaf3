#include "control/keyframe.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape {

KeyframeMiss measure_miss(const Keyframe& keyframe, const VecX& x) {
  assert(x.size() == keyframe.target.size());
  double sum = 0.0, largest = 0.0;
  for (Eigen::Index i = 0; i < keyframe.vertex_weight.size(); ++i) {
    const double omega = keyframe.vertex_weight(i);
    if (omega <= 0.0) continue;
    const double squared = (x.segment<3>(3 * i) - keyframe.target.segment<3>(3 * i)).squaredNorm();
    sum += omega * squared;
    largest = std::max(largest, squared);
  }
  return {std::sqrt(sum / keyframe.vertex_weight.sum()), std::sqrt(largest)};
}

}  // namespace keydrape
