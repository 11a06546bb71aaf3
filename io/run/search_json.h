#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "control/search/checkpoint.h"
#include "control/search/result.h"
#include "control/search/tolerance_weights.h"
#include "io/cache/frame_range.h"
#include "io/file/json_text.h"

namespace keydrape {

// Coarser versions of a shot that were searched first, as summary.json and checkpoint.json have them. `shot`:
// its frames. levels_of throws nlohmann::json::exception.
nlohmann::ordered_json levels_json(const std::vector<LevelOutcome>& levels, const FrameRange& shot);
std::vector<LevelOutcome> levels_of(const nlohmann::ordered_json& json, const FrameRange& shot);

// The frame of one of its states.
inline int frame_of(const LevelOutcome& level, int state, const FrameRange& shot) {
  return shot.first + state / level.substeps;
}

// What weights remember from one iteration to the next, as checkpoint.json has it; null: nothing.
// weight_memory_of throws nlohmann::json::exception.
nlohmann::ordered_json weight_memory_json(const std::optional<ToleranceWeights::Memory>& memory);
std::optional<ToleranceWeights::Memory> weight_memory_of(const nlohmann::ordered_json& json);

// What became of windows, as checkpoint.json has it; null: of none. windows_of throws
// nlohmann::json::exception.
nlohmann::ordered_json windows_json(const std::optional<WindowsDone>& windows);
std::optional<WindowsDone> windows_of(const nlohmann::ordered_json& json);

// The end that a number stands for. Throws nlohmann::json::exception for one that is none.
template <class End>
End end_of(const nlohmann::ordered_json& json, End last) {
  const int end = whole_number(json);
  if (end < 0 || end > static_cast<int>(last))
    throw nlohmann::ordered_json::out_of_range::create(406, "no end of a search", &json);
  return static_cast<End>(end);
}

}  // namespace keydrape
