#pragma once

#include <optional>
#include <string>

#include "control/run/trajectory.h"
#include "io/perform/pin_jumps.h"
#include "io/shot/shot.h"

namespace keydrape {

// Of what is stretched most in all frames that there are, where that is far beyond what the fabric gives: the
// frame, where, and what helps: the fabric does not where a pin has brought cloth far at once before. None
// where nothing is, or where channels have made other cloth, whose lengths at rest nobody knows.
std::optional<std::string> stretch_warning(const Shot& shot, const Trajectory& trajectory,
                                           const std::vector<PinJump>& jumps);

// Of the edge that is longest in all frames, where that is far beyond what the scene's max_edge_stretch lets.
// None where nothing is, where edges may be of any length, or channels have made other cloth.
std::optional<std::string> edge_stretch_warning(const Shot& shot, const Trajectory& trajectory);

}  // namespace keydrape
