#pragma once

#include <concepts>

#include "core/energy/element.h"
#include "core/energy/hinge_bending.h"
#include "core/energy/shear.h"
#include "core/energy/spring.h"
#include "core/energy/stretch.h"

namespace keydrape {

// What the matrix of a linearised step contributes to its derivative by the start x (core/EQUATIONS.md (J4)),
// for each element whose P depends on x: d(g(x) + P(x) d)/dx - P, with d the way of the step held and P = H
// with projected tensions. It stands where C stands in a converged step. Exact, where no tension is zero.
// x: positions at the start, d: the way of the step [m]; s: of implicit Euler. [N/m]
StencilHessian<3> linearized_cross_x(const Stretch& e, const Stencil<3>& x, const Stencil<3>& d,
                                     const Stretch::Start& s);
StencilHessian<3> linearized_cross_x(const Shear& e, const Stencil<3>& x, const Stencil<3>& d,
                                     const Shear::Start& s);
StencilHessian<2> linearized_cross_x(const Spring& e, const Stencil<2>& x, const Stencil<2>& d,
                                     const Spring::Start& s);
StencilHessian<4> linearized_cross_x(const HingeBending& e, const Stencil<4>& x, const Stencil<4>& d,
                                     const HingeBending::Start& s);

template <class E>
concept ElementLinearized = Element<E> &&
    requires(const E& e, const Stencil<E::kVertices>& x, const typename E::Start& s) {
  { linearized_cross_x(e, x, x, s) } -> std::same_as<StencilHessian<E::kVertices>>;
};

// Whether a linearised step of such elements has exact derivatives: of a quadratic W the linearised force is
// the force at x + d, and what is known of that serves.
template <class E>
inline constexpr bool kHasLinearizedDerivatives = ElementLinearized<E> || QuadraticElement<E>;

}  // namespace keydrape
