#pragma once

#include "core/contact/pairs/exemptions.h"
#include "core/contact/pairs/intersection.h"
#include "core/contact/pairs/surface_pairs.h"

namespace keydrape {

// The exemptions of cloth that starts at x [m] (3n): the parts that go through each other, and the pairs that
// are as near as their gap, or nearer (X1), (X2). Null where there are none: the cloth is clean.
ExemptionsPointer exemptions_at_start(const SurfacePairs& cloth, const VecX& x);

// What is left of a step's exemptions at its end x [m] (3n), for the next one (X3): `current` itself where
// nothing has changed, null where nothing is left.
ExemptionsPointer exemptions_after(const SurfacePairs& cloth, const ExemptionsPointer& current,
                                   const VecX& x);

}  // namespace keydrape
