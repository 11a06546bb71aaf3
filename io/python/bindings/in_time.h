#pragma once

#include <string>

#include "core/base/animated.h"
#include "core/constraint/motion_track.h"
#include "io/python/bindings/arrays.h"
#include "io/scene/shot_clock.h"

// What may change in time, out of arrays: one value, or one for each of the clock's frames, both ends
// included. Linear between frames; the last one holds on. All throw InputError.

namespace keydrape::python {

// (3,), or (frames + 1, 3).
Animated<Vec3> vectors_in_time(const py::handle& value, const std::string& name, const ShotClock& clock);
// A number, or (frames + 1,), from `low` to `high`.
Animated<double> numbers_in_time(const py::handle& value, const std::string& name, const ShotClock& clock,
                                 double low, double high);
// (count, 3), or (frames + 1, count, 3); `count` -1: any number of points.
MotionTrack points_in_time(const py::handle& value, const std::string& name, py::ssize_t count,
                           const ShotClock& clock, const std::string& meaning);

}  // namespace keydrape::python
