#pragma once

#include <vector>

#include "core/mesh/mesh.h"
#include "examples/generator/sheet.h"

// A curtain of 0.6 m x 0.42 m in the plane z = 0, hanging from y = 0 with its front along +Z, and the forces
// that move it without the solver's knowledge. 315 vertices; its upper edge, at the rod, is vertices 0 to 20.
// Texture coordinates in metres: u along the rod, v upwards.

namespace keydrape::examples {

inline constexpr Sheet kTwinSheet{.line_count = 15, .point_count = 21, .closed = false};
inline constexpr int kTwinFrameCount = 25;
inline constexpr double kTwinFps = 24;  // [frames/s]

TriangleMesh twin_rest();

// Hidden forces [N] (3n), held from frame to frame, one entry a frame: a wave of up to 0.5 g across the
// cloth that runs down and along it, for half a period. The last entry, from which no step starts, is zero.
std::vector<VecX> twin_hidden_forces();

}  // namespace keydrape::examples
