#pragma once

#include <filesystem>
#include <map>

#include "io/scene/scene.h"

namespace keydrape {

// What forward runs take, as far as a scene tells it before it runs.
class ForwardMemory {
 public:
  // About, at its peak [GB]; measured: io/measurements/farm.md. Opens the rest mesh, each once. Throws
  // InputError where that cannot be cloth.
  double of(const Scene& scene);

 private:
  std::map<std::filesystem::path, int> vertex_counts_;
};

}  // namespace keydrape
