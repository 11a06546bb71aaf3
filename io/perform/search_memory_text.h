#pragma once

#include <string>

#include "control/shooting/search_memory.h"
#include "io/scene/scene.h"
#include "io/shot/shot.h"

// How a search lives within [solver] memory_gb.

namespace keydrape {

// Throws InputError, which says how much is needed, where memory_gb does not even hold what no
// search goes without.
SearchMemory search_memory(const Scene& scene, const PreparedTask& prepared, const SearchOptions& options);

// "1.40 GB of states, .. ; factors of 400 steps in single precision, ..": what goes where.
std::string describe(const SearchMemory& memory);
// "factors of 400 steps in single precision, matrices of 500, nothing of 0"
std::string describe(const StorageCounts& counts);

}  // namespace keydrape
