#pragma once

#include <vector>

#include "core/pass/step_filter.h"

namespace keydrape {

// How easily vertices move: W_i = S_i/m_i, so that an impulse J [N s] changes a velocity by W_i J. S_i is the
// projector on what pins leave free, and W_i is 0 for vertices behind the cloth's: those of bodies. [1/kg]
class Mobility {
 public:
  // Of `count` vertices, those of the cloth first.
  Mobility(const FilteredStep& step, Eigen::Index count);

  const Mat3& of(int vertex) const { return of_vertex_[vertex]; }

 private:
  std::vector<Mat3> of_vertex_;
};

}  // namespace keydrape
