#pragma once

#include "control/search/search_context.h"

namespace keydrape {

// The search of one task at once: from the run without forces, or a checkpoint, through the best start to the
// end of an optimiser. All that `context` refers to outlives the call.
SearchResult search_at_once(const SearchContext& context);

}  // namespace keydrape
