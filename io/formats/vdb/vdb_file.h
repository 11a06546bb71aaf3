#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/contact/body/level_set/level_set.h"

namespace keydrape {

// A .vdb file, and which of its grids: "body.vdb", or "body.vdb:torso" where no file has that whole name.
struct VdbReference {
  std::filesystem::path path;
  std::optional<std::string> grid;

  // Folders and grids may have colons in their names: the file ends at the first one before which a file
  // stands, and where there is no such file, at the first one behind ".vdb".
  static VdbReference parse(const std::string& text);
};

// By the file's name.
bool is_vdb(const std::filesystem::path& path);

struct VdbOptions {
  double meters_per_unit = 1.0;  // > 0
  double band = 0.02;            // LevelSet::band() that is wanted [m], > 0; it may be wider
};

// Reads and checks a level set (io/formats/vdb/vdb_bricks.h says by what) in a process of its own, so that a
// damaged file ends that process and not this one; vdb_process.h has its limits. A band narrower than wanted
// is widened by fast sweeping (first order). Throws InputError: "path: found; expected; remedy".
std::unique_ptr<const LevelSet> read_vdb(const VdbReference& reference, const VdbOptions& options);

}  // namespace keydrape
