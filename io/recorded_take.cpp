#include "io/recorded_take.h"

#include <fmt/format.h>

#include "core/error.h"
#include "io/npy.h"
#include "io/run_folder.h"

namespace keydrape {

std::filesystem::path forces_of_take(const std::filesystem::path& folder) {
  for (const char* name : {"forces_steps.npy", "forces.npy"})
    if (std::filesystem::exists(folder / name)) return folder / name;
  return {};
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
  const std::int64_t n = shot.rest.vertex_count(), states = shot.clock.step_count() + 1;
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
