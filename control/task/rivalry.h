#pragma once

#include "control/task/task.h"

namespace keydrape {

// How far apart two targets of one moment are, all in all or else at a vertex, if that is more than their
// tolerances leave room for; else 0 [m].
double rivalry(const Target& a, const Target& b);

}  // namespace keydrape
