#include "io/take/recorded_take.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "io/formats/npy.h"
#include "io/run/run_cache.h"
#include "io/run/run_folder.h"
#include "io/run/run_outputs.h"
#include "io/take/channel_file.h"

namespace keydrape {
namespace {

// Of the cloth's size: a hundredth of a millimetre on a metre, and more than Newton's tolerance leaves open.
constexpr double kNoticeableDeparture = 1e-5;

}  // namespace

std::filesystem::path forces_of_take(const std::filesystem::path& folder) {
  for (const std::string_view name : {kForcesOfStepsFile, kForcesFile})
    if (std::filesystem::exists(folder / name)) return folder / name;
  return {};
}

std::vector<std::filesystem::path> files_beside_forces(const std::filesystem::path& forces) {
  std::vector<std::filesystem::path> files;
  for (const std::string_view name : {std::string_view(kChannelsFile), kForcesOfStepsFile, kStepsFile})
    if (const auto file = forces.parent_path() / name; std::filesystem::exists(file)) files.push_back(file);
  return files;
}

std::filesystem::path exact_forces(const Shot& shot, const std::filesystem::path& forces) {
  const std::filesystem::path of_steps = forces.parent_path() / kForcesOfStepsFile;
  if (forces.filename() != kForcesFile || !std::filesystem::exists(of_steps)) return forces;
  const RecordedForces means(shot, forces), steps(shot, of_steps);
  for (int f = 0; f < shot.clock.frames.count(); ++f)
    if (mean_force(shot, steps, f) != mean_force(shot, means, f)) return forces;
  return of_steps;
}

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
  if (shot.base()->taken(0)) {
    for (int n = 0; n < last; ++n) compare(n + 1, *shot.base()->taken(n));
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
      "cloth is elsewhere, by up to {:.3g} mm; the scene, or the files beside each other, are not those of "
      "that take",
      scene.control.relative_to->source.where(), file, first, 1e3 * largest);
}

std::vector<VecX> read_take_positions(const Shot& shot, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kStepsFile;
  if (!std::filesystem::exists(file)) {
    throw InputError(fmt::format(
        "{}: is missing; expected a run's positions after every time step; solve writes them, and "
        "simulate with every_step = true in [output]",
        file.string()));
  }
  const NpyArray array = read_npy(file);
  const std::int64_t n = shot.rest().vertex_count(), states = shot.clock.step_count() + 1;
  if (array.shape != std::vector<std::int64_t>{states, n, 3}) {
    throw InputError(fmt::format(
        "{}: has shape ({}); expected ({}, {}, 3), the positions of {} vertices at the start and after {} "
        "time steps; repeat a take on the scene that it was made with",
        file.string(), fmt::join(array.shape, ", "), states, n, n, states - 1));
  }
  std::vector<VecX> positions;
  for (std::int64_t k = 0; k < states; ++k) positions.push_back(array.values.segment(3 * n * k, 3 * n));
  return positions;
}

}  // namespace keydrape
