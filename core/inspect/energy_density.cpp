#include "core/inspect/energy_density.h"

#include <algorithm>
#include <cassert>

namespace keydrape {

EnergyDensity::EnergyDensity(const Model& model, const std::vector<Triangle>& triangles) : model_(model) {
  for (size_t t = 0; t < triangles.size(); ++t) {
    Triangle corners = triangles[t];
    std::sort(corners.begin(), corners.end());
    sorted_.emplace_back(corners, static_cast<int>(t));
  }
  std::sort(sorted_.begin(), sorted_.end());
}

int EnergyDensity::find(Triangle vertices) const {
  std::sort(vertices.begin(), vertices.end());
  const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{vertices, -1});
  assert(found != sorted_.end() && found->first == vertices);
  return found->second;
}

std::array<int, 2> EnergyDensity::triangles_of(std::span<const int> v) const {
  if (v.size() == 3) return {find({v[0], v[1], v[2]}), -1};
  assert(v.size() == 4);
  return {find({v[0], v[1], v[2]}), find({v[0], v[1], v[3]})};  // as in Hinge (topology.h)
}

VecX EnergyDensity::at(const VecX& x, double time) const {
  VecX energy = VecX::Zero(static_cast<Eigen::Index>(sorted_.size())), area = energy;
  const auto add = [&](const StoredEnergy& stored) {
    const auto [first, second] = triangles_of(stored.vertices);
    if (second < 0) {
      energy[first] += stored.energy;
      area[first] = stored.area;
    } else {
      energy[first] += 0.5 * stored.energy;
      energy[second] += 0.5 * stored.energy;
    }
  };
  for (const auto& any : model_.energies()) any->for_each_stored(x, time, add);
  return (area.array() > 0.0).select(energy.cwiseQuotient(area), 0.0);
}

}  // namespace keydrape
