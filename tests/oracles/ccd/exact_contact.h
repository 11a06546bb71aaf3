#pragma once

#include <optional>

#include "core/contact/ccd/time_of_impact.h"
#include "tests/oracles/ccd/polynomial.h"

namespace keydrape::test {

enum class PairKind { kVertexFace, kEdgeEdge };

// The first time in [0, 1] at which the two features touch (distance exactly 0), by exact arithmetic on the
// coordinates as the doubles that they are; nothing where they never do. Every degenerate case included: a
// contact in general position is a root of the cubic of coplanarity; where that vanishes for good (motion in
// one plane) the first contact is one of a point with a side, or at the start.
std::optional<RealRoot> first_contact(const StencilMotion& motion, PairKind kind);

}  // namespace keydrape::test
