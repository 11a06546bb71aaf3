#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/wedge/element_state.h"
#include "io/wedge/wedge_plan.h"

// The elements of a wedge beside each other.

namespace keydrape {

struct WedgeRow {
  const WedgeElement* element;  // of the plan, which outlives this
  ElementOutcome outcome;
};
// One for each element, in order. Throws InputError as element_outcome.
std::vector<WedgeRow> wedge_rows(const std::filesystem::path& wedge, const WedgePlan& plan);

// The index of the best row: of those that reach every keyframe the one with the least effort, or else the
// one whose worst keyframe misses its tolerance by the least factor. An element none of whose keyframes has a
// tolerance can miss nothing: where that goes for all, the one whose worst keyframe is off by the least RMS
// distance, and else none of them. None: no search has ended, or the wedge is one of simulations.
std::optional<int> best_row(const std::vector<WedgeRow>& rows, WedgeCommand command);

// wedge.csv, RFC 4180 with '\n': a row an element, the keys that any of them sets as columns, SI units.
std::string wedge_csv(const std::vector<WedgeRow>& rows);
// Lines for people: a header, a row for each element, and which is the best.
std::vector<std::string> wedge_table(const std::vector<WedgeRow>& rows, WedgeCommand command);
// The same for scripts.
std::string wedge_json(const std::filesystem::path& wedge, const std::vector<WedgeRow>& rows,
                       WedgeCommand command);

}  // namespace keydrape
