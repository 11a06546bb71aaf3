#pragma once

#include <nlohmann/json_fwd.hpp>

#include "io/report/buffer.h"
#include "io/report/run.h"

namespace keydrape {

// The bodies as the page reads them: the list of recorded_body.h, with the positions and triangles of meshes
// and level sets in the buffer. A rigid body that moves has "poses", seven numbers a frame or one pose for
// all of them, as there; one that deforms has "positions" of its first frame and "moved", a motion
// (motion_code.h) with an entry for each frame.
nlohmann::json bodies_json(const ReportRun& run, ReportBuffer& buffer);

}  // namespace keydrape
