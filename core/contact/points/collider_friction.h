#pragma once

#include "core/base/animated.h"
#include "core/contact/points/colliding_cloth.h"
#include "core/contact/points/point_room.h"
#include "core/energy/energy.h"

namespace keydrape {

// Friction between cloth and a body as a dissipation potential (Li et al. 2020, section 5, with f0 of
// equation (20)), core/contact/EQUATIONS.md (B3) to (B6):
//   W(y; x) = sum over points of mu lambda(x) f0(|P(x) (p(y) - carried(p(x)))|)
// lambda and the tangent plane P are those of the start of the step, which the derivatives by x know: C is
// exact. `carried`: where the body's material under the point has got to by the end of the step. Sticks up to
// a sliding speed of `speed`, smoothly.
class ColliderFriction final : public Energy {
 public:
  // mu >= 0 in time, speed [m/s] > 0
  ColliderFriction(std::shared_ptr<const CollidingCloth> cloth, Animated<double> mu, double speed)
      : cloth_(std::move(cloth)),
        patches_(point_patches(cloth_->points)),
        mu_(std::move(mu)),
        speed_(speed) {}

  std::string_view name() const override { return "collider friction"; }
  bool is_elastic() const override { return false; }
  bool depends_on_start_x() const override { return true; }
  bool depends_on_start_v() const override { return false; }
  bool is_contact() const override { return true; }
  bool is_limited() const override { return !cloth_->law.is_penalty; }
  void append_couplings(std::vector<Edge>& pairs) const override { cloth_->append_couplings(pairs); }
  void bind(const BlockPattern& pattern) override { slots_ = PointSlots(cloth_->points, pattern); }
  std::unique_ptr<EnergyStep> begin_step(const StepStart& start) const override;

 private:
  std::shared_ptr<const CollidingCloth> cloth_;
  std::vector<PointPatch> patches_;
  Animated<double> mu_;
  double speed_;
  PointSlots slots_;
};

}  // namespace keydrape
