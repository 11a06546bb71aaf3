#pragma once

#include <filesystem>
#include <memory>

#include "io/cache/cache_writer.h"

// VTK's XML files for ParaView: .vtp holds one frame with its fields as point and cell data (appended, raw,
// little endian, single precision), .pvd lists the .vtp files of a sequence with the frame numbers as times.

namespace keydrape {

// Throws OutputError.
void write_vtp(const std::filesystem::path& path, const CacheHeader& header, const CacheFrame& frame,
               int frame_number);

// Of a name.pvd the file of one frame: name_vtp/name.####.vtp beside it.
std::filesystem::path vtp_of_pvd(const std::filesystem::path& path, int frame);
// name.pvd and its frames.
std::unique_ptr<CacheWriter> open_pvd_writer(const std::filesystem::path& path, const CacheHeader& header);

}  // namespace keydrape
