#include "core/contact/simple/projection.h"

namespace keydrape {

int Projection::apply(const FilteredStep& step, VecX& y) const {
  const std::vector<char> pinned = pinned_vertices(step);
  for (const TouchedBody& body : bodies_) {
    const ColliderPose pose = body.collider->at(step.end_time);
    const double mu = body.friction.at(step.end_time);
    for (Eigen::Index i = 0; i < step.vertex_mass.size(); ++i) {
      const Vec3 candidate = y.segment<3>(3 * i), x = step.x.segment<3>(3 * i);
      if (pinned[i] || !(pose.distance(candidate) < body.gap)) continue;
      Vec3 p = nearest_at_level(pose, body.gap, candidate);
      if (mu > 0.0) {
        const Vec3 of_body = material_velocity(*body.collider, step.begin_time(), step.end_time, x);
        const double pressed = (p - candidate).norm() / step.dt;
        const Vec3 v = rubbed((p - x) / step.dt - of_body, pose.sample(p).gradient.normalized(), mu, pressed);
        p = nearest_at_level(pose, body.gap, x + step.dt * (v + of_body));
      }
      y.segment<3>(3 * i) = p;
    }
  }
  return 0;
}

}  // namespace keydrape
