#include "io/shot/body/named_collider.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "io/file/short_number.h"

namespace keydrape {

NamedCollider::NamedCollider(std::unique_ptr<const Collider> body, std::string name, const ShotClock& clock)
    : body_(std::move(body)), name_(std::move(name)), clock_(clock) {}

ColliderPose NamedCollider::at(double time) const {
  try {
    return body_->at(time);
  } catch (const InputError& error) {
    rethrow(error.what(), time);
  }
}

Carried NamedCollider::carry(double t0, double t1, const Vec3& world) const {
  try {
    return body_->carry(t0, t1, world);
  } catch (const InputError& error) {
    rethrow(error.what(), t0);  // carry() makes the level set of the time that it begins at
  }
}

int NamedCollider::count_met(double t0, double t1, std::span<const Vec3> from,
                             std::span<const Vec3> to) const {
  try {
    return body_->count_met(t0, t1, from, to);
  } catch (const InputError& error) {
    rethrow(error.what(), t0);  // or soon after
  }
}

void NamedCollider::rethrow(const std::string& what, double time) const {
  throw InputError(fmt::format("{}: at frame {}: {}", name_,
                               short_number(clock_.frames.first + time * clock_.fps, 6), what));
}

}  // namespace keydrape
