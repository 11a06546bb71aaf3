#pragma once

#include <filesystem>
#include <vector>

#include "core/base/types.h"
#include "io/file/file.h"

// PC2 point caches (Blender, 3ds Max, Maya). Little endian:
//   char[12] "POINTCACHE2\0", int32 version = 1, int32 points,
//   float32 start, float32 rate, int32 samples, float32 xyz[samples][points]
// Single precision: a coordinate keeps 24 bits, which is 6e-8 of its size.

namespace keydrape {

struct PointCache {
  int point_count = 0;
  double start = 0.0;         // frame of the first sample
  double rate = 1.0;          // frames from one sample to the next
  std::vector<VecX> samples;  // 3 * point_count each, in the file's unit and axes
};

// Throws InputError: not a PC2 file, no points or samples, a length other than the header promises, a number
// that is not finite (names sample and point).
PointCache read_pc2(const std::filesystem::path& path);

// Writes a cache sample by sample; it appears under its name at `commit`, see AtomicFile.
class Pc2Writer {
 public:
  struct Header {
    int point_count;
    double start = 0.0;  // frame of the first sample
    double rate = 1.0;   // frames from one sample to the next
  };

  // Requires point_count > 0. Throws OutputError.
  Pc2Writer(const std::filesystem::path& path, const Header& header);

  // Requires 3 * point_count coordinates. Throws OutputError; for one that no float32 can hold too.
  void append(const VecX& sample);
  // Call once, last, after one sample or more. Throws OutputError.
  void commit();

  int sample_count() const { return sample_count_; }

 private:
  AtomicFile file_;
  int sample_count_ = 0;
  std::vector<float> buffer_;  // one sample
};

}  // namespace keydrape
