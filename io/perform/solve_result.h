#pragma once

#include <string>

#include "control/search/result.h"
#include "io/perform/run_listener.h"
#include "io/run/run_records.h"
#include "io/scene/scene.h"
#include "io/shot/shot.h"

// What a search found, as files, figures and sentences.

namespace keydrape {

// Writes the files of the best run into the folder, or of the run without control where there is none, and
// says what is doubtful about it, which becomes a warning of the shot as well. The shot is adapted to the
// run: its channels, its targets. Throws OutputError, InputError (a file of the scene that is gone).
RunSummary write_result(const Scene& scene, Shot& shot, const SearchResult& result, const RunFolder& folder,
                        RunListener& listener);

// summary.json. A search in windows that is stopped has no take; what an earlier start of it has left stays
// in the folder, and with it what its summary says of it.
std::string summary_json(const Shot& shot, const SearchResult& result, const RunSummary& summary,
                         const RunFolder& folder);

// Says why the search ended and, of a run that there is, its figures.
void tell_result(const Scene& scene, const Shot& shot, const SearchResult& result, const RunSummary& summary,
                 RunListener& listener);

}  // namespace keydrape
