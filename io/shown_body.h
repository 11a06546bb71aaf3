#pragma once

#include <vector>

#include "core/contact/collider/rigid_motion.h"
#include "core/types.h"

namespace keydrape {

// Where a body of [[collider]] goes during a shot.
struct BodyMotion {
  RigidMotion rigid;         // of the shape that the scene describes; at rest if the body deforms
  std::vector<VecX> points;  // of a mesh that deforms, one a frame of the shot [m] (3m); else empty

  bool deforms() const { return !points.empty(); }
};

}  // namespace keydrape
