#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "io/file/file.h"

// NumPy arrays (.npy): written as version 1.0, float64, little endian, C order; read also as float32 and
// versions 2 and 3. One to three dimensions.

namespace keydrape {

struct NpyArray {
  std::vector<std::int64_t> shape;
  VecX values;  // C order: the last index runs fastest
};

// Throws InputError: not such a file, another element type or order, a length other than the header promises,
// a value that is not finite.
NpyArray read_npy(const std::filesystem::path& path);

// Requires one to three dimensions and as many values as `shape` says. Throws OutputError.
void write_npy(const std::filesystem::path& path, const NpyArray& array);

// Writes an array along its first dimension, frame by frame; it appears under its name at
// `commit`, see AtomicFile.
class NpyWriter {
 public:
  // `frame_shape`: the dimensions behind the first one, at most two; {n, 3} makes an array (frames, n,
  // 3). Throws OutputError.
  NpyWriter(const std::filesystem::path& path, std::vector<std::int64_t> frame_shape);

  // One frame or several. Requires as many values as `frame_shape` says for each, in C order: x0 y0 z0 x1 ...
  // for {n, 3}. Values that are not finite are refused. Throws OutputError.
  void append(const VecX& frames);
  // Call once, last. Throws OutputError.
  void commit();

  std::int64_t frame_count() const { return frame_count_; }

 private:
  std::string header() const;

  AtomicFile file_;
  std::vector<std::int64_t> frame_shape_;
  std::int64_t frame_count_ = 0;
};

}  // namespace keydrape
