#pragma once

#include "core/contact/points/colliding_cloth.h"
#include "core/contact/points/point_room.h"
#include "core/energy/energy.h"

namespace keydrape {

// Cloth is held off a body by the barrier at its sample points p = sum_c w_c y_c, in the body's pose at the
// end of the step (core/contact/EQUATIONS.md (B1)):
//   W(y) = sum over points of kappa A b(phi(p)^2)
// Infinite where a point lies within the thickness: a Limit. Or, where the law says so, a penalty, which is
// finite and no limit.
class ColliderContact final : public Energy {
 public:
  explicit ColliderContact(std::shared_ptr<const CollidingCloth> cloth)
      : cloth_(std::move(cloth)), patches_(point_patches(cloth_->points)) {}

  std::string_view name() const override { return "collider contact"; }
  bool is_elastic() const override { return true; }
  int condition_count() const override { return static_cast<int>(cloth_->points.size()); }
  bool depends_on_start_x() const override { return false; }
  bool depends_on_start_v() const override { return false; }
  bool is_contact() const override { return true; }
  bool is_limited() const override { return !cloth_->law.is_penalty; }
  void append_couplings(std::vector<Edge>& pairs) const override { cloth_->append_couplings(pairs); }
  void bind(const BlockPattern& pattern) override { slots_ = PointSlots(cloth_->points, pattern); }
  std::unique_ptr<EnergyStep> begin_step(const StepStart& start) const override;

 private:
  std::shared_ptr<const CollidingCloth> cloth_;
  std::vector<PointPatch> patches_;
  PointSlots slots_;
};

}  // namespace keydrape
