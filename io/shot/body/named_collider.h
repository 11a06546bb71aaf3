#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/contact/body/collider.h"
#include "io/scene/shot_clock.h"

namespace keydrape {

// A body whose errors say which it is, and at what frame: those of a body that deforms come up in the middle
// of a run.
class NamedCollider final : public Collider {
 public:
  // `name`: begins the message.
  NamedCollider(std::unique_ptr<const Collider> body, std::string name, const ShotClock& clock);

  ColliderPose at(double time) const override;
  bool is_static() const override { return body_->is_static(); }
  Carried carry(double t0, double t1, const Vec3& world) const override;
  double carry_range() const override { return body_->carry_range(); }
  double travel_bound(double t0, double t1, const BoundingBox& region) const override {
    return body_->travel_bound(t0, t1, region);
  }
  int count_met(double t0, double t1, std::span<const Vec3> from, std::span<const Vec3> to) const override;

 private:
  [[noreturn]] void rethrow(const std::string& what, double time) const;

  std::unique_ptr<const Collider> body_;
  std::string name_;
  ShotClock clock_;
};

}  // namespace keydrape
