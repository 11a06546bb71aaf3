#include "core/contact/points/point_room.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace keydrape {

namespace {

// A patch that fills less than this share of its ball stays in it for a step, as a rule.
constexpr double kSpare = 0.5;

}  // namespace

std::vector<PointPatch> point_patches(const std::vector<SamplePoint>& points) {
  std::vector<PointPatch> patches;
  for (int i = 0; i < static_cast<int>(points.size()); ++i) {
    if (i > 0 && points[i].count == points[i - 1].count && points[i].vertices == points[i - 1].vertices)
      patches.back().end = i + 1;
    else
      patches.push_back({i, i + 1});
  }
  return patches;
}

PatchBall free_ball(const SamplePoint& any, const ColliderPose& pose, double level, const VecX& y) {
  Vec3 center = Vec3::Zero();
  for (int c = 0; c < any.count; ++c) center += y.segment<3>(3 * any.vertices[c]) / any.count;
  double reach = 0.0;
  for (int c = 0; c < any.count; ++c)
    reach = std::max(reach, (y.segment<3>(3 * any.vertices[c]) - center).norm());
  return {{center, pose.free_radius(center, level)}, reach};
}

PointRoom::PointRoom(const std::vector<SamplePoint>& points, const std::vector<PointPatch>& patches,
                     const ColliderPose& pose, double level, const VecX& y)
    : points_(points), patches_(patches), balls_(patches.size()), first_own_(patches.size(), -1) {
  const int count = static_cast<int>(patches.size());
  std::vector<char> is_tight(patches.size(), 0);
  const auto for_each_patch = [&](const auto& body) {
    tbb::parallel_for(tbb::blocked_range<int>(0, count, kPatchesPerTask), [&](const auto& r) {
      for (int k = r.begin(); k < r.end(); ++k) body(k);
    });
  };
  for_each_patch([&](int k) {
    const PatchBall found = free_ball(any(k), pose, level, y);
    balls_[k] = found.ball;
    // The ball of a single vertex is the point's own.
    is_tight[k] = any(k).count > 1 && !(found.reach < kSpare * found.ball.radius);
  });
  int own = 0;
  for (int k = 0; k < count; ++k) {
    if (!is_tight[k]) continue;
    first_own_[k] = own;
    own += patches[k].end - patches[k].first;
  }
  own_.resize(own);
  for_each_patch([&](int k) {
    if (first_own_[k] < 0) return;
    for (int i = patches[k].first; i < patches[k].end; ++i) {
      const Vec3 p = points[i].position(y);
      own_[first_own_[k] + i - patches[k].first] = {p, pose.free_radius(p, level)};
    }
  });
}

bool PointRoom::holds(int patch, const VecX& y) const {
  const SamplePoint& p = any(patch);
  return std::all_of(p.vertices.begin(), p.vertices.begin() + p.count,
                     [&](int v) { return balls_[patch].holds(y.segment<3>(3 * v)); });
}

bool PointRoom::holds(int patch, const VecX& y, const VecX& dy) const {
  const SamplePoint& p = any(patch);
  return std::all_of(p.vertices.begin(), p.vertices.begin() + p.count,
                     [&](int v) { return balls_[patch].holds(y.segment<3>(3 * v) + dy.segment<3>(3 * v)); });
}

}  // namespace keydrape
