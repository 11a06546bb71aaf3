#pragma once

#include <utility>
#include <vector>

#include "core/base/animated.h"

namespace keydrape {

// What the scene file says of a quantity that can change in time: a constant, or values at frames. Linear
// between the keys, constant before the first and after the last.
template <class Value>
struct Keyed {
  // (frame, value): at least one, frames strictly ascending, fractions of a frame allowed, also outside the
  // shot. A constant is one key; its frame does not matter.
  std::vector<std::pair<double, Value>> keys;

  // Implicit: a constant is the usual case.
  Keyed(Value constant = Value{}) : keys{{0.0, std::move(constant)}} {}

  bool is_constant() const { return keys.size() == 1; }

  // The same curve over seconds counted from `first_frame`. Requires fps > 0 [frames/s].
  Animated<Value> over_time(double first_frame, double fps) const {
    std::vector<std::pair<double, Value>> timed = keys;
    for (auto& [time, value] : timed) time = (time - first_frame) / fps;
    return Animated<Value>(std::move(timed));
  }
};

}  // namespace keydrape
