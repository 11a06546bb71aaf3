#include "core/pass/mobility.h"

#include <cassert>

namespace keydrape {

Mobility::Mobility(const FilteredStep& step, Eigen::Index count) : of_vertex_(count, Mat3::Zero()) {
  assert(count >= step.vertex_mass.size());
  for (Eigen::Index i = 0; i < step.vertex_mass.size(); ++i)
    of_vertex_[i] = Mat3::Identity() / step.vertex_mass(i);
  for (const StepConstraints::Row& row : step.constraints.rows())
    of_vertex_[row.vertex] = row.S / step.vertex_mass(row.vertex);
}

}  // namespace keydrape
