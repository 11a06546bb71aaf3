#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/run/run_records.h"
#include "io/shot/shot.h"

// Results in words, for people.

namespace keydrape {

// Why and where a trajectory ended early, and what to try. Requires a step that did not converge.
std::string failure_message(const Shot& shot, const Trajectory& trajectory);

// What became of cloth that began through itself, as a sentence.
std::string crossings_text(const CrossingFigures& crossings);

// "222.1 s", or of a run that was gone on with "222.1 s, 4.0 s of them since --resume".
std::string time_text(const RunSummary& summary);

// A line for the header and one for each keyframe. `unforced`: what the run without the search's forces is
// called: "uncontrolled", or the take that they are added to.
std::vector<std::string> keyframe_table(const std::vector<KeyframeOutcome>& keyframes,
                                        std::string_view unforced);

// A sentence for each surface of which the cloth leaves bare what it could lie on.
std::vector<std::string> bare_surface_sentences(const std::vector<KeyframeOutcome>& keyframes);

// A line for each keyframe and track of a run that was not searched: how far it is from what is asked there.
// Targets that the run does not come to have none.
// `cloth`: whose distance it is, "the cloth without control".
std::vector<std::string> distance_lines(const std::vector<KeyframeOutcome>& keyframes,
                                        std::string_view cloth);

// "frame 1030: 4.2 mm, frame 1060: 8.1 mm"
std::string miss_text(const std::vector<KeyframeOutcome>& outcomes);

}  // namespace keydrape
