#pragma once

#include <string>
#include <vector>

#include "io/cli/search.h"
#include "io/scene/scene.h"
#include "io/shot/shot.h"

namespace keydrape {

// A sentence for each keyframe that missed its tolerance: by how much, and what holds the cloth back.
// Requires a best run.
std::vector<std::string> obstacles(const Scene& scene, const Shot& shot, const SearchResult& result);

// That a run meets every tolerance that anything tries to meet.
std::string met_sentence(const Scene& scene, const Shot& shot);

}  // namespace keydrape
