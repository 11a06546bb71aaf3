#pragma once

#include <optional>

#include "control/search/checkpoint.h"
#include "control/search/observer.h"
#include "control/search/options.h"
#include "control/search/result.h"
#include "control/shooting/search_memory.h"
#include "control/task/prepared_task.h"

namespace keydrape {

// Looks for the control forces of a task, from none or from a checkpoint: by windows, after coarser levels,
// or at once, as the options say. A search that goes on from a checkpoint comes to the bits of one that was
// never broken off.
//
// Throws InputError: check(options, task), a memory_bytes that no search of this task fits
// (SearchMemory::needed); OutputError: the scratch file; and what the observer throws. All numerics that fail
// are in the summary. `resume`: of this very task and these options, but for budgets; none: from the start.
// Moved in, its runs take no memory beside those of the search.
SearchResult search(const PreparedTask& task, const SearchOptions& options, SearchObserver& observer,
                    std::optional<SearchCheckpoint> resume = {});
// The same for a task that is built for this search alone. Throws InputError as prepare does, too.
SearchResult search(const Task& task, const SearchOptions& options, SearchObserver& observer,
                    std::optional<SearchCheckpoint> resume = {});

// What a search will store at its peak: in windows, of the longest. `scratch_bytes`: capacity of
// its scratch file.
SearchMemory plan_search_memory(const PreparedTask& task, const SearchOptions& options, double scratch_bytes);
SearchMemory plan_search_memory(const PreparedTask& task, const SearchOptions& options);

}  // namespace keydrape
