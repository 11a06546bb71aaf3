#pragma once

#include "core/contact/distance/stencil_distance.h"

namespace keydrape {

// The distance of two edges (vertices: both ends of the one, then of the other). The nearest points may lie
// within both edges, or one of them at an end. D has a kink where edges are parallel, which the mollifier of
// edge_edge_mollifier.h smooths. Edges whose directions differ by less than 1e-10, or that have no length,
// count as parallel: their distance is attained at an end.
StencilDistance edge_edge_distance(const Stencil<4>& x);
// D alone, in a small part of the time; d differs by rounding, of up to 1e-10 of the edges' lengths. [m^2]
double edge_edge_squared_distance(const Stencil<4>& x);

}  // namespace keydrape
