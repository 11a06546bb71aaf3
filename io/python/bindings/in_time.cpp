#include "io/python/bindings/in_time.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace keydrape::python {
namespace {

// One value a frame, as keys.
template <class Value, class Of>
Animated<Value> keyed(const ShotClock& clock, const Of& of) {
  std::vector<std::pair<double, Value>> keys;
  for (py::ssize_t f = 0; f < clock.frames.count(); ++f)
    keys.emplace_back(static_cast<double>(f) / clock.fps, of(f));
  return Animated<Value>(std::move(keys));
}

}  // namespace

Animated<Vec3> vectors_in_time(const py::handle& value, const std::string& name, const ShotClock& clock) {
  if (dimensions(value) != 2) return three(value, name);
  const DoubleArray array =
      doubles(value, name, {clock.frames.count(), 3}, "x, y and z for each frame, 0 and the last included");
  return keyed<Vec3>(clock,
                     [&](py::ssize_t f) { return Vec3(array.at(f, 0), array.at(f, 1), array.at(f, 2)); });
}

Animated<double> numbers_in_time(const py::handle& value, const std::string& name, const ShotClock& clock,
                                 double low, double high) {
  const bool is_one = dimensions(value) == 0;
  const DoubleArray array = is_one ? doubles(value, name, {}, "one for all frames")
                                   : doubles(value, name, {clock.frames.count()},
                                             "one a frame, 0 and the last included, or one number for all");
  for (py::ssize_t k = 0; k < array.size(); ++k)
    if (!(array.data()[k] >= low && array.data()[k] <= high))
      throw InputError(fmt::format("{}: found {}; expected numbers from {} to {}", place_in(name, array, k),
                                   array.data()[k], low, high));
  if (is_one) return *array.data();
  return keyed<double>(clock, [&](py::ssize_t f) { return array.at(f); });
}

MotionTrack points_in_time(const py::handle& value, const std::string& name, py::ssize_t count,
                           const ShotClock& clock, const std::string& meaning) {
  MotionTrack motion{{}, 1.0 / clock.fps};
  if (dimensions(value) != 3) {
    motion.samples.push_back(rows_of_three(value, name, count, meaning));
    return motion;
  }
  const DoubleArray path = doubles(value, name, {clock.frames.count(), count, 3},
                                   "for each frame, 0 and the last included, " + meaning);
  const Eigen::Index size = 3 * path.shape(1);
  for (py::ssize_t f = 0; f < path.shape(0); ++f)
    motion.samples.emplace_back(Eigen::Map<const VecX>(path.data() + size * f, size));
  return motion;
}

}  // namespace keydrape::python
