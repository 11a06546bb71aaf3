#pragma once

#include "core/contact/distance/stencil_distance.h"

namespace keydrape {

// The distance of a vertex from a face (vertices: the vertex, then the face's three). The nearest point may
// lie within the face, on one of its sides or at one of its corners; D is continuously differentiable across
// these cases, its Hessian jumps. A face without area counts as its three sides.
StencilDistance vertex_face_distance(const Stencil<4>& x);
// D alone, in a small part of the time, but for rounding. [m^2]
double vertex_face_squared_distance(const Stencil<4>& x);

}  // namespace keydrape
