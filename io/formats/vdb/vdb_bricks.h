#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/contact/body/level_set/brick_grid.h"

namespace keydrape {

struct VdbRequest {
  std::optional<std::string> grid;  // its name; empty: the file's only grid
  double meters_per_unit = 1.0;     // > 0
  double band = 0.02;               // that a LevelSet of the result shall have at least [m], > 0
};

// The distances of a level set in a .vdb file, checked by all that a file without checksums allows:
// - complete: the offsets of its grids lie in the file, the last one ends where the file does, and reading a
//   grid ends where its offsets say; voxel count and bounding box are those that its writer noted;
// - a level set: a float grid of that class, without active tiles;
// - sane: uniform scale along the axes, forward and inverse transform agree, voxels of 1e-6 to 1e3 m;
// - distances: finite, within the band, neighbours at most 1.5 voxels apart, |gradient| near 1 on average, a
//   sign that changes only across the surface, outside all round.
// A band narrower than asked for is widened by fast sweeping. Values at half_width are signs only
// (fill_beyond_band). Throws InputError with "found; expected; remedy", without the file's name. OpenVDB's
// reader trusts what it reads: call this in a process of its own (read_vdb does).
BrickGrid read_vdb_bricks(const std::filesystem::path& path, const VdbRequest& request);

}  // namespace keydrape
