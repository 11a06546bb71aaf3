#pragma once

#include "core/mesh/mesh.h"
#include "examples/generator/sheet.h"

// A flag of 1.5 m x 0.9375 m on a pole along Y at the origin, flying along +X; its front looks along +Z.
// 1,519 vertices; the hoist, at the pole, is vertices 0 to 30. Texture coordinates in metres: u along the
// fly, v upwards.

namespace keydrape::examples {

inline constexpr Sheet kFlagSheet{.line_count = 49, .point_count = 31, .closed = false};
inline constexpr int kFlagPinnedCount = 31;

// Flat in the plane z = 0.
TriangleMesh flag_rest();

// Positions of a flag whose cloth is `fly_scale` times as long along the fly as the true one, bent without
// further stretch; the hoist is where it is at rest. `flag_billowing`: two waves that lean towards the fly's
// lower corner. `flag_curling`: swung back at the pole, the upper fly corner rolled forward into a hook of
// 0.15 m radius.
std::vector<Vec3> flag_billowing(double fly_scale);
std::vector<Vec3> flag_curling(double fly_scale);

// The flat flag, `fly_scale` times as long.
std::vector<Vec3> flag_flat(double fly_scale);

}  // namespace keydrape::examples
