#pragma once

#include "core/cloth/cloth.h"
#include "core/step/drape.h"
#include "core/step/simulator.h"

// Where cloth may begin.

namespace keydrape::python {

// Throws InputError where cloth at positions x [m] (3n) is in a body, through itself or nearer than its
// thickness, or stretched beyond its limit, with the first place and what to do.
void refuse_start(const ClothDescription& cloth, const VecX& x);

// How it comes to rest before a shot of such steps.
DrapeOptions drape_options(const SimulatorOptions& options);
// Where it comes to rest from there. To be called without the GIL; looks for Ctrl-C after every round. Throws
// InputError where it does not come to rest. `how`: its longest round becomes that which cloth much like this
// one may take.
VecX draped(const ClothDescription& cloth, const VecX& x, DrapeOptions& how);

}  // namespace keydrape::python
