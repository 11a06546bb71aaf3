#pragma once

#include <Eigen/Geometry>

#include "io/formats/usda/usda_layer.h"

namespace keydrape::usda {

// The transform from a prim's coordinates to its parent's: its xformOps in the order of xformOpOrder, the
// last one first. Throws InputError for one that moves, and for ops other than transform, translate, scale,
// rotateX, rotateY, rotateZ and rotateXYZ.
Eigen::Affine3d local_transform(const Layer& layer, const Prim& prim);

}  // namespace keydrape::usda
