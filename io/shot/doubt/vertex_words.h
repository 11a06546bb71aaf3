#pragma once

#include <string>

#include "core/mesh/mesh.h"

namespace keydrape {

// "vertex 17 (group hem)", "vertex 17 (0.12 m from group hem)": the smallest group that holds it, else the
// nearest at rest; groups of all vertices, and meshes without any, name none. Vertices are counted from 0.
std::string vertex_in_words(const TriangleMesh& rest, int vertex);

}  // namespace keydrape
