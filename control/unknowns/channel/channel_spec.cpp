#include "control/unknowns/channel/channel_spec.h"

#include <cassert>

#include "control/unknowns/channel/initial_velocity.h"

namespace keydrape {

std::unique_ptr<Channel> make_channel(const ChannelSpec& spec, const ChannelContext& context) {
  const auto knots = [&](CourseStart start) {
    return StepKnots(context.step_count, spec.knots_every * context.substeps, start);
  };
  switch (spec.kind) {
    case ChannelKind::kRigidThrow:
      return std::make_unique<RigidThrow>(spec.vertices, context.start, context.vertex_mass, context.length,
                                          spec.scale);
    case ChannelKind::kVertexThrow:
      return std::make_unique<VertexThrow>(spec.vertices, context.length, spec.scale);
    case ChannelKind::kWind:
      assert(context.cloth.wind);
      return std::make_unique<WindChannel>(knots(CourseStart::kFree), context.dt, context.length, spec.scale);
    case ChannelKind::kPin:
      return std::make_unique<PinChannel>(spec.pin_kind, spec.pin, knots(CourseStart::kZero), context.dt,
                                          context.length, spec.scale);
    case ChannelKind::kStretchScale:
      return std::make_unique<StretchScaleChannel>(knots(CourseStart::kZero), context.dt, spec.scale);
    case ChannelKind::kMaterial:
      break;
  }
  return std::make_unique<MaterialChannel>(spec.numbers, context.cloth.material, spec.scale);
}

}  // namespace keydrape
