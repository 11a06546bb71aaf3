#pragma once

#include <string>
#include <vector>

#include "control/search/obstacles.h"
#include "io/scene/scene.h"
#include "io/shot/shot.h"

namespace keydrape {

// A sentence for each: by how much the target was missed, and what holds the cloth back, in the scene's
// words. `shot`: with its targets as they were where the misses were measured.
std::vector<std::string> obstacle_sentences(const Scene& scene, const Shot& shot,
                                            const std::vector<Obstacle>& obstacles);

}  // namespace keydrape
