#pragma once

#include <memory>

#include "core/base/types.h"

namespace keydrape {

class Exemptions;

// The cloth at one moment. Everything that moves, and nothing else (law 2).
struct State {
  VecX x;  // positions  [m]   (3n)
  VecX v;  // velocities [m/s] (3n)
  // Pairs of the cloth that began the shot through each other or too near, and have not come apart yet
  // (core/contact/pairs/exemptions.h): the step that starts here does without them. Null: none.
  std::shared_ptr<const Exemptions> exempt{};
};

}  // namespace keydrape
