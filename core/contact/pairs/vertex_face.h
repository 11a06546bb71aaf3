#pragma once

#include <array>

#include "core/base/types.h"
#include "core/contact/barrier.h"
#include "core/contact/distance/stencil_distance.h"

namespace keydrape {

// Contact of a vertex with a face as an energy:
//   W(x) = k b(D(x))      with D of vertex_face_distance.h, b of barrier.h (G8)
// Everything takes the positions x and the distance there, which is made once for all of it. Requires d > xi
// wherever a derivative is asked for (continuous collision detection keeps it so).
struct VertexFaceContact {
  std::array<int, 4> vertices;  // the vertex, then the face's three
  double k;                     // [J]   stiffness kappa [J/m^2] times the area that the pair stands for
  double xi = 0.0;              // [m]   smallest gap: that of its law, or less (X2); of its barrier

  // [J], infinity for d <= xi
  double value(const Stencil<4>& x, const StencilDistance& distance, const Barrier& barrier) const;
  // [N]
  Stencil<4> gradient(const Stencil<4>& x, const StencilDistance& distance, const Barrier& barrier) const;
  // [N/m], exact
  StencilHessian<4> hessian(const Stencil<4>& x, const StencilDistance& distance,
                            const Barrier& barrier) const;
  // Positive semidefinite and not below the exact one: for Newton only.
  StencilHessian<4> hessian_psd(const Stencil<4>& x, const StencilDistance& distance,
                                const Barrier& barrier) const;
};

}  // namespace keydrape
