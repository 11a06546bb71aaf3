#include "io/take/recorded_forces.h"

#include <fmt/format.h>

#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "io/formats/npy.h"
#include "io/take/take_files.h"

namespace keydrape {

RecordedForces::RecordedForces(const std::filesystem::path& path, const ShotClock& clock, int vertex_count) {
  NpyArray array = read_npy(path);
  const std::int64_t n = vertex_count, frames = clock.frames.count(), steps = clock.step_count();
  const bool by_frame = array.shape == std::vector<std::int64_t>{frames, n, 3};
  const bool by_step = array.shape == std::vector<std::int64_t>{steps, n, 3};
  if (!by_frame && !by_step) {
    throw InputError(
        fmt::format("{}: has shape ({}); expected ({}, {}, 3), one force for each frame and vertex, or "
                    "({}, {}, 3), for each time step; replay forces on the scene that they were solved for",
                    path.string(), fmt::join(array.shape, ", "), frames, n, steps, n));
  }
  values_ = std::move(array.values);
  // Two frames of two steps have as many of either.
  const bool is_of_steps = by_step && (!by_frame || path.filename() == kForcesOfStepsFile);
  steps_in_entry_ = is_of_steps ? 1 : clock.substeps;
}

void RecordedForces::force(int step, VecX& u) const {
  const Eigen::Index entry = step / steps_in_entry_;
  assert((entry + 1) * u.size() <= values_.size());
  u = values_.segment(entry * u.size(), u.size());
}

void refuse_positions(const RecordedForces& forces, const VecX& start, std::string_view where) {
  // Far more than two runs of one scene differ by, and far less than forces differ from a cloth's shape.
  constexpr double kAlike = 1e-2;
  VecX first(start.size());
  forces.force(0, first);
  if ((first - start).norm() > kAlike * start.norm()) return;
  throw InputError(fmt::format(
      "{}: holds positions: its first frame is the cloth at the shot's first frame; expected forces "
      "[N], as {} beside it, which keydrape solve writes",
      where, kForcesFile));
}

VecX mean_force(const ForceSchedule& forces, const ShotClock& clock, int vertex_count, int f) {
  const int substeps = clock.substeps, begin = f * substeps;
  VecX mean = VecX::Zero(3 * Eigen::Index{vertex_count});
  if (begin >= clock.step_count()) return mean;
  VecX first(mean.size()), u(mean.size());
  forces.force(begin, first);
  // The mean of the differences: exact where the force is held over the frame.
  for (int n = begin + 1; n < begin + substeps; ++n) {
    forces.force(n, u);
    mean += u - first;
  }
  return first + mean / substeps;
}

std::filesystem::path exact_forces(const std::filesystem::path& forces, const ShotClock& clock,
                                   int vertex_count) {
  std::filesystem::path of_steps = forces.parent_path() / kForcesOfStepsFile;
  if (forces.filename() != kForcesFile || !std::filesystem::exists(of_steps)) return forces;
  const RecordedForces means(forces, clock, vertex_count), steps(of_steps, clock, vertex_count);
  for (int f = 0; f < clock.frames.count(); ++f)
    if (mean_force(steps, clock, vertex_count, f) != mean_force(means, clock, vertex_count, f)) return forces;
  return of_steps;
}

}  // namespace keydrape
