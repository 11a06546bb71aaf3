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

// name.pvd, and beside it the folder name_vtp with name.####.vtp.
std::unique_ptr<CacheWriter> open_pvd_writer(const std::filesystem::path& path, const CacheHeader& header);

}  // namespace keydrape
