#pragma once

#include "core/contact/body/level_set/level_set.h"
#include "core/mesh/mesh.h"

namespace keydrape {

// Triangles on phi = 0 of a level set, for pictures of the body and its middle: nothing touches them. At most
// `most_triangles`: a level set that would have more is sampled on a grid twice, four times ... as wide,
// or its flat parts get larger triangles, or both, so that what is thinner than two cells of that grid
// may be missing.
//
// OpenVDB (Museth 2013) finds the triangles (dual contouring of a grid, whose adaptivity merges what is
// flat); each vertex is then drawn onto phi = 0 of the very spline that cloth touches (S13). Front outwards,
// closed, empty where no grid within the bound finds the body. The same bits on every run.
// Requires most_triangles > 0.
TriangleMesh level_set_surface(const LevelSet& field, int most_triangles);

}  // namespace keydrape
