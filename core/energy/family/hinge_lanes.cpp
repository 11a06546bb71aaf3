#include "core/energy/family/lane_kernels.h"
#include "core/mesh/hinge_angle.h"

namespace keydrape {

namespace {

// Hinges whose triangles have their area: those that fade are left.
class HingeConditions {
 public:
  HingeConditions(const LaneGroup<HingeBending>& group, const VecX& y) : angle_(group.at(y)) {
    const Lanes sine = angle_.sine(), cosine = angle_.cosine();
    const Lanes a = angle_.area_a(), b = angle_.area_b();
    for (int l = 0; l < Lanes::kCount; ++l) {
      const std::array<double, 2>& whole = group.element(l).whole_areas;
      if (!(a[l] >= whole[0] && b[l] >= whole[1])) left_ |= 1u << l;
      const HingeBending::Start& s = group.start(l);
      bend_[l] = counted_bend(s.theta, s.theta_rest, std::atan2(sine[l], cosine[l]));
    }
  }

  LaneMask left() const { return left_; }
  double value(int, int lane) const { return bend_[lane]; }
  static const ConditionLaw& law(const HingeBending::Start& s, int) { return s.law; }
  Lanes scale() const { return 1.0; }

  LaneConditions<HingeBending> changes(const StencilOf<Lanes, 4>& dy) const {
    return {angle_.gradient().cwiseProduct(dy).sum()};
  }
  StencilOf<Lanes, 4> gradient(const LaneConditions<HingeBending>& sigma) const {
    return sigma[0] * angle_.gradient();
  }
  void hessian(const LaneConditions<HingeBending>& k, const LaneConditions<HingeBending>& sigma,
               StencilHessianOf<Lanes, 4>& h) const {
    const StencilOf<Lanes, 4> g = angle_.gradient();
    for (int b = 0; b < 4; ++b) {
      const Vec3Of<Lanes> kg = k[0] * g.col(b);
      for (int a = 0; a <= b; ++a) h.block<3, 3>(3 * a, 3 * b) = g.col(a) * kg.transpose();
    }
    angle_.add_hessian(sigma[0], h);
  }

 private:
  HingeAngleOf<Lanes> angle_;
  std::array<double, Lanes::kCount> bend_;
  LaneMask left_ = 0;
};

}  // namespace

KEYDRAPE_LANE_KERNELS(HingeBending, HingeConditions)

}  // namespace keydrape
