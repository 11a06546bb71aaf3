#pragma once

#include <cassert>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/energy/family/element_family.h"
#include "tests/support/energy_case.h"

// An element of a known type as an AnyElement.

namespace keydrape::test {

// What p moved by d does to an element and to what it shares.
template <Element E>
using Move = void (*)(const Parameter& p, const VecX& d, E& element, typename E::Shared& shared);

template <Element E>
class ElementOf final : public AnyElement {
  static constexpr int K = E::kVertices;

 public:
  ElementOf(E element, typename E::Shared shared, Move<E> move)
      : element_(std::move(element)), shared_(std::move(shared)), move_(move) {}

  double value(const VecX& y, const Known& known) const override {
    return element_.value(stencil(y), start(known));
  }
  VecX gradient(const VecX& y, const Known& known) const override {
    return element_.gradient(stencil(y), start(known)).reshaped();
  }
  Eigen::MatrixXd hessian(const VecX& y, const Known& known) const override {
    return element_.hessian(stencil(y), start(known));
  }
  std::unique_ptr<Energy> family() const override {
    return std::make_unique<ElementFamily<E>>("energy", std::vector<E>{element_}, shared_);
  }

  bool has_tension() const override { return ElementWithTension<E>; }
  std::vector<double> tension(const VecX& y, const Known& known) const override {
    if constexpr (ElementWithTension<E>) return vector(element_.tension(stencil(y), start(known)));
    throw unknown();
  }
  std::vector<double> tension_change(const VecX& y, const VecX& dy, const Known& known) const override {
    if constexpr (ElementWithTension<E>)
      return vector(element_.tension_change(stencil(y), stencil(dy), start(known)));
    throw unknown();
  }
  Eigen::MatrixXd hessian_with_tension(const VecX& y, const Known& known,
                                       const std::vector<double>& sigma) const override {
    if constexpr (ElementWithTension<E>) {
      std::array<double, E::kConditions> tension;
      assert(sigma.size() == E::kConditions);
      std::copy(sigma.begin(), sigma.end(), tension.begin());
      return element_.hessian_with_tension(stencil(y), start(known), tension);
    }
    throw unknown();
  }

  bool has_memory() const override { return ElementWithMemory<E>; }
  bool depends_on_start() const override {
    if constexpr (ElementWithMemory<E>) return element_.depends_on_start();
    throw unknown();
  }
  bool has_velocity_memory() const override { return ElementWithVelocityMemory<E>; }
  Eigen::MatrixXd cross_x(const VecX& y, const Known& known, KnownState by) const override {
    if constexpr (ElementWithMemory<E>) {
      const VecX& x = by == KnownState::kStart ? known.x : known.x_before;
      return element_.cross_x(stencil(y), stencil(x), start(known), level(known, by));
    }
    throw unknown();
  }
  Eigen::MatrixXd cross_v(const VecX& y, const Known& known, KnownState by) const override {
    if constexpr (ElementWithVelocityMemory<E>)
      return element_.cross_v(stencil(y), start(known), level(known, by));
    throw unknown();
  }

  bool is_linearized() const override { return ElementLinearized<E>; }
  bool is_coupled() const override {
    if constexpr (requires(const E& e) { e.is_coupled(); }) return element_.is_coupled();
    return false;
  }
  Eigen::MatrixXd linearized_cross_x(const Known& known, const VecX& d) const override {
    if constexpr (ElementLinearized<E>)
      return keydrape::linearized_cross_x(element_, stencil(known.x), stencil(d), start(known));
    throw unknown();
  }

  bool has_parameters() const override { return ElementWithParameters<E>; }
  Eigen::MatrixXd gradient_by(const Parameter& p, const VecX& y, const Known& known) const override {
    if constexpr (ElementWithParameters<E>)
      return element_.gradient_by(p, stencil(y), stencil(known.x), start(known));
    throw unknown();
  }
  std::unique_ptr<const AnyElement> moved(const Parameter& p, const VecX& d) const override {
    auto moved = std::make_unique<ElementOf>(*this);
    if (!move_) throw unknown();
    move_(p, d, moved->element_, moved->shared_);
    return moved;
  }

 private:
  static std::logic_error unknown() { return std::logic_error("an element of this type does not have that"); }

  static Stencil<K> stencil(const VecX& y) {
    assert(y.size() == 3 * K);
    return y.reshaped(3, K);
  }
  static std::vector<double> vector(const auto& values) { return {values.begin(), values.end()}; }
  static StepScheme::Level level(const Known& known, KnownState by) {
    const StepScheme scheme = step_scheme(kDt, known.has_before());
    return by == KnownState::kStart ? scheme.start : scheme.before;
  }

  // What the element keeps from the start of the step.
  typename E::Start start(const Known& known) const {
    const VecX none;
    StepStart step{kDt, kTime, none, none};
    StartStencil<K> at{stencil(known.x), stencil(known.v)};
    if (known.has_before()) {
      step.x_before = step.v_before = &none;
      at.x_before = stencil(known.x_before);
      at.v_before = stencil(known.v_before);
    }
    return element_.start(shared_at_step(shared_, step), step, at);
  }

  E element_;
  typename E::Shared shared_;
  Move<E> move_;  // null: it has no parameters
};

}  // namespace keydrape::test
