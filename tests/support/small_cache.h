#pragma once

#include <gtest/gtest.h>

#include <string>

#include "io/cache/mesh_cache.h"

namespace keydrape {

// Two triangles over four frames from 1001, with one field of each kind.
inline MeshCache small_cache() {
  MeshCache cache;
  CacheHeader& header = cache.header;
  header.mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  header.mesh.uvs = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  header.mesh.uv_triangles = header.mesh.triangles;
  header.first_frame = 1001;
  header.frame_count = 4;
  header.fields = {{kVelocityField, FieldPlace::kVertex, 3, true},
                   {"miss", FieldPlace::kVertex, 1, false},
                   {"energy_density", FieldPlace::kTriangle, 1, false}};
  for (int f = 0; f < 4; ++f) {
    VecX x(12);
    x << 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0;
    for (int i = 0; i < 12; ++i) x[i] += 0.1 * f * (i % 3 + 1) + 0.01 * i * f;
    cache.frames.push_back(
        {x, {VecX::LinSpaced(12, f, f + 1), VecX::LinSpaced(4, 0, f), VecX::Constant(2, 0.5 * f)}});
  }
  for (int i = 0; i < 4; ++i) header.mesh.positions.emplace_back(cache.frames[0].positions.segment<3>(3 * i));
  return cache;
}

// A text with the first `what` in it replaced, which has to be there.
inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

// As float32 keeps it.
inline VecX rounded(const VecX& values) { return values.cast<float>().cast<double>(); }

}  // namespace keydrape
