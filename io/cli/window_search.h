#pragma once

#include "io/cli/search.h"
#include "io/shot/window.h"

namespace keydrape {

// Solves a shot in parts (control/README.md, "In parts"): each range of frames by itself, from where the
// cloth has come by what was found before it, and with the forces that the part before has left for the
// overlap to begin with. Frames before the first range are simulated once. The result is of the whole shot,
// in its unknowns. Writes uncontrolled.pc2, convergence.jsonl, whose lines name the window, and a checkpoint
// after every window: a search that goes on from one begins the next window anew. Interrupted, it has no result
// but that. Throws as search.
SearchResult search_in_windows(const SearchArguments& arguments, const std::vector<FrameRange>& ranges);

}  // namespace keydrape
