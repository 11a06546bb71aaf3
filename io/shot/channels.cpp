#include "io/shot/channels.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/step/parameter_derivatives.h"
#include "io/shot/selection.h"

namespace keydrape {
namespace {

[[noreturn]] void refuse(const SourcePosition& at, const std::string& what) {
  throw InputError(fmt::format("{}: [[control.channel]]: {}", at.where(), what));
}

// Reads one table into a spec.
struct ChannelReader {
  const Scene& scene;
  const TriangleMesh& rest;
  const ClothDescription& cloth;

  ChannelSpec spec(const scene::Channel& table) const {
    ChannelSpec spec;
    spec.knots_every = table.knots_every.value_or(1);
    spec.scale = table.scale;
    switch (table.kind) {
      case scene::ChannelKind::kInitialVelocity:
        spec.kind =
            table.as == scene::ThrowAs::kVertices ? ChannelKind::kVertexThrow : ChannelKind::kRigidThrow;
        spec.vertices = select_group_or_painted(rest, table.group, {}).vertices;
        return spec;
      case scene::ChannelKind::kWind:
        check_wind(table);
        spec.kind = ChannelKind::kWind;
        return spec;
      case scene::ChannelKind::kPin:
        set_pin(table, spec);
        return spec;
      case scene::ChannelKind::kStretchScale:
        spec.kind = ChannelKind::kStretchScale;
        return spec;
      case scene::ChannelKind::kMaterial:
        break;
    }
    check_numbers(table);
    spec.kind = ChannelKind::kMaterial;
    spec.numbers = table.numbers;
    return spec;
  }

 private:
  void check_wind(const scene::Channel& table) const {
    if (!cloth.wind)
      refuse(
          table.source,
          "kind = \"wind\" needs a [wind] table; add one, with a first guess of the velocity: 0.2 m/s will "
          "do, 0 will not, since still air gives cloth at rest no slope");
  }

  void set_pin(const scene::Channel& table, ChannelSpec& spec) const {
    const auto& pins = scene.pins;
    const int number = table.pin->value;
    if (number >= static_cast<int>(pins.size()))
      refuse(table.pin->source,
             fmt::format("pin: found {}; the scene has {} [[pin]], counted from 0", number, pins.size()));
    const auto is_soft = [&](int k) { return pins[k].stiffness.has_value(); };
    spec.kind = ChannelKind::kPin;
    spec.pin_kind = is_soft(number) ? PinKind::kSoft : PinKind::kHard;
    for (int k = 0; k < number; ++k) spec.pin += is_soft(k) == is_soft(number);
  }

  void check_numbers(const scene::Channel& table) const {
    Material material = cloth.material;
    for (const MaterialNumber number : table.numbers) {
      if (!(number_of(material, number) > 0.0))
        refuse(table.source,
               fmt::format("numbers: {} is 0 in [cloth.material], and no factor changes that; give it "
                           "a first guess",
                           name_of(number)));
      const bool is_woven = number == MaterialNumber::kWarp || number == MaterialNumber::kWeft ||
                            number == MaterialNumber::kShear;
      if (is_woven && material.isotropic)
        refuse(table.source,
               fmt::format(
                   "numbers: {} belongs to model = \"woven\", and [cloth.material] is isotropic; look for "
                   "density, bend or damping, or take the woven model",
                   name_of(number)));
      if (number == MaterialNumber::kDensity && scene.control.max_acceleration)
        refuse(table.source,
               "numbers: density cannot be looked for together with max_acceleration, whose forces are "
               "bounded by the mass of the scene");
    }
  }
};

}  // namespace

std::vector<ChannelSpec> make_channel_specs(const Scene& scene, const TriangleMesh& rest,
                                            const ClothDescription& cloth) {
  const ChannelReader reader{scene, rest, cloth};
  std::vector<ChannelSpec> specs;
  for (const scene::Channel& table : scene.control.channels) specs.push_back(reader.spec(table));
  if (const auto repeated = repeated_number(specs))
    refuse(scene.control.channels[repeated->channel].source,
           fmt::format("numbers: found {}, which a channel before has, too; expected each in one channel; "
                       "leave it out of one",
                       name_of(repeated->number)));
  return specs;
}

}  // namespace keydrape
