#include "core/constraint/motion_track.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace keydrape {

namespace {

// Ends of steps and times of samples are rounded differently: this near to a sample, in intervals, it is
// that sample, and no later one has a share in it.
constexpr double kSameSample = 1e-9;

}  // namespace

Vec3 MotionTrack::position(int point, double time) const {
  assert(!samples.empty() && point >= 0 && point < point_count() && sample_interval > 0);
  const double last = static_cast<double>(samples.size() - 1);
  const double at = std::clamp((time - start_time) / sample_interval, 0.0, last);
  if (const double nearest = std::round(at); std::abs(at - nearest) < kSameSample)
    return samples[static_cast<size_t>(nearest)].segment<3>(3 * point);
  const double before = std::min(std::floor(at), std::max(last - 1, 0.0));
  const double s = at - before;
  const Vec3 p0 = samples[static_cast<size_t>(before)].segment<3>(3 * point);
  const Vec3 p1 = samples[static_cast<size_t>(before) + 1].segment<3>(3 * point);
  return (1 - s) * p0 + s * p1;
}

}  // namespace keydrape
