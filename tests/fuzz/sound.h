#pragma once

#include "core/mesh/mesh.h"
#include "io/cache/mesh_cache.h"

// What may be relied on where a reader has not refused (expect of input_folder.h).

namespace keydrape::fuzz {

// Finite numbers, indexes in range, groups that ascend.
void expect_sound(const TriangleMesh& mesh);
// And as many frames and values as the header says.
void expect_sound(const MeshCache& cache);

}  // namespace keydrape::fuzz
