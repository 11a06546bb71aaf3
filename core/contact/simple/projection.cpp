#include "core/contact/simple/projection.h"

namespace keydrape {

int Projection::apply(const FilteredStep& step, VecX& y) const {
  const std::vector<char> pinned = pinned_vertices(step);
  int let_through = 0;
  for (const TouchedBody& body : bodies_) {
    const ColliderPose pose = body.collider->at(step.end_time);
    const double mu = body.friction.at(step.end_time);
    for (Eigen::Index i = 0; i < step.vertex_mass.size(); ++i) {
      const Vec3 candidate = y.segment<3>(3 * i), x = step.x.segment<3>(3 * i);
      if (pinned[i] || !(pose.distance(candidate) < body.gap)) continue;
      std::optional<Vec3> p = nearest_at_level(pose, body.gap, candidate, x);
      if (p && mu > 0.0) {
        const Vec3 of_body = material_velocity(*body.collider, step.begin_time(), step.end_time, x);
        const double pressed = (*p - candidate).norm() / step.dt;
        const Vec3 v =
            rubbed((*p - x) / step.dt - of_body, pose.sample(*p).gradient.normalized(), mu, pressed);
        const Vec3 slowed = x + step.dt * (v + of_body);
        p = pose.distance(slowed) < body.gap ? nearest_at_level(pose, body.gap, slowed, x) : slowed;
      }
      if (p)
        y.segment<3>(3 * i) = *p;
      else
        ++let_through;
    }
  }
  return let_through;
}

}  // namespace keydrape
