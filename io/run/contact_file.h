#pragma once

#include <vector>

#include "control/run/trajectory.h"
#include "core/inspect/contact_summary.h"
#include "io/run/run_folder.h"
#include "io/shot/shot.h"

// contacts.npy: which parts of the cloth touch what, at every frame.
//
//   (pairs, 8) float64, ascending by frame; a row for each pair within the range of its barrier:
//   0      frame, the artist's number
//   1      0: the cloth touches itself, 1: a body
//   2..4   the point on the cloth [m]
//   5..7   the point on the other layer, or on the body [m], at the pair's distance from the cloth; of a
//          point within a body, where a penalty or a pass leaves it, at its depth
//
// 64 bytes a pair and frame. Cloth that can touch nothing has no such file.

namespace keydrape {

inline constexpr const char* kContactFile = "contacts.npy";

// Of the frames that the trajectory completes. Throws OutputError.
void write_contacts(const Shot& shot, const Trajectory& trajectory, const RunFolder& folder);

// By frame of `frames`; empty: there is no such file. Throws InputError: an array of another form, frames
// that descend or are not among those.
std::vector<std::vector<TouchingPair>> read_contacts(const std::filesystem::path& file,
                                                     const FrameRange& frames);

}  // namespace keydrape
