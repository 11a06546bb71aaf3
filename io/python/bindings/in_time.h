#pragma once

#include <string>

#include "core/base/animated.h"
#include "core/constraint/motion_track.h"
#include "io/python/bindings/arrays.h"

// What may change in time, out of arrays: one value, or one a frame. Linear between frames; the last one
// holds on. All throw InputError.

namespace keydrape::python {

// (3,), or (frames, 3).
Animated<Vec3> vectors_in_time(const py::handle& value, const std::string& name, double fps);
// A number, or (frames,), from `low` to `high`.
Animated<double> numbers_in_time(const py::handle& value, const std::string& name, double fps, double low,
                                 double high);
// (count, 3), or (frames, count, 3); -1: of any length there.
MotionTrack points_in_time(const py::handle& value, const std::string& name, py::ssize_t count, double fps,
                           const std::string& meaning);

}  // namespace keydrape::python
