#pragma once

#include <memory>
#include <vector>

#include "core/base/animated.h"
#include "core/constraint/hard_pin.h"
#include "core/contact/pairs/surface_pairs.h"
#include "core/contact/points/colliding_cloth.h"
#include "core/contact/simple/touched_body.h"
#include "core/energy/energy.h"
#include "core/linear/block_matrix.h"
#include "core/pass/step_filter.h"

namespace keydrape {

// What the cloth can touch, for those who ask what it does touch: the forces are energies of the model.
struct TouchableBodies {
  std::vector<std::shared_ptr<const CollidingCloth>> volumes;  // by the points of the cloth
  std::shared_ptr<const SurfacePairs> surfaces;                // by its triangles; null: nothing

  bool any() const { return !volumes.empty() || surfaces; }
};

// Everything that does not move (law 2). Made by `build_model` (cloth.h), or by hand from any energies.
class Model {
 public:
  // mass [kg], one a vertex, each > 0. `energies`: those for which couples_what_touches() behind all others.
  // `filters`: in the order in which they look through a step. `resting`: bodies on which linearised steps
  // hold vertices (core/step/resting_step.h).
  Model(VecX mass, std::vector<std::unique_ptr<Energy>> energies, std::vector<HardPin> pins,
        Animated<Vec3> gravity, TouchableBodies touchable = {},
        std::vector<std::unique_ptr<StepFilter>> filters = {}, std::vector<TouchedBody> resting = {});

  int vertex_count() const { return static_cast<int>(vertex_mass_.size()); }
  const VecX& vertex_mass() const { return vertex_mass_; }  // [kg] (n)
  const VecX& mass() const { return mass_; }                // the diagonal of M: each mass three times (3n)
  const std::vector<std::unique_ptr<Energy>>& energies() const { return energies_; }
  const std::vector<HardPin>& pins() const { return pins_; }
  const Animated<Vec3>& gravity() const { return gravity_; }  // [m/s^2]
  const TouchableBodies& touchable() const { return touchable_; }
  const std::vector<std::unique_ptr<StepFilter>>& filters() const { return filters_; }
  const std::vector<TouchedBody>& resting() const { return resting_; }
  // Whether steps are corrected: by filters, or by holding vertices on bodies.
  bool has_passes() const { return !filters_.empty() || !resting_.empty(); }
  const BlockPattern& pattern() const { return *pattern_; }  // of everything but what comes to touch

  // What of a step's exemptions is left at its end y (start_crossings.h).
  ExemptionsPointer exemptions_after(const ExemptionsPointer& current, const VecX& y) const;

  int condition_count() const { return condition_count_; }
  // Whether all energies have them: contact, strain limits, isotropic and coupled cloth have none.
  bool has_linearized_derivatives() const;
  bool is_limited() const;          // some energy is infinite somewhere: a barrier, a strain limit
  bool has_contact() const;         // some energy is contact's, which may be one that is finite
  bool depends_on_start_x() const;  // some energy has C != 0
  bool depends_on_start_v() const;  // some energy has D != 0
  // |M g_0|, the cloth's weight under standard gravity as a norm over vertices: the unit of
  // force tolerances. [N]
  double force_scale() const;

 private:
  VecX vertex_mass_, mass_;
  std::vector<std::unique_ptr<Energy>> energies_;
  std::vector<HardPin> pins_;
  Animated<Vec3> gravity_;
  TouchableBodies touchable_;
  std::vector<std::unique_ptr<StepFilter>> filters_;
  std::vector<TouchedBody> resting_;
  std::unique_ptr<BlockPattern> pattern_;  // on the heap: energies and matrices point to it
  int condition_count_ = 0;
};

}  // namespace keydrape
