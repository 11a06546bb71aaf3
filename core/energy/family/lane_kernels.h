#pragma once

#include "core/energy/family/element_lanes.h"

// The functions of element_lanes.h, from what a group's conditions are at y:
//
//   struct C {
//     C(const LaneGroup<E>& group, const VecX& y);
//     LaneMask left() const;                                   // lanes that are not served
//     double value(int condition, int lane) const;             // c
//     static const ConditionLaw& law(const Start&, int condition);
//     Lanes scale() const;                                     // of w: the area at rest, or 1
//     LaneConditions<E> changes(const StencilOf<Lanes, K>& dy) const;               // grad c . dy
//     StencilOf<Lanes, K> gradient(const LaneConditions<E>& sigma) const;           // sum sigma grad c
//     void hessian(const LaneConditions<E>& k, const LaneConditions<E>& sigma, ..); // (10), its upper blocks
//   };
//
// Conditions lane by lane, since laws have branches; the formulas around them side by side.

namespace keydrape::lane_kernels {

// f(law, c) of each lane, times the scale of w.
template <class E, class C, class F>
LaneConditions<E> by_law(const LaneGroup<E>& group, const C& at, const Lanes& scale, const F& f) {
  LaneConditions<E> of;
  for (int c = 0; c < E::kConditions; ++c)
    of[c] = scale * Lanes::each([&](int l) { return f(C::law(group.start(l), c), at.value(c, l)); });
  return of;
}

template <class C, class E>
LaneMask values(const LaneGroup<E>& group, const VecX& y, Lanes& W) {
  const C at(group, y);
  const LaneConditions<E> w =
      by_law<E>(group, at, at.scale(), [](const ConditionLaw& law, double c) { return law.value(c); });
  W = w[0];
  for (int c = 1; c < E::kConditions; ++c) W += w[c];
  return at.left();
}

template <class C, class E>
LaneMask gradients(const LaneGroup<E>& group, const VecX& y, StencilOf<Lanes, E::kVertices>& g) {
  const C at(group, y);
  g = at.gradient(
      by_law<E>(group, at, at.scale(), [](const ConditionLaw& law, double c) { return law.tension(c); }));
  return at.left();
}

template <class C, class E>
LaneMask hessians(const LaneGroup<E>& group, const VecX& y, const LaneConditions<E>* sigma,
                  StencilHessianOf<Lanes, E::kVertices>& h) {
  const C at(group, y);
  const Lanes scale = at.scale();
  const LaneConditions<E> k =
      by_law<E>(group, at, scale, [](const ConditionLaw& law, double c) { return law.stiffness(c); });
  LaneConditions<E> of_scale;
  if (sigma)
    for (int c = 0; c < E::kConditions; ++c) of_scale[c] = scale * (*sigma)[c];
  else
    of_scale = by_law<E>(group, at, scale, [](const ConditionLaw& law, double c) { return law.tension(c); });
  at.hessian(k, of_scale, h);
  return at.left();
}

template <class C, class E>
LaneMask tensions(const LaneGroup<E>& group, const VecX& y, LaneConditions<E>& sigma) {
  const C at(group, y);
  sigma = by_law<E>(group, at, Lanes(1.0), [](const ConditionLaw& law, double c) { return law.tension(c); });
  return at.left();
}

template <class C, class E>
LaneMask predictions(const LaneGroup<E>& group, const VecX& y, const VecX& dy, LaneConditions<E>& sigma) {
  const C at(group, y);
  const LaneConditions<E> dc = at.changes(group.at(dy));
  for (int c = 0; c < E::kConditions; ++c)
    sigma[c] = Lanes::each([&](int l) {
      const ConditionLaw& law = C::law(group.start(l), c);
      const double value = at.value(c, l);
      return law.tension(value) + law.tension_change(value, dc[c][l]);
    });
  return at.left();
}

}  // namespace keydrape::lane_kernels

// Defines the functions of element_lanes.h for elements E by what their conditions C are. A template would
// not be compiled for several processors.
#define KEYDRAPE_LANE_KERNELS(E, C)                                                                         \
  KEYDRAPE_LANES_KERNEL LaneMask lane_values(const LaneGroup<E>& group, const VecX& y, Lanes& W) {          \
    return lane_kernels::values<C>(group, y, W);                                                            \
  }                                                                                                         \
  KEYDRAPE_LANES_KERNEL LaneMask lane_gradients(const LaneGroup<E>& group, const VecX& y,                   \
                                                StencilOf<Lanes, E::kVertices>& g) {                        \
    return lane_kernels::gradients<C>(group, y, g);                                                         \
  }                                                                                                         \
  KEYDRAPE_LANES_KERNEL LaneMask lane_hessians(const LaneGroup<E>& group, const VecX& y,                    \
                                               const LaneConditions<E>* sigma,                              \
                                               StencilHessianOf<Lanes, E::kVertices>& h) {                  \
    return lane_kernels::hessians<C>(group, y, sigma, h);                                                   \
  }                                                                                                         \
  KEYDRAPE_LANES_KERNEL LaneMask lane_tensions(const LaneGroup<E>& group, const VecX& y,                    \
                                               LaneConditions<E>& sigma) {                                  \
    return lane_kernels::tensions<C>(group, y, sigma);                                                      \
  }                                                                                                         \
  KEYDRAPE_LANES_KERNEL LaneMask lane_predictions(const LaneGroup<E>& group, const VecX& y, const VecX& dy, \
                                                  LaneConditions<E>& sigma) {                               \
    return lane_kernels::predictions<C>(group, y, dy, sigma);                                               \
  }
