#pragma once

#include <Eigen/Geometry>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "io/formats/vdb/vdb_file.h"

namespace keydrape {

// A grid of a .vdb file. Lengths in the file's unit.
struct VdbGridInfo {
  // What has been read of it; of a damaged grid, name and type may be all.
  struct Contents {
    std::string grid_class;      // "level set", "fog volume", "unknown", ...
    Vec3 voxel;                  // along each axis
    std::optional<double> band;  // half width, of a float level set
    std::int64_t active_voxels;
    std::optional<Eigen::AlignedBox3d> bounding_box;  // of the active voxels; none: there are none
    std::int64_t memory_bytes;
  };

  std::string name;  // as it is chosen by
  std::string type;  // "Tree_float_5_4_3"
  std::optional<Contents> contents;
  std::string defect;  // why read_vdb refuses it, without the file's name; empty: it is a body as it is
};

// The grids of a file, or the one that is named, each read in a process of its own: a damaged one ends that
// process and is said to. Each takes what vdb_limits() says at most, and all together kVdbInfoShare times
// that. Throws InputError: "path: found; expected; remedy" where not even the list of grids can be read.
inline constexpr double kVdbInfoShare = 3;
std::vector<VdbGridInfo> read_vdb_info(const VdbReference& reference);

}  // namespace keydrape
