#pragma once

#include "io/report/buffer.h"
#include "io/report/run.h"

namespace keydrape {

// The keyframes that are no frame of a track, as the page reads them: a list of {"frame", "kind",
// "tolerance_m", "target", "weight", "misses"}, of a surface {"surface": {"positions", "triangles"}} and, of
// one that slides, "window", the first and last frame that it could have taken. "misses" has for each take
// that comes to the frame {"rms_m", "max_m", "distance"}, measured from the full numbers.
nlohmann::json keyframes_json(const ReportRun& run, ReportBuffer& buffer);

// The tracks: a list of {"frames", "tolerance_m", "targets", "weight", "misses"}. "targets" is a motion
// (motion_code.h) of one entry for each of the frames, as "misses" has for each take {"rms_m", "max_m"}.
nlohmann::json tracks_json(const ReportRun& run, const LowerNeighbours& neighbours, ReportBuffer& buffer);

}  // namespace keydrape
