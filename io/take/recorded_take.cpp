#include "io/take/recorded_take.h"

#include <fmt/format.h>

#include <cstdint>

#include "core/base/error.h"
#include "io/formats/npy.h"
#include "io/take/take_files.h"

namespace keydrape {

std::vector<VecX> read_take_positions(const std::filesystem::path& folder, const ShotClock& clock,
                                      int vertex_count) {
  const std::filesystem::path file = folder / kStepsFile;
  if (!std::filesystem::exists(file)) {
    throw InputError(fmt::format(
        "{}: is missing; expected a run's positions after every time step; solve writes them, and "
        "simulate with every_step = true in [output]",
        file.string()));
  }
  const NpyArray array = read_npy(file);
  const std::int64_t n = vertex_count, states = clock.step_count() + 1;
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
