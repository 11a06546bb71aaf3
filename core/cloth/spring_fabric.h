#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/cloth/cloth.h"
#include "core/energy/membrane.h"
#include "core/energy/spring.h"

namespace keydrape {

// The springs that cloth of ClothModel::kSprings is made of (core/step/EQUATIONS.md (M1) to (M3)).
struct SpringFabric {
  std::vector<Spring> along_edges;
  std::vector<Spring> across_hinges;              // none where nothing bends, nor in a fold shut at rest
  std::shared_ptr<const ConditionCurve> bending;  // of those across hinges
};
// Of the mesh at rest: `triangles` as many as it has. Throws InputError for what springs cannot have.
SpringFabric spring_fabric(const ClothDescription& cloth, const Topology& topology, const RestShape& rest,
                           const std::vector<RestTriangle>& triangles);

// The first of the fabric's springs whose ends are in one place at positions x [m] (3n): it pushes, and has
// no direction to push along. None in a sheet. Throws as build_model.
std::optional<Edge> spring_without_direction(const ClothDescription& cloth, const VecX& x);

}  // namespace keydrape
