#pragma once

#include "core/mesh/mesh.h"
#include "examples/generator/sheet.h"

// A half-circle skirt, 0.55 m long, waist 0.24 m and hem 0.79 m wide: a cone round the Y axis, its waist at
// height 1 m, front along +Z. 2,496 vertices; the waistband is the first two rings. Four gores, each laid out
// flat in the texture coordinates [m] with its middle line upright, so that seam vertices have two.

namespace keydrape::examples {

inline constexpr Sheet kSkirtSheet{.line_count = 26, .point_count = 96, .closed = true};
inline constexpr int kSkirtPinnedCount = 2 * 96;

// With the group "waistband".
TriangleMesh skirt_rest();

// The waistband at a frame [artist's frame number]: turned and shifted as the wearer moves. One position per
// pinned vertex; at frame 1001 those at rest.
std::vector<Vec3> skirt_waistband(double frame);

// Positions of the whole skirt, waistband as at `frame`. `skirt_sweeping`: leans out to the wearer's left
// while the turn runs. `skirt_settling`: overshoots the finished turn, in seven folds.
std::vector<Vec3> skirt_sweeping(double frame);
std::vector<Vec3> skirt_settling(double frame);

// How much of a keyframe each vertex has to match: 0 near the waistband, where the waist decides, 1 below.
std::vector<double> skirt_weights();

}  // namespace keydrape::examples
