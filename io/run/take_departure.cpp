#include "io/run/take_departure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "io/file/short_number.h"
#include "io/formats/npy.h"
#include "io/take/take_files.h"

namespace keydrape {
namespace {

// Of the cloth's size: a hundredth of a millimetre on a metre, and more than Newton's tolerance leaves open.
constexpr double kNoticeableDeparture = 1e-5;

}  // namespace

std::string departure_from_take(const Scene& scene, const Shot& shot, const Trajectory& run) {
  const std::filesystem::path folder = scene.control.relative_to->value.parent_path();
  const double noticeable = kNoticeableDeparture * bounding_box_diagonal(shot.rest().positions);
  double largest = 0.0;
  int first = 0;
  const auto compare = [&](int state, const VecX& recorded) {
    const VecX difference = run.states[state].x - recorded;
    double farthest = 0.0;
    for (Eigen::Index i = 0; i < difference.size(); i += 3)
      farthest = std::max(farthest, difference.segment<3>(i).norm());
    if (farthest > noticeable && largest <= noticeable) first = shot.clock.frame_of_step(state);
    largest = std::max(largest, farthest);
  };
  std::string_view file = kStepsFile;
  const int last = std::min(run.step_count(), shot.clock.step_count());
  if (shot.base()->recorded_end(0)) {
    for (int n = 0; n < last; ++n) compare(n + 1, *shot.base()->recorded_end(n));
  } else if (std::filesystem::exists(folder / kPositionsFile)) {
    file = kPositionsFile;
    const NpyArray array = read_npy(folder / kPositionsFile);
    const std::int64_t n = shot.rest().vertex_count(), frames = shot.clock.frames.count();
    if (array.shape != std::vector<std::int64_t>{frames, n, 3}) return {};
    for (std::int64_t f = 0; f * shot.clock.substeps <= last; ++f)
      compare(static_cast<int>(f) * shot.clock.substeps, array.values.segment(3 * n * f, 3 * n));
  }
  if (largest <= noticeable) return {};
  return fmt::format(
      "{}: [control] relative_to: the take's forces do not lead here where its {} says: from frame {} on the "
      "cloth is elsewhere, by up to {} mm; the scene, or the files beside each other, are not those of "
      "that take",
      scene.control.relative_to->source.where(), file, first, short_number(1e3 * largest));
}

}  // namespace keydrape
