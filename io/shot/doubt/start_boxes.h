#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "core/cloth/cloth.h"

// Where things are at the first frame, as boxes along the axes [m].

namespace keydrape {

// Of these vertices; `x`: positions (3n).
Eigen::AlignedBox3d box_of(const std::vector<int>& vertices, const VecX& x);
// Of all of them.
Eigen::AlignedBox3d box_of(const VecX& x);

// Of the bodies that end somewhere: no planes.
std::vector<Eigen::AlignedBox3d> body_boxes(const ClothDescription& cloth);

}  // namespace keydrape
