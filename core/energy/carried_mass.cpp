#include "core/energy/carried_mass.h"

namespace keydrape {

CarriedMass::Start CarriedMass::start(const Shared& shared, const StepStart& step,
                                      const StartStencil<1>& at) const {
  const StepScheme scheme = step.scheme();
  const CarriedInertia& carried = shared.carried;
  const double stiffness = shared.frame.inertia.at(step.time) * mass / (scheme.beta * scheme.beta);
  // Less what inertia makes of the state in the world.
  const auto by_x = [&](const Mat3& A, const StepScheme::Level& level) -> Mat3 {
    return stiffness * (A - level.share * Mat3::Identity());
  };
  const auto by_v = [&](const Mat3& A, const StepScheme::Level& level) -> Mat3 {
    return stiffness * (A - scheme.beta * level.share * Mat3::Identity());
  };
  Start s{stiffness * carried.offset, by_x(carried.by_x, scheme.start), by_v(carried.by_v, scheme.start),
          by_x(carried.by_x_before, scheme.before), by_v(carried.by_v_before, scheme.before)};
  s.force +=
      s.by_x_start * at.x + s.by_v_start * at.v + s.by_x_before * at.x_before + s.by_v_before * at.v_before;
  return s;
}

}  // namespace keydrape
