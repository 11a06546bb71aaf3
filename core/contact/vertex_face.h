#pragma once

#include <array>

#include "core/contact/barrier.h"
#include "core/types.h"

namespace keydrape {

// Contact of a vertex with a face as an energy:
//   W(x) = k b(D(x))      with D of vertex_face_distance.h, b of barrier.h (G8)
// Requires d > xi wherever a derivative is asked for (continuous collision detection keeps it so).
struct VertexFaceContact {
  std::array<int, 4> vertices;  // the vertex, then the face's three
  double k;                     // [J]   stiffness kappa [J/m^2] times the area that the pair stands for

  double value(const Stencil<4>& x, const Barrier& barrier) const;               // [J], infinity for d <= xi
  Stencil<4> gradient(const Stencil<4>& x, const Barrier& barrier) const;        // [N]
  StencilHessian<4> hessian(const Stencil<4>& x, const Barrier& barrier) const;  // [N/m], exact
  // Positive semidefinite and not below the exact one: for Newton only.
  StencilHessian<4> hessian_psd(const Stencil<4>& x, const Barrier& barrier) const;
};

}  // namespace keydrape
