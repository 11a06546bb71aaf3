#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/energy/family/element_step.h"

namespace keydrape {

// An Energy made of elements of one type.
template <Element E>
class ElementFamily final : public Energy {
 public:
  static constexpr int K = E::kVertices;

  ElementFamily(std::string name, const std::vector<E>& elements, typename E::Shared shared)
      : name_(std::move(name)), set_(elements), shared_(std::move(shared)) {}

  std::string_view name() const override { return name_; }
  const std::vector<E>& elements() const { return set_.elements(); }

  // What remembers velocities is driven from outside, and so is a load.
  bool is_elastic() const override {
    if constexpr (requires { E::kIsLoad; }) return false;
    return !ElementWithVelocityMemory<E>;
  }

  int condition_count() const override {
    if constexpr (ElementWithTension<E>) return E::kConditions * set_.size();
    return 0;
  }

  bool depends_on_start_x() const override {
    if constexpr (ElementWithMemory<E>)
      return std::any_of(elements().begin(), elements().end(),
                         [](const E& e) { return e.depends_on_start(); });
    return false;
  }

  bool depends_on_start_v() const override {
    if constexpr (ElementWithVelocityMemory<E>) return depends_on_start_x();
    return false;
  }

  bool has_linearized_derivatives() const override {
    if constexpr (requires(const E& e) { e.is_coupled(); })
      if (std::any_of(elements().begin(), elements().end(), [](const E& e) { return e.is_coupled(); }))
        return false;
    return kHasLinearizedDerivatives<E>;
  }

  bool is_limited() const override { return ElementWithLimit<E>; }

  void add_stiffness_bound([[maybe_unused]] StiffnessBound& bound) const override {
    if constexpr (ElementWithBound<E>)
      for (const E& e : elements()) bound.add<K>(e.vertices, e.stiffness_bound(shared_, bound));
  }

  bool bound_depends_on_time() const override {
    if constexpr (requires { E::kBoundDependsOnTime; }) return E::kBoundDependsOnTime;
    return false;
  }

  void append_couplings(std::vector<Edge>& pairs) const override {
    for (const E& e : elements())
      for (int a = 0; a < K; ++a)
        for (int b = a + 1; b < K; ++b) pairs.push_back({e.vertices[a], e.vertices[b]});
  }

  void bind(const BlockPattern& pattern) override { set_.bind(pattern); }

  std::unique_ptr<EnergyStep> begin_step(const StepStart& start) const override {
    return std::make_unique<ElementStep<E>>(set_, shared_, start);
  }

  void for_each_stored([[maybe_unused]] const VecX& x, [[maybe_unused]] double time,
                       [[maybe_unused]] const std::function<void(const StoredEnergy&)>& f) const override {
    if constexpr (FabricElement<E>) {
      // A step that has not moved yet: what it stores, without what it dissipates.
      const VecX v = VecX::Zero(x.size());
      const StepStart start{1.0, time, x, v};
      for (const E& e : elements()) {
        const Stencil<K> y = gather<K>(x, e.vertices);
        const double W = e.value(y, e.start(shared_, start, {y, Stencil<K>::Zero()}));
        if constexpr (requires { e.rest.area; })
          f({e.vertices, W, e.rest.area});
        else
          f({e.vertices, W, 0.0});
      }
    }
  }

 private:
  std::string name_;
  ElementSet<E> set_;
  typename E::Shared shared_;
};

}  // namespace keydrape
