#pragma once

#include "io/cache/mesh_cache.h"

namespace keydrape {

// Writes a cache frame by frame. Files appear under their names whole or not at all: those of a sequence one
// by one, all others at `commit`. Every function throws OutputError, also for a coordinate that the file's
// numbers cannot hold.
class CacheWriter {
 public:
  virtual ~CacheWriter() = default;

  // The next frame, from the header's first one on. Requires positions and fields as the header says,
  // in its space.
  virtual void append(const CacheFrame& frame) = 0;
  // Call once, last, after as many frames as the header says.
  virtual void commit() = 0;
};

}  // namespace keydrape
