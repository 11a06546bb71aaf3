#pragma once

#include <filesystem>
#include <memory>

#include "io/cache/cache_writer.h"

namespace keydrape {

// Writes frames of `header.space` in the format that the path's extension names. What a format has no place
// for is left out (io/FORMATS.md has the table). GLB and .npy have a space of their own (written_space):
// frames are converted on their way. Throws InputError for what cannot be done: triangles are wanted and
// there are none, or several frames and a file for one without a place for the frame number in its name.
std::unique_ptr<CacheWriter> open_cache_writer(const std::filesystem::path& path, const CacheHeader& header);

// The space in which the format of `path` keeps frames of `space`: GLB is in metres and Y up, .npy in metres,
// all others as they come.
Space written_space(const std::filesystem::path& path, const Space& space);

// All of it. Throws as the two above.
void write_cache(const std::filesystem::path& path, const MeshCache& cache);

}  // namespace keydrape
