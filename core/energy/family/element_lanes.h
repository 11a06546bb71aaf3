#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "core/base/lanes.h"
#include "core/energy/element.h"
#include "core/energy/hinge_bending.h"
#include "core/energy/shear.h"
#include "core/energy/stretch.h"

namespace keydrape {

// Elements of one family that are evaluated side by side, at most one in each lane: `count` of them, from
// `begin` on. Lanes that are left over repeat the last element.
template <class E>
class LaneGroup {
 public:
  LaneGroup(const std::vector<E>& elements, const std::vector<typename E::Start>& starts, int begin, int end)
      : elements_(elements.data() + begin),
        starts_(starts.data() + begin),
        count_(std::min(end - begin, Lanes::kCount)) {}

  int count() const { return count_; }
  const E& element(int lane) const { return elements_[std::min(lane, count_ - 1)]; }
  const typename E::Start& start(int lane) const { return starts_[std::min(lane, count_ - 1)]; }

  StencilOf<Lanes, E::kVertices> at(const VecX& y) const {
    StencilOf<Lanes, E::kVertices> s;
    for (int l = 0; l < Lanes::kCount; ++l)
      for (int a = 0; a < E::kVertices; ++a)
        for (int i = 0; i < 3; ++i) s(i, a).set(l, y(3 * element(l).vertices[a] + i));
    return s;
  }

 private:
  const E* elements_;
  const typename E::Start* starts_;
  int count_;
};

template <class E>
using LaneConditions = std::array<Lanes, E::kConditions>;

// What an element says of itself (element.h), for a group at once. Each returns the lanes that it could not
// serve, whose results are left to the element itself.
// Of the Hessian, the blocks on the diagonal and above it; sigma: null for the tensions at y.

LaneMask lane_values(const LaneGroup<HingeBending>& group, const VecX& y, Lanes& W);
LaneMask lane_gradients(const LaneGroup<HingeBending>& group, const VecX& y, StencilOf<Lanes, 4>& g);
LaneMask lane_hessians(const LaneGroup<HingeBending>& group, const VecX& y,
                       const LaneConditions<HingeBending>* sigma, StencilHessianOf<Lanes, 4>& h);
LaneMask lane_tensions(const LaneGroup<HingeBending>& group, const VecX& y,
                       LaneConditions<HingeBending>& sigma);
// Those at y + dy, predicted from y.
LaneMask lane_predictions(const LaneGroup<HingeBending>& group, const VecX& y, const VecX& dy,
                          LaneConditions<HingeBending>& sigma);

LaneMask lane_values(const LaneGroup<Stretch>& group, const VecX& y, Lanes& W);
LaneMask lane_gradients(const LaneGroup<Stretch>& group, const VecX& y, StencilOf<Lanes, 3>& g);
LaneMask lane_hessians(const LaneGroup<Stretch>& group, const VecX& y, const LaneConditions<Stretch>* sigma,
                       StencilHessianOf<Lanes, 3>& h);
LaneMask lane_tensions(const LaneGroup<Stretch>& group, const VecX& y, LaneConditions<Stretch>& sigma);
LaneMask lane_predictions(const LaneGroup<Stretch>& group, const VecX& y, const VecX& dy,
                          LaneConditions<Stretch>& sigma);

LaneMask lane_values(const LaneGroup<Shear>& group, const VecX& y, Lanes& W);
LaneMask lane_gradients(const LaneGroup<Shear>& group, const VecX& y, StencilOf<Lanes, 3>& g);
LaneMask lane_hessians(const LaneGroup<Shear>& group, const VecX& y, const LaneConditions<Shear>* sigma,
                       StencilHessianOf<Lanes, 3>& h);
LaneMask lane_tensions(const LaneGroup<Shear>& group, const VecX& y, LaneConditions<Shear>& sigma);
LaneMask lane_predictions(const LaneGroup<Shear>& group, const VecX& y, const VecX& dy,
                          LaneConditions<Shear>& sigma);

template <class E>
concept ElementInLanes = ElementWithTension<E> &&
    requires(const LaneGroup<E>& group, const VecX& y, Lanes& W) {
  { lane_values(group, y, W) } -> std::same_as<LaneMask>;
};

}  // namespace keydrape
