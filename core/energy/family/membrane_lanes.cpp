#include "core/energy/family/lane_kernels.h"

namespace keydrape {

namespace {

template <class E>
RestTriangleOf<Lanes> rest_of(const LaneGroup<E>& group) {
  RestTriangleOf<Lanes> rest;
  for (int l = 0; l < Lanes::kCount; ++l) {
    const RestTriangle& one = group.element(l).rest;
    for (int a = 0; a < 3; ++a) rest.u(a).set(l, one.u(a)), rest.v(a).set(l, one.v(a));
    rest.area.set(l, one.area);
  }
  return rest;
}

// Threads without coupling: those with it are left.
class StretchConditions {
 public:
  StretchConditions(const LaneGroup<Stretch>& group, const VecX& y)
      : rest_(rest_of(group)), both_(rest_, group.at(y)) {
    const auto scale = [&](int c) { return Lanes::each([&](int l) { return group.start(l).scale(c); }); };
    values_ = {both_.u_length - scale(0), both_.v_length - scale(1)};
    for (int l = 0; l < Lanes::kCount; ++l)
      if (group.element(l).is_coupled()) left_ |= 1u << l;
  }

  LaneMask left() const { return left_; }
  double value(int condition, int lane) const { return values_[condition][lane]; }
  static const ConditionLaw& law(const Stretch::Start& s, int condition) {
    return condition == 0 ? s.warp : s.weft;
  }
  Lanes scale() const { return rest_.area; }

  LaneConditions<Stretch> changes(const StencilOf<Lanes, 3>& dy) const { return both_.changes(rest_, dy); }
  StencilOf<Lanes, 3> gradient(const LaneConditions<Stretch>& sigma) const {
    return both_.gradient(rest_, sigma[0], sigma[1]);
  }
  void hessian(const LaneConditions<Stretch>& k, const LaneConditions<Stretch>& sigma,
               StencilHessianOf<Lanes, 3>& h) const {
    upper_membrane_hessian(rest_, both_.by_thread(both_.u_along, both_.u_length, k[0], sigma[0]),
                           both_.by_thread(both_.v_along, both_.v_length, k[1], sigma[1]), h);
  }

 private:
  RestTriangleOf<Lanes> rest_;
  WarpAndWeft<Lanes> both_;
  LaneConditions<Stretch> values_;
  LaneMask left_ = 0;
};

class ShearConditions {
 public:
  ShearConditions(const LaneGroup<Shear>& group, const VecX& y) : rest_(rest_of(group)) {
    const StencilOf<Lanes, 3> at = group.at(y);
    u_ = rest_.w_u(at), v_ = rest_.w_v(at);
    value_ = u_.dot(v_);
  }

  LaneMask left() const { return 0; }
  double value(int, int lane) const { return value_[lane]; }
  static const ConditionLaw& law(const Shear::Start& s, int) { return s.law; }
  Lanes scale() const { return rest_.area; }

  LaneConditions<Shear> changes(const StencilOf<Lanes, 3>& dy) const {
    return {u_.dot(rest_.w_v(dy)) + v_.dot(rest_.w_u(dy))};
  }
  StencilOf<Lanes, 3> gradient(const LaneConditions<Shear>& sigma) const {
    return membrane_gradient(rest_, sigma[0] * v_, sigma[0] * u_);
  }
  void hessian(const LaneConditions<Shear>& k, const LaneConditions<Shear>& sigma,
               StencilHessianOf<Lanes, 3>& h) const {
    shear_hessian(rest_, u_, v_, k[0], sigma[0], h);
  }

 private:
  RestTriangleOf<Lanes> rest_;
  Vec3Of<Lanes> u_, v_;
  Lanes value_;
};

}  // namespace

KEYDRAPE_LANE_KERNELS(Stretch, StretchConditions)
KEYDRAPE_LANE_KERNELS(Shear, ShearConditions)

}  // namespace keydrape
