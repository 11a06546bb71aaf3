#pragma once

#include <vector>

#include "core/base/rigid_motion.h"
#include "core/constraint/motion_track.h"

namespace keydrape {

// The surface of a body that cloth touches as triangles, from both sides: open or closed, rigid or deforming.
class MovingMesh {
 public:
  // Requires vertex numbers below the number of positions [m] or points, and for the latter a
  // sample at least.
  MovingMesh(const std::vector<Vec3>& positions, std::vector<Triangle> triangles, RigidMotion motion = {});
  MovingMesh(MotionTrack motion, std::vector<Triangle> triangles);

  const std::vector<Triangle>& triangles() const { return triangles_; }
  int vertex_count() const { return track_.point_count(); }
  bool is_static() const { return rigid_.is_static() && track_.samples.size() == 1; }

  // How it moves as a whole; its points may move in its frame besides.
  const RigidMotion& motion() const { return rigid_; }
  bool deforms() const { return track_.samples.size() > 1; }

  VecX at(double time) const;  // positions in the world [m] (3m)

 private:
  MotionTrack track_;  // in the body's frame
  RigidMotion rigid_;
  std::vector<Triangle> triangles_;
};

}  // namespace keydrape
