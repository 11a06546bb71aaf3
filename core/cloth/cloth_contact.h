#pragma once

#include <memory>
#include <vector>

#include "core/cloth/cloth.h"
#include "core/contact/points/colliding_cloth.h"
#include "core/contact/simple/touched_body.h"

namespace keydrape {

// What holds cloth off bodies and itself, by the method of the description.
struct ClothContact {
  std::vector<std::unique_ptr<Energy>> energies;
  std::unique_ptr<StepFilter> filter;  // null: none
  std::vector<TouchedBody> resting;    // bodies that a step holds vertices on: Model::resting()
  TouchableBodies touchable;
};
ClothContact make_contact(const ClothDescription& cloth);

// In the order of the pins, of which the first holds where several do.
std::vector<HeldVertex> held_by_pins(const ClothDescription& cloth);

}  // namespace keydrape
