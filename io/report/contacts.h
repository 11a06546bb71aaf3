#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/inspect/contact_summary.h"
#include "io/report/buffer.h"

namespace keydrape {

// Pairs that a run's page keeps in all, 14 bytes each: 10,000 vertices x 120 frames stay below 15 MB with
// them. Frames that have more than a common limit keep their nearest ones.
inline constexpr std::size_t kMostReportedContacts = 100'000;

// The pairs of each frame, quantised to 16 bits, as the page reads them: {"layers", "bodies"}, how many pairs
// a frame keeps of either kind, {"all_layers", "all_bodies"}, how many it has, {"low", "step"}, the grid of
// the points, "distance_step" [m], and "values": for each frame seven columns, the coordinates of the point
// on the cloth and of the opposite one and the distance, layers first. Requires a pair in some frame.
nlohmann::json contacts_json(const std::vector<std::vector<TouchingPair>>& frames, ReportBuffer& buffer);

}  // namespace keydrape
