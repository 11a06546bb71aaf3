#pragma once

#include <vector>

#include "core/base/rigid_motion.h"
#include "core/mesh/mesh.h"

namespace keydrape {

// What a body of [[collider]] looks like where no closed form says so, and where it goes during a shot.
struct ShownBody {
  TriangleMesh mesh;         // of a mesh, or on the surface of a level set [m]; else empty
  RigidMotion rigid;         // of the shape that the scene describes; at rest if the body deforms
  std::vector<VecX> points;  // of a mesh that deforms, one a frame of the shot [m] (3m); else empty

  bool deforms() const { return !points.empty(); }
};

}  // namespace keydrape
