#pragma once

#include <vector>

#include "core/mesh/mesh.h"
#include "examples/generator/sheet.h"

// A figure that turns and takes a step, and a cape that hangs from round its neck, open in front. Y is up;
// the figure faces -Z at first, its axis along Y through the origin.

namespace keydrape::examples {

inline constexpr Sheet kCapeSheet{.line_count = 21, .point_count = 25, .closed = false};

// Torso, neck and head: closed, of oval cross-section, 1.3 times as wide as deep. y from 0.8 to 1.79.
TriangleMesh cape_body();

// Sewn to fall over the shoulders. 525 vertices; the first line is the collar.
TriangleMesh cape_rest();

// Where the collar's vertices are in a frame counted from 0: they go with the body as cape.toml moves it. [m]
std::vector<Vec3> cape_collar_at(int frame);

}  // namespace keydrape::examples
