#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "core/contact/distance/edge_edge_distance.h"
#include "core/contact/distance/vertex_face_distance.h"
#include "core/contact/pairs/box_tree.h"
#include "core/contact/pairs/edge_edge.h"
#include "core/contact/pairs/vertex_face.h"

namespace keydrape {

// The positions of a pair's vertices, from those of all (3n).
inline Stencil<4> gather(const VecX& x, const std::array<int, 4>& vertices) {
  Stencil<4> s;
  for (int a = 0; a < 4; ++a) s.col(a) = x.segment<3>(3 * vertices[a]);
  return s;
}

// The boxes around edges or triangles.
template <class Feature>
std::vector<Box> boxes_of(const std::vector<Feature>& features, const VecX& x) {
  std::vector<Box> boxes(features.size());
  for (size_t i = 0; i < features.size(); ++i)
    for (const int v : features[i]) boxes[i].add({x.segment<3>(3 * v), x.segment<3>(3 * v)});
  return boxes;
}

// The longest way of any vertex, from place `begin` of dx on.
inline double longest_way(const VecX& dx, Eigen::Index begin = 0) {
  double longest = 0.0;
  for (Eigen::Index i = begin; i < dx.size(); i += 3) longest = std::max(longest, dx.segment<3>(i).norm());
  return longest;
}

inline StencilDistance distance_of(const VertexFaceContact&, const Stencil<4>& x) {
  return vertex_face_distance(x);
}
inline StencilDistance distance_of(const EdgeEdgeContact&, const Stencil<4>& x) {
  return edge_edge_distance(x);
}

// D alone, but for rounding. [m^2]
inline double squared_distance_of(const VertexFaceContact&, const Stencil<4>& x) {
  return vertex_face_squared_distance(x);
}
inline double squared_distance_of(const EdgeEdgeContact&, const Stencil<4>& x) {
  return edge_edge_squared_distance(x);
}

}  // namespace keydrape
