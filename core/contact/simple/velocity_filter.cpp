#include "core/contact/simple/velocity_filter.h"

namespace keydrape {

int VelocityFilter::apply(const FilteredStep& step, VecX& y) const {
  const std::vector<char> pinned = pinned_vertices(step);
  for (const TouchedBody& body : bodies_) {
    const ColliderPose pose = body.collider->at(step.begin_time());
    const double mu = body.friction.at(step.end_time);
    for (Eigen::Index i = 0; i < step.vertex_mass.size(); ++i) {
      const Vec3 x = step.x.segment<3>(3 * i);
      if (pinned[i] || !(pose.distance(x) < body.gap)) continue;
      const Vec3 n = pose.sample(x).gradient.normalized();
      const Vec3 of_body = material_velocity(*body.collider, step.begin_time(), step.end_time, x);
      const Vec3 v = (y.segment<3>(3 * i) - x) / step.dt - of_body;
      const double into = -n.dot(v);
      if (!(into > 0.0)) continue;
      y.segment<3>(3 * i) = x + step.dt * (rubbed(v + into * n, n, mu, into) + of_body);
    }
  }
  return 0;
}

}  // namespace keydrape
