#pragma once

#include <vector>

#include "core/mesh/mesh.h"
#include "examples/generator/sheet.h"

// A towel of 0.8 m x 0.4 m, level, its long side along X, that is wrung by its two ends.

namespace keydrape::examples {

inline constexpr Sheet kTwistSheet{.line_count = 33, .point_count = 17, .closed = false};

// Flat at y = 0, texture coordinates in metres. 561 vertices; the first and the last line are its ends.
TriangleMesh twist_rest();

// Vertices of both ends, ascending, and where they are in a frame counted from 0: each end turns about the X
// axis, one against the other, kTwistTurns/2 each way over kTwistFrames frames, slowly at first and at last,
// and both draw nearer, as wrung cloth gets shorter. [m]
inline constexpr int kTwistFrames = 48;
inline constexpr double kTwistTurns = 2.0;  // of one end against the other
std::vector<int> twist_ends();
std::vector<Vec3> twist_ends_at(int frame);

}  // namespace keydrape::examples
