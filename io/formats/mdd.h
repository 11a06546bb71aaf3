#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/types.h"
#include "io/cache/cache_writer.h"
#include "io/cache/frame_range.h"

// MDD point caches (LightWave; Houdini's and Blender's own route). Big endian:
//   int32 frames, int32 points, float32 seconds[frames], float32 xyz[frames][points]

namespace keydrape {

struct FrameTimes {
  double fps;
  int first_frame;
};

struct MddCache {
  int point_count = 0;
  std::vector<double> seconds;  // of each sample, ascending
  std::vector<VecX> samples;    // 3 * point_count each, in the file's unit and axes

  // The frame rate that the times say; none for one sample. Of the rates that single precision leaves open it
  // is the first at which the times are those of whole frames, of: `expected`, a whole one, a broadcast one
  // (24000/1001, and as people write it, 23.976), one of two or three decimals. Where they are at none of
  // them, a whole or a broadcast one.
  std::optional<double> fps(std::optional<double> expected = {}) const;
  // The frame of the first sample at that rate; none where the times begin with 0 or between frames: then
  // they say nothing about frames.
  std::optional<int> first_frame(double fps) const;
  // Both, and `expected` for what the times do not say.
  FrameTimes frame_times(const FrameTimes& expected) const;
};

// The times of frames as a file holds them, in single precision.
std::vector<double> mdd_seconds(const FrameRange& frames, double fps);

// Throws InputError: no points or samples, a length other than the header promises, times that do not ascend
// in equal steps, a number that is not finite (names sample and point).
MddCache read_mdd(const std::filesystem::path& path);

// Times are frame / fps (mdd_seconds).
std::unique_ptr<CacheWriter> open_mdd_writer(const std::filesystem::path& path, const CacheHeader& header);

}  // namespace keydrape
