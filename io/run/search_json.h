#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "control/search/checkpoint.h"
#include "control/search/result.h"
#include "io/cache/frame_range.h"

namespace keydrape {

// Coarser versions of a shot that were searched first, as summary.json and checkpoint.json have them.
// `shot`: the shot's frames.
nlohmann::ordered_json levels_json(const std::vector<LevelOutcome>& levels, const FrameRange& shot);

// The frame of one of its states.
inline int frame_of(const LevelOutcome& level, int state, const FrameRange& shot) {
  return shot.first + state / level.substeps;
}

// Where a search stands, as checkpoint.json has it, without what is large. `shot`: the shot's frames.
// state_of throws nlohmann::json::exception.
nlohmann::ordered_json state_json(const SearchState& state, const FrameRange& shot);
SearchState state_of(const nlohmann::ordered_json& json, const FrameRange& shot);

}  // namespace keydrape
