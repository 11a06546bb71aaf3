#pragma once

#include <array>
#include <concepts>

#include "core/energy/energy.h"

namespace keydrape {

// What an element has to offer: one small struct, K vertices, exact derivatives. `Shared` is what all
// elements of a family have in common, `Start` what one element keeps from the start of the step.
// H_psd (law 7) is H with the tensions projected. An element without tensions has nothing to project: its
// exact H has to be positive semidefinite. One whose H can be indefinite is an ElementWithTension.
template <class E>
concept Element = requires(const E& e, const typename E::Shared& shared, const typename E::Start& s,
                           const Stencil<E::kVertices>& y, const StepStart& start,
                           const StartStencil<E::kVertices>& at) {
  { e.vertices } -> std::convertible_to<std::array<int, E::kVertices>>;
  { e.start(shared, start, at) } -> std::same_as<typename E::Start>;
  { e.value(y, s) } -> std::same_as<double>;                          // [J]
  { e.gradient(y, s) } -> std::same_as<Stencil<E::kVertices>>;        // [N]
  { e.hessian(y, s) } -> std::same_as<StencilHessian<E::kVertices>>;  // [N/m], exact
};

// What all elements of a family have in common, in one step.
template <class Shared>
decltype(auto) shared_at_step(const Shared& shared, [[maybe_unused]] const StepStart& start) {
  if constexpr (requires { shared.at_step(start); })
    return shared.at_step(start);
  else
    return (shared);
}

// Elements whose energy is a sum of functions of scalar conditions c(y), W = sum_c w(c), with tension
// sigma = w'(c).
template <class E>
concept ElementWithTension = Element<E> &&
    requires(const E& e, const typename E::Start& s, const Stencil<E::kVertices>& y,
             const std::array<double, E::kConditions>& sigma) {
  { e.tension(y, s) } -> std::same_as<std::array<double, E::kConditions>>;
  {
    // (y, dy, ..): sigma' . dy; or, where that would miss a curve, friction or coupled conditions,
    // w'(c + dc) - w'(c) with dc = c' . dy.
    e.tension_change(y, y, s)
    } -> std::same_as<std::array<double, E::kConditions>>;
  { e.hessian_with_tension(y, s, sigma) } -> std::same_as<StencilHessian<E::kVertices>>;
};

// ... whose tension makes H stiffer when positive and is harmless then; in the others H is positive
// semidefinite at zero tension only.
template <class E>
concept ElementStiffenedByTension = ElementWithTension<E> && E::kTensionStiffens;

// ... and those of one condition that bear some compression, how much at y they say.
template <class E>
concept ElementWithLeastTension = ElementWithTension<E> && E::kConditions == 1 &&
                                  requires(const E& e, const typename E::Start& s,
                                           const Stencil<E::kVertices>& y) {
  { e.least_tension(y, s) } -> std::same_as<double>;
};

// Elements whose W depends on the positions that the step knows: dissipation, wind.
template <class E>
concept ElementWithMemory = Element<E> &&
    requires(const E& e, const typename E::Start& s, const Stencil<E::kVertices>& y,
             const StepScheme::Level& level) {
  { e.depends_on_start() } -> std::same_as<bool>;
  // (y, x, ..): d2W/dy dx by the positions x of this level.
  { e.cross_x(y, y, s, level) } -> std::same_as<StencilHessian<E::kVertices>>;
};

// ... and those whose W depends on the velocities that the step knows: wind.
template <class E>
concept ElementWithVelocityMemory = ElementWithMemory<E> &&
    requires(const E& e, const typename E::Start& s, const Stencil<E::kVertices>& y,
             const StepScheme::Level& level) {
  { e.cross_v(y, s, level) } -> std::same_as<StencilHessian<E::kVertices>>;  // d2W/dy dv of this level
};

// ... and those with a quadratic W.
template <class E>
concept QuadraticElement = Element<E> && E::kConstantHessian;

// ... and those of which a bound on H is known that does not depend on y.
template <class E>
concept ElementWithBound = Element<E> &&
    requires(const E& e, const typename E::Shared& shared, const StiffnessBound& of_step) {
  // H <= this (x) 1, or nearly; of a step as long as, and that ends when, `of_step` says. [N/m]
  { e.stiffness_bound(shared, of_step) } -> std::same_as<Eigen::Matrix<double, E::kVertices, E::kVertices>>;
};

// ... and those whose W is infinite beyond a limit.
template <class E>
concept ElementWithLimit = Element<E> &&
    requires(const E& e, const typename E::Start& s, const Stencil<E::kVertices>& y) {
  { e.is_passed(y, s) } -> std::same_as<bool>;
  { e.free_share(y, y, s) } -> std::same_as<double>;  // (y, dy, ..), from 0 to 1
};

// ... and those whose gradient depends on numbers of the cloth that may be sought.
template <class E>
concept ElementWithParameters = Element<E> &&
    requires(const E& e, const Parameter& p, const typename E::Start& s, const Stencil<E::kVertices>& y) {
  { e.gradient_by(p, y, y, s) } -> std::same_as<ParameterDerivative<E::kVertices>>;  // (.., y, x, ..)
};

// ... and those whose energy is stored in the fabric itself: in its triangles and hinges.
template <class E>
concept FabricElement = Element<E> && E::kInFabric;

}  // namespace keydrape
