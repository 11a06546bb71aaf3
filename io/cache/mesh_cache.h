#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/mesh/mesh.h"
#include "io/cache/frame_range.h"
#include "io/cache/up_axis.h"

// A moving mesh in memory: what every cache format is read into and written from.

namespace keydrape {

// The unit and the axes in which coordinates are given.
struct Space {
  double meters_per_unit = 1.0;  // [m], > 0
  UpAxis up_axis = UpAxis::kY;

  bool operator==(const Space&) const = default;
};

enum class FieldPlace { kVertex, kTriangle };

// Numbers that go with the vertices or triangles.
struct FieldHeader {
  std::string name;  // a letter or '_', then letters, digits and '_'
  FieldPlace place = FieldPlace::kVertex;
  int components = 1;  // 1, or 3: a vector, which turns with the axes
  // In the positions' unit, or that per second: changes with it. false: SI, whatever the unit.
  bool in_space_unit = false;

  bool operator==(const FieldHeader&) const = default;
};

// Names that all formats and other programs take as they are: a letter or '_', then those and digits.
bool is_field_name(std::string_view name);

// The name that USDA knows as `velocities`: one vector a vertex, in the positions' unit per second.
inline constexpr const char* kVelocityField = "velocity";
// A field of that name that is something else is one like any other.
inline bool is_velocity(const FieldHeader& field) {
  return field.name == kVelocityField && field.components == 3 && field.place == FieldPlace::kVertex;
}

// What a cache says apart from its frames.
struct CacheHeader {
  // Positions: of the first frame, or of a rest pose. Without triangles the cache is of points alone.
  TriangleMesh mesh;
  int first_frame = 1;
  int frame_count = 1;  // one sample a frame
  double fps = 24.0;    // [frames/s], > 0
  Space space;
  std::vector<FieldHeader> fields;

  int vertex_count() const { return mesh.vertex_count(); }
  FrameRange frames() const { return {first_frame, first_frame + frame_count - 1}; }
  // Numbers that a frame has in this field.
  Eigen::Index value_count(const FieldHeader& field) const {
    return Eigen::Index{field.components} *
           (field.place == FieldPlace::kVertex ? mesh.vertex_count() : mesh.triangle_count());
  }
};

struct CacheFrame {
  VecX positions;            // 3n
  std::vector<VecX> fields;  // in the header's order, value_count() finite numbers each
};

struct MeshCache {
  CacheHeader header;
  std::vector<CacheFrame> frames;  // header.frame_count

  const CacheFrame& at(int frame) const {
    return frames[static_cast<std::size_t>(frame - header.first_frame)];
  }
};

// In another unit and with other axes: positions and fields that depend on the unit are scaled, vectors are
// turned by a quarter about x.
void change_space(MeshCache& cache, const Space& space);

// Keeps these frames only. Requires that the cache has them.
void keep_frames(MeshCache& cache, const FrameRange& frames);

}  // namespace keydrape
