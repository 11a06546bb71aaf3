#pragma once

#include <filesystem>
#include <stdexcept>

#include "core/mesh/mesh.h"
#include "examples/generator/shape_check.h"

namespace keydrape::examples {

// A sculpted keyframe that the cloth cannot take on.
class BadShape : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Writes an OBJ file whose numbers are whole numbers of 1e-7 m: short, and alike whatever the compiler.
void write_rounded(const std::filesystem::path& path, TriangleMesh mesh);

// Writes a keyframe, without texture coordinates: it has no use for them. Prints what it measures, and throws
// BadShape for one that stretches the cloth by more than 1 %, crosses itself or leaves the pins.
void write_keyframe(const std::filesystem::path& path, const SculptedShape& sculpted);

}  // namespace keydrape::examples
