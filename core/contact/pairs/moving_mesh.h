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

  // What a feature counts for, whenever it is met: its largest in all samples. Of each triangle its area
  // [m^2], of each edge of build_topology() its vector in the body's frame [m].
  const std::vector<double>& largest_areas() const { return largest_areas_; }
  const std::vector<Vec3>& largest_edges() const { return largest_edges_; }

 private:
  void measure();

  MotionTrack track_;  // in the body's frame
  RigidMotion rigid_;
  std::vector<Triangle> triangles_;
  std::vector<double> largest_areas_;
  std::vector<Vec3> largest_edges_;
};

}  // namespace keydrape
