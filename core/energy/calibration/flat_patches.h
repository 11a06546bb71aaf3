#pragma once

#include <vector>

#include "core/energy/calibration/vertex_fan.h"

namespace keydrape {

// A mesh cut into patches of up to 16 edges radius in each of which directions mean the same everywhere. Flat
// panels are cut only where patches meet; curved ones also where directions carried along two ways differ by
// more than 0.1 rad, as behind the tip of a cone.
struct FlatPatches {
  std::vector<int> patch;    // of each vertex: the vertex at the center; -1: none
  std::vector<double> turn;  // of each vertex: direction of its first spoke in the frame of the patch [rad]
  std::vector<int> depth;    // of each vertex: edges from the nearest cut or boundary; 0: on it
};

// One entry a fan. A vertex of depth d has all vertices within d edges in its own patch.
FlatPatches cut_into_flat_patches(const std::vector<VertexFan>& fans);

}  // namespace keydrape
