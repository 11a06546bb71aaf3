#include "control/unknowns/channel/channel_spec.h"

#include <cassert>
#include <cstdint>
#include <set>

#include "control/unknowns/channel/initial_velocity.h"

namespace keydrape {

std::unique_ptr<Channel> make_channel(const ChannelSpec& spec, const ChannelContext& context) {
  const auto knots = [&](CourseStart start) {
    return StepKnots({.step_count = context.step_count,
                      .steps_in_span = std::int64_t{spec.knots_every} * context.substeps,
                      .dt = context.dt,
                      .start = start});
  };
  const ChannelSize size{.length = context.length, .scale = spec.scale};
  switch (spec.kind) {
    case ChannelKind::kRigidThrow:
      return std::make_unique<RigidThrow>(spec.vertices, context.start, context.vertex_mass, size);
    case ChannelKind::kVertexThrow:
      return std::make_unique<VertexThrow>(spec.vertices, size);
    case ChannelKind::kWind:
      assert(context.cloth.wind);
      return std::make_unique<WindChannel>(knots(CourseStart::kFree), size);
    case ChannelKind::kPin:
      return std::make_unique<PinChannel>(spec.pin_kind, spec.pin, knots(CourseStart::kZero), size);
    case ChannelKind::kStretchScale:
      return std::make_unique<StretchScaleChannel>(knots(CourseStart::kZero), spec.scale);
    case ChannelKind::kMaterial:
      break;
  }
  return std::make_unique<MaterialChannel>(spec.numbers, context.cloth.material, spec.scale);
}

std::optional<RepeatedNumber> repeated_number(const std::vector<ChannelSpec>& channels) {
  std::set<MaterialNumber> known;
  for (std::size_t k = 0; k < channels.size(); ++k)
    for (const MaterialNumber number : channels[k].numbers)
      if (!known.insert(number).second) return RepeatedNumber{k, number};
  return std::nullopt;
}

}  // namespace keydrape
