#pragma once

#include "core/mesh/mesh.h"
#include "examples/generator/sheet.h"

// A round table, and a square cloth of 1 m x 1 m with texture coordinates in metres that is dropped on it.
// Y is up; the table stands on y = 0 with its axis along Y.

namespace keydrape::examples {

inline constexpr Sheet kTableclothSheet{.line_count = 29, .point_count = 29, .closed = false};

// The table's top: a closed disc, 0.7 m wide and 0.06 m thick, its rim a half circle, its upper side at
// y = 0.72.
TriangleMesh table_top();

// Level and flat 2 cm above the table, edges along X and Z, front upwards. 841 vertices.
TriangleMesh tablecloth_rest();

// The cloth as someone would lay it down askew: turned by 10 degrees and 4 cm off the middle.
TriangleMesh tablecloth_askew();

}  // namespace keydrape::examples
