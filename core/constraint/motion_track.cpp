#include "core/constraint/motion_track.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape {

Vec3 MotionTrack::position(int point, double time) const {
  assert(!samples.empty() && point >= 0 && point < point_count() && sample_interval > 0);
  const double last = static_cast<double>(samples.size() - 1);
  const double at = std::clamp(time / sample_interval, 0.0, last);
  const double before = std::min(std::floor(at), std::max(last - 1, 0.0));
  const double s = at - before;
  const Vec3 p0 = samples[static_cast<size_t>(before)].segment<3>(3 * point);
  if (s == 0) return p0;
  const Vec3 p1 = samples[static_cast<size_t>(before) + 1].segment<3>(3 * point);
  return (1 - s) * p0 + s * p1;
}

}  // namespace keydrape
