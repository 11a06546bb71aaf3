#include "core/contact/body/level_set/brick_grid.h"

namespace keydrape {

std::vector<Index3> BrickGrid::brick_places() const {
  std::vector<Index3> places(brick_count());
  std::size_t at = 0;
  for (int x = 0; x < size[0]; ++x)
    for (int y = 0; y < size[1]; ++y)
      for (int z = 0; z < size[2]; ++z, ++at)
        if (table[at] >= 0) places[table[at]] = {x, y, z};
  return places;
}

std::size_t BrickGrid::memory_bytes() const {
  return table.size() * sizeof(table[0]) + values.size() * sizeof(values[0]);
}

}  // namespace keydrape
