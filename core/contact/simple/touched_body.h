#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/base/animated.h"
#include "core/contact/body/collider.h"
#include "core/pass/step_filter.h"

namespace keydrape {

// A body that the vertices of the cloth, and nothing between them, are kept out of by its signed distance.
struct TouchedBody {
  std::shared_ptr<const Collider> collider;
  double gap;                      // xi: how far off the body the cloth is to be [m], >= 0
  Animated<double> friction{0.0};  // coefficient in time, >= 0
};

// By vertex: whether pins have a hold on it, in whatever directions. The others alone are kept out.
std::vector<char> pinned_vertices(const FilteredStep& step);

// The velocity of the body's material that is at p at t0, until t1. [m/s]
Vec3 material_velocity(const Collider& collider, double t0, double t1, const Vec3& p);

// v with less of what slides across n, by friction that an impulse of `pressed` per mass brings with it:
// v_t <- max(1 - mu pressed/|v_t|, 0) v_t. v as seen from the body. [m/s]
Vec3 rubbed(const Vec3& v, const Vec3& n, double mu, double pressed);

// The point nearest to p at `level` from the body [m], along its gradient: exact for closed forms of one
// feature, else in a few steps. Near the middle of a body, where every way out is as long, the point at
// `level` on the way back to `from`. None: the way back does not lead out either.
std::optional<Vec3> nearest_at_level(const ColliderPose& pose, double level, const Vec3& p, const Vec3& from);

}  // namespace keydrape
