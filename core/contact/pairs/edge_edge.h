#pragma once

#include <array>

#include "core/base/types.h"
#include "core/contact/barrier.h"
#include "core/contact/distance/edge_edge_mollifier.h"
#include "core/contact/distance/stencil_distance.h"

namespace keydrape {

// Contact of two edges as an energy:
//   W(x) = k m(x) b(D(x)) ,  m of edge_edge_mollifier.h, D of edge_edge_distance.h, b of barrier.h  (G8)
// As for VertexFaceContact, everything takes the distance at x. Requires d > xi wherever a derivative
// is asked for.
struct EdgeEdgeContact {
  std::array<int, 4> vertices;  // both ends of the one edge, then of the other
  double k;                     // [J]   stiffness kappa [J/m^2] times the area that the pair stands for
  EdgeEdgeMollifier mollifier;
  double xi = 0.0;  // [m]   smallest gap: that of its law, or less (X2); of its barrier

  // [J], infinity for d <= xi
  double value(const Stencil<4>& x, const StencilDistance& distance, const Barrier& barrier) const;
  // [N]
  Stencil<4> gradient(const Stencil<4>& x, const StencilDistance& distance, const Barrier& barrier) const;
  // [N/m], exact
  StencilHessian<4> hessian(const Stencil<4>& x, const StencilDistance& distance,
                            const Barrier& barrier) const;
  // Positive semidefinite: as for a vertex and a face where the edges are not nearly parallel, else the
  // nearest matrix in the Frobenius norm. For Newton only.
  StencilHessian<4> hessian_psd(const Stencil<4>& x, const StencilDistance& distance,
                                const Barrier& barrier) const;
};

}  // namespace keydrape
