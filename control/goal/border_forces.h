#pragma once

#include <optional>

#include "core/base/types.h"

namespace keydrape {

// A part of a longer task, whose forces go on from those beside it.  (W3)
struct BorderForces {
  double changes = 0.0;  // of a from block to block that the mean over time is one of; 0: those of the part
  // a of the block before the first and of that behind the last [g_0], 3 numbers a pushed vertex. None:
  // forces begin, or end, with whatever they like.
  std::optional<VecX> before{}, after{};
};

}  // namespace keydrape
