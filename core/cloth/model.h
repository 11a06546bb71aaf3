#pragma once

#include <memory>
#include <vector>

#include "core/base/animated.h"
#include "core/constraint/hard_pin.h"
#include "core/contact/pairs/self_contact.h"
#include "core/energy/energy.h"
#include "core/linear/block_matrix.h"

namespace keydrape {

// Everything that does not move (law 2). Made by `build_model` (cloth.h), or by hand from any energies.
class Model {
 public:
  // mass [kg], one a vertex, each > 0.
  // self_contact: null where the cloth collides with nothing as triangles.
  Model(VecX mass, std::vector<std::unique_ptr<Energy>> energies, std::vector<HardPin> pins,
        Animated<Vec3> gravity, std::unique_ptr<const SelfContact> self_contact = nullptr);

  int vertex_count() const { return static_cast<int>(vertex_mass_.size()); }
  const VecX& vertex_mass() const { return vertex_mass_; }  // [kg] (n)
  const VecX& mass() const { return mass_; }                // the diagonal of M: each mass three times (3n)
  const std::vector<std::unique_ptr<Energy>>& energies() const { return energies_; }
  const std::vector<HardPin>& pins() const { return pins_; }
  const Animated<Vec3>& gravity() const { return gravity_; }               // [m/s^2]
  const SelfContact* self_contact() const { return self_contact_.get(); }  // may be null
  const BlockPattern& pattern() const { return *pattern_; }                // of everything but self-contact

  int condition_count() const { return condition_count_; }
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
  std::unique_ptr<const SelfContact> self_contact_;
  std::unique_ptr<BlockPattern> pattern_;  // on the heap: energies and matrices point to it
  int condition_count_ = 0;
};

}  // namespace keydrape
