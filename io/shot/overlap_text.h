#pragma once

#include <string>
#include <string_view>

#include "core/inspect/overlap.h"

namespace keydrape {

// Sentences on core/inspect/overlap.h, for a start that is refused and for keyframes that are warned of.
// Numbers count from 0.

// "inside of this body or nearer to it than 0.001 m", where cloth may not lie.
std::string too_near_text(const BodyOverlap& overlap);

// "nearest vertex 12 and triangle (3, 4, 5), 2e-05 m apart": the nearest of some pairs, on cloth of so many
// vertices. Requires one.
std::string nearest_text(const ClosePairs& close, int vertex_count);

// What is too near of cloth on itself, and what to do about it; `repair`: the last of it where a repair may
// help; what the start and springs are called where the cloth comes from. Requires a pair.
std::string close_text(const ClosePairs& close, const ClothDescription& cloth, std::string_view repair,
                       std::string_view start = "[cloth] initial",
                       std::string_view springs = "[[spring]] lines");

}  // namespace keydrape
