#include "core/inspect/energy_density.h"

#include <algorithm>
#include <cassert>

#include "core/energy/element_family.h"
#include "core/energy/hinge_bending.h"
#include "core/energy/quadratic_bending.h"
#include "core/energy/shear.h"
#include "core/energy/stretch.h"

namespace keydrape {

EnergyDensity::EnergyDensity(const Model& model, const std::vector<Triangle>& triangles)
    : model_(model), area_(VecX::Zero(static_cast<Eigen::Index>(triangles.size()))) {
  for (size_t t = 0; t < triangles.size(); ++t) {
    Triangle corners = triangles[t];
    std::sort(corners.begin(), corners.end());
    sorted_.emplace_back(corners, static_cast<int>(t));
  }
  std::sort(sorted_.begin(), sorted_.end());
  for (const auto& energy : model.energies())
    if (const auto* family = dynamic_cast<const ElementFamily<Stretch>*>(energy.get()))
      for (const Stretch& e : family->elements()) area_[find(e.vertices)] = e.rest.area;
  assert((area_.array() > 0.0).all());
}

int EnergyDensity::find(Triangle vertices) const {
  std::sort(vertices.begin(), vertices.end());
  const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{vertices, -1});
  assert(found != sorted_.end() && found->first == vertices);
  return found->second;
}

std::array<int, 2> EnergyDensity::triangles_of(const std::array<int, 3>& v) const { return {find(v), -1}; }

std::array<int, 2> EnergyDensity::triangles_of(const std::array<int, 4>& v) const {
  return {find({v[0], v[1], v[2]}), find({v[0], v[1], v[3]})};  // as in Hinge (topology.h)
}

template <class E>
void EnergyDensity::add(const VecX& x, double time, VecX& energy) const {
  // A step that has not moved yet: what it stores, without what it dissipates.
  const VecX v = VecX::Zero(x.size());
  const StepStart start{1.0, time, x, v};
  for (const auto& any : model_.energies()) {
    const auto* family = dynamic_cast<const ElementFamily<E>*>(any.get());
    if (family == nullptr) continue;
    for (const E& e : family->elements()) {
      const Stencil<E::kVertices> y = gather<E::kVertices>(x, e.vertices);
      const double W = e.value(y, e.start(family->shared(), start, y, Stencil<E::kVertices>::Zero()));
      const auto [first, second] = triangles_of(e.vertices);
      energy[first] += second < 0 ? W : 0.5 * W;
      if (second >= 0) energy[second] += 0.5 * W;
    }
  }
}

VecX EnergyDensity::at(const VecX& x, double time) const {
  VecX energy = VecX::Zero(area_.size());
  add<Stretch>(x, time, energy);
  add<Shear>(x, time, energy);
  add<QuadraticBending>(x, time, energy);
  add<HingeBending>(x, time, energy);
  return energy.cwiseQuotient(area_);
}

}  // namespace keydrape
