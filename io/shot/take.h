#pragma once

#include "io/shot/shot.h"

namespace keydrape {

// Requires relative_to. Gives the shot the take that its search begins with: its forces (exact_forces), along
// the steps that stand beside them if there are any, and its channels. Warns of a take beyond
// max_acceleration where [control] lets nothing push, and of one whose forces are not as `net` asks: both
// stay as they are. Throws InputError: files that do not fit the shot; with max_acceleration forces that
// change within blocks.
void start_from_take(const Scene& scene, Shot& shot);

}  // namespace keydrape
