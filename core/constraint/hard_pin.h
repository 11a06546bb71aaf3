#pragma once

#include <vector>

#include "core/base/types.h"
#include "core/constraint/motion_track.h"

namespace keydrape {

// Vertices held exactly (Baraff & Witkin 1998, section 5.1: ndof 0, 1 or 2).
struct HardPin {
  std::vector<int> vertices;  // ascending
  MotionTrack motion;         // where each of them is held, in the order of `vertices`
  // Projector on the directions in which the vertices stay free: 0 (pinned), t t^T (slides along the axis t
  // through its track) or I - n n^T (slides in the plane through its track).
  Mat3 free = Mat3::Zero();
  double begin_time = 0.0;  // holds while begin_time <= t <= end_time, t the end of the step [s]
  double end_time = 1e300;
};

// The constraints of one step: y_i = S_i y_i + (I - S_i) target_i for every constrained vertex.
class StepConstraints {
 public:
  struct Row {
    int vertex;
    Mat3 S;       // projector on what stays free
    Vec3 target;  // [m]
  };

  StepConstraints() = default;
  // Of pins that hold one vertex at the same time, the first in the list wins.
  StepConstraints(const std::vector<HardPin>& pins, double time, int vertex_count);

  const std::vector<Row>& rows() const { return rows_; }
  // These rows besides, ascending by vertex. Requires none of a vertex that has one.
  void add(const std::vector<Row>& rows);

  void filter(VecX& r) const;      // r_i <- S_i r_i
  void filter_out(VecX& r) const;  // r_i <- (I - S_i) r_i where constrained, 0 elsewhere
  void impose(VecX& y) const;      // y_i <- S_i y_i + (I - S_i) target_i

 private:
  std::vector<Row> rows_;  // ascending by vertex
};

}  // namespace keydrape
