#pragma once

#include "core/mesh/mesh.h"

// The round sample of a drape tester (Cusick 1965): 30 cm of fabric in the plane y = 0, its middle 18 cm on
// a table. Rings of 6, 12, 18 .. vertices round the middle one, 7.5 mm apart; group "table" has those on it.

namespace keydrape::examples {

inline constexpr double kSampleRadius = 0.15;  // [m]
inline constexpr double kTableRadius = 0.09;   // [m]
inline constexpr int kSampleRings = 20;

TriangleMesh sample_rest();

}  // namespace keydrape::examples
