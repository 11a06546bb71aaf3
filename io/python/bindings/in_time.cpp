#include "io/python/bindings/in_time.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace keydrape::python {
namespace {

// Throws where an array has no frame at all.
py::ssize_t frame_count(const DoubleArray& array, const std::string& name) {
  if (array.shape(0) == 0) throw InputError(name + ": found no frame; expected one or more");
  return array.shape(0);
}

// One value a frame, as keys.
template <class Value, class Of>
Animated<Value> keyed(py::ssize_t frames, double fps, const Of& of) {
  std::vector<std::pair<double, Value>> keys;
  for (py::ssize_t f = 0; f < frames; ++f) keys.emplace_back(static_cast<double>(f) / fps, of(f));
  return Animated<Value>(std::move(keys));
}

}  // namespace

Animated<Vec3> vectors_in_time(const py::handle& value, const std::string& name, double fps) {
  if (dimensions(value) != 2) return three(value, name);
  const DoubleArray array = doubles(value, name, {-1, 3}, "for each frame x, y and z");
  return keyed<Vec3>(frame_count(array, name), fps,
                     [&](py::ssize_t f) { return Vec3(array.at(f, 0), array.at(f, 1), array.at(f, 2)); });
}

Animated<double> numbers_in_time(const py::handle& value, const std::string& name, double fps, double low,
                                 double high) {
  const bool is_one = dimensions(value) == 0;
  const DoubleArray array = is_one ? doubles(value, name, {}, "one for all frames")
                                   : doubles(value, name, {-1}, "one number, or one a frame");
  for (py::ssize_t k = 0; k < array.size(); ++k)
    if (!(array.data()[k] >= low && array.data()[k] <= high))
      throw InputError(fmt::format("{}: found {}; expected numbers from {} to {}", place_in(name, array, k),
                                   array.data()[k], low, high));
  if (is_one) return *array.data();
  return keyed<double>(frame_count(array, name), fps, [&](py::ssize_t f) { return array.at(f); });
}

MotionTrack points_in_time(const py::handle& value, const std::string& name, py::ssize_t count, double fps,
                           const std::string& meaning) {
  MotionTrack motion{{}, 1.0 / fps};
  if (dimensions(value) != 3) {
    motion.samples.push_back(rows_of_three(value, name, count, meaning));
    return motion;
  }
  const DoubleArray path = doubles(value, name, {-1, count, 3}, "for each frame " + meaning);
  const Eigen::Index size = 3 * path.shape(1);
  for (py::ssize_t f = 0; f < frame_count(path, name); ++f)
    motion.samples.emplace_back(Eigen::Map<const VecX>(path.data() + size * f, size));
  return motion;
}

}  // namespace keydrape::python
