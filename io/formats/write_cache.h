#pragma once

#include <filesystem>
#include <memory>
#include <vector>

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

// The files that frames of a cache called `path` are written into: a sequence has one a frame, and a .pvd
// those that it lists. Throws InputError for two places of a frame number.
std::vector<std::filesystem::path> written_files(const std::filesystem::path& path, const FrameRange& frames);

// All of it. Throws as open_cache_writer() and its writer.
void write_cache(const std::filesystem::path& path, const MeshCache& cache);

}  // namespace keydrape
