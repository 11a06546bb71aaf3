#pragma once

#include <memory>
#include <string>

#include "core/contact/collider/collider.h"
#include "io/shot_clock.h"

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
  double travel_bound(double t0, double t1, const BoundingBox& region) const override {
    return body_->travel_bound(t0, t1, region);
  }

 private:
  [[noreturn]] void rethrow(const std::string& what, double time) const;

  std::unique_ptr<const Collider> body_;
  std::string name_;
  ShotClock clock_;
};

}  // namespace keydrape
