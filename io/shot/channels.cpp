#include "io/shot/channels.h"

#include <fmt/format.h>

#include "control/unknowns/channel/cloth_channels.h"
#include "control/unknowns/channel/initial_velocity.h"
#include "core/base/error.h"
#include "core/step/residual_derivatives.h"
#include "io/shot/selection.h"

namespace keydrape {
namespace {

[[noreturn]] void refuse(const SourcePosition& at, const std::string& what) {
  throw InputError(fmt::format("{}: [[control.channel]]: {}", at.where(), what));
}

// Where one table is opened.
struct Opening {
  const Scene& scene;
  const Shot& shot;
  const ClothDescription& cloth;
  double length;  // l [m]

  StepKnots knots(const scene::Channel& table, bool begins_at_zero) const {
    return {shot.clock.step_count(), table.knots_every.value_or(1) * shot.clock.substeps, begins_at_zero};
  }

  std::unique_ptr<Channel> initial_velocity(const scene::Channel& table) const {
    std::vector<int> vertices = select_group_or_painted(shot.rest, table.group, {}).vertices;
    if (table.as == scene::ThrowAs::kVertices)
      return std::make_unique<VertexThrow>(std::move(vertices), length, table.scale);
    return std::make_unique<RigidThrow>(std::move(vertices), shot.start.x, shot.model->vertex_mass(), length,
                                        table.scale);
  }

  std::unique_ptr<Channel> wind(const scene::Channel& table) const {
    if (!cloth.wind)
      refuse(
          table.source,
          "kind = \"wind\" needs a [wind] table; add one, with a first guess of the velocity: 0.2 m/s will "
          "do, 0 will not, since still air gives cloth at rest no slope");
    return std::make_unique<WindChannel>(knots(table, false), shot.clock.dt(), length, table.scale);
  }

  std::unique_ptr<Channel> stretch_scale(const scene::Channel& table) const {
    return std::make_unique<StretchScaleChannel>(knots(table, true), shot.clock.dt(), table.scale);
  }

  std::unique_ptr<Channel> pin(const scene::Channel& table) const {
    const auto& pins = scene.pins;
    const int number = table.pin->value;
    if (number >= static_cast<int>(pins.size()))
      refuse(table.pin->source,
             fmt::format("pin: found {}; the scene has {} [[pin]], counted from 0", number, pins.size()));
    const auto is_soft = [&](int k) { return pins[k].stiffness.has_value(); };
    int number_of_kind = 0;
    for (int k = 0; k < number; ++k) number_of_kind += is_soft(k) == is_soft(number);
    return std::make_unique<PinChannel>(is_soft(number) ? PinKind::kSoft : PinKind::kHard, number_of_kind,
                                        knots(table, true), shot.clock.dt(), length, table.scale);
  }

  std::unique_ptr<Channel> material(const scene::Channel& table) const {
    Material material = cloth.material;
    for (const MaterialNumber number : table.numbers) {
      if (!(number_of(material, number) > 0.0))
        refuse(table.source,
               fmt::format("numbers: {} is 0 in [cloth.material], and no factor changes that; give it "
                           "a first guess",
                           name_of(number)));
      if (number == MaterialNumber::kDensity && scene.control.max_acceleration)
        refuse(table.source,
               "numbers: density cannot be looked for together with max_acceleration, whose forces are "
               "bounded by the mass of the scene");
    }
    return std::make_unique<MaterialChannel>(table.numbers, cloth.material, table.scale);
  }

  std::unique_ptr<Channel> open(const scene::Channel& table) const {
    switch (table.kind) {
      case scene::ChannelKind::kInitialVelocity:
        return initial_velocity(table);
      case scene::ChannelKind::kWind:
        return wind(table);
      case scene::ChannelKind::kPin:
        return pin(table);
      case scene::ChannelKind::kStretchScale:
        return stretch_scale(table);
      case scene::ChannelKind::kMaterial:
        break;
    }
    return material(table);
  }
};

}  // namespace

std::unique_ptr<Channels> open_channels(const Scene& scene, const Shot& shot, const ClothDescription& cloth) {
  if (scene.control.channels.empty()) return nullptr;
  const Opening opening{scene, shot, cloth, bounding_box_diagonal(shot.rest.positions)};
  std::vector<std::unique_ptr<Channel>> channels;
  for (const scene::Channel& table : scene.control.channels) channels.push_back(opening.open(table));
  return std::make_unique<Channels>(std::move(channels), cloth, shot.start, shot.simulator->options());
}

}  // namespace keydrape
