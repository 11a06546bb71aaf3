#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/types.h"
#include "io/cache/cache_writer.h"

// MDD point caches (LightWave; Houdini's and Blender's own route). Big endian:
//   int32 frames, int32 points, float32 seconds[frames], float32 xyz[frames][points]

namespace keydrape {

struct MddCache {
  int point_count = 0;
  std::vector<double> seconds;  // of each sample, ascending
  std::vector<VecX> samples;    // 3 * point_count each, in the file's unit and axes

  // The frame rate that the times say, a whole or a broadcast one (23.976) where single precision cannot
  // tell; none for one sample.
  std::optional<double> fps() const;
  // The frame of the first sample at that rate; none where the times begin with 0 or between frames: then
  // they say nothing about frames.
  std::optional<int> first_frame(double fps) const;
};

// Throws InputError: no points or samples, a length other than the header promises, times that do not ascend
// in equal steps, a number that is not finite (names sample and point).
MddCache read_mdd(const std::filesystem::path& path);

// Times are frame / fps.
std::unique_ptr<CacheWriter> open_mdd_writer(const std::filesystem::path& path, const CacheHeader& header);

}  // namespace keydrape
