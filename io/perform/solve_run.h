#pragma once

#include <filesystem>
#include <string>

#include "control/search/result.h"
#include "io/perform/run_listener.h"
#include "io/perform/running_report.h"
#include "io/perform/run_place.h"
#include "io/run/run_records.h"
#include "io/scene/scene.h"
#include "io/shot/shot.h"

namespace keydrape {

// How a scene is to be solved in a folder.
struct SolveOrder {
  PlaceOrder place{};
  bool report = true;  // write report.html, if this program can
  RunningReport::Live live = RunningReport::Live::kNo;
  bool one_window = false;  // end after the next window, if that is not the last
};

// A search that has ended, with its files written.
struct SolvedRun {
  std::filesystem::path folder;
  Shot shot;  // adapted to the result
  SearchResult result;
  RunSummary summary;
  std::string json;  // summary.json
};

// Throws InputError where the scene asks for no keyframe or track, and as refuse_without_goal
// (io/shot/contradictions.h).
void refuse_without_targets(const Scene& scene);

// Searches, and leaves in the folder what io/OUTPUTS.md says. Throws InputError: as open_shot and search; a
// folder that holds another run, or files that the scene reads; nothing to solve for. OutputError.
SolvedRun solve_in_folder(const Scene& scene, const SolveOrder& order, RunListener& listener);

}  // namespace keydrape
