#pragma once

#include <span>
#include <vector>

#include "core/cloth/model.h"

namespace keydrape {

// Where the cloth stores its elastic energy: stretch, shear and bending by triangle, over the triangle's area
// at rest. A hinge belongs to its two triangles by halves; springs and soft pins are no part of it: in cloth
// that is made of springs (ClothModel::kSprings) nothing is stored by triangle.
class EnergyDensity {
 public:
  // Requires a model made by build_model from a mesh of these triangles; both outlive this.
  EnergyDensity(const Model& model, const std::vector<Triangle>& triangles);

  // [J/m^2] of each triangle, at positions x (3n) [m]; `time` [s] matters where the cloth grows.
  VecX at(const VecX& x, double time) const;

 private:
  // The triangles that share the energy of an element, -1: none.
  std::array<int, 2> triangles_of(std::span<const int> vertices) const;
  int find(Triangle vertices) const;

  const Model& model_;
  std::vector<std::pair<Triangle, int>> sorted_;  // corners ascending, ascending; number of the triangle
};

}  // namespace keydrape
