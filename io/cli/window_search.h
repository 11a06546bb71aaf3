#pragma once

#include "io/cli/search.h"
#include "io/shot_window.h"

namespace keydrape {

// Solves a shot in parts (control/README.md, "In parts"): each range of frames by itself, from where the
// cloth has come by what was found before it, and with the forces that the part before has left for the
// overlap to begin with. Frames before the first range are simulated once. The result is of the whole shot,
// in its unknowns. Writes uncontrolled.pc2 and convergence.jsonl, whose lines name the window, but no
// checkpoint. Throws as search.
SearchResult search_in_windows(const SearchArguments& arguments, const std::vector<FrameRange>& ranges);

}  // namespace keydrape
