#pragma once

#include "control/search/checkpoint.h"
#include "control/search/search_context.h"

namespace keydrape {

// Solves a task in parts (control/EQUATIONS.md, "In parts"): each window of `context.options` by itself, from
// where the cloth has come by what was found before it, and with the forces that the window before has left
// for the overlap, and a first guess behind it, to begin with. What comes before the first window is
// simulated once. The result is of the whole task, in its unknowns. Tells of a checkpoint after every window:
// a search that goes on from one begins the next window anew, or the first that had too few runs where there
// are more (windows_kept). Stopped, it has no result but that.
SearchResult search_in_windows(const SearchContext& context);

// How many windows a search keeps that goes on with this budget of forward runs each: all that are done, or
// where it is larger those before the first that had too few.
int windows_kept(const WindowsDone& done, int budget);

}  // namespace keydrape
