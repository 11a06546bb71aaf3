#include <fmt/format.h>

#include <string_view>

#include "io/scene/table_reader.h"

// Rules that join several keys of what the cloth is to do, and of how it may be made to.

namespace keydrape {

void finish(const TableSource& source, scene::Keyframe& keyframe) {
  // loop = false beside a pose says nothing.
  const bool is_no_loop = source.find("loop") != nullptr && !keyframe.loop;
  if (is_no_loop && source.find("mesh") == nullptr && source.find("surface") == nullptr &&
      source.find("landmarks") == nullptr)
    source.refuse_key("loop", "false", "true, or mesh, surface or landmarks");
  const std::string_view kind = is_no_loop
                                    ? source.require_exactly_one_of({"mesh", "surface", "landmarks"})
                                    : source.require_exactly_one_of({"mesh", "surface", "landmarks", "loop"});
  if (keyframe.loop && source.find("velocity_weight") == nullptr) keyframe.velocity_weight = 1;
  if (keyframe.window && !keyframe.window->contains(keyframe.frame))
    source.refuse_key("window", keyframe.window->text(),
                      fmt::format("a range that holds frame {}", keyframe.frame));
  source.require_at_most_one_of({"group", "weights"});
  for (const std::string_view key : {"group", "weights"})
    source.refuse_without_effect(key, kind != "landmarks", "without landmarks, which name their vertices");
  source.refuse_without_effect("max_angle", kind == "surface", "together with surface");
  source.refuse_without_effect("velocity", !keyframe.loop, "without loop");
  for (const std::string_view key : {"velocity", "velocity_weights", "velocity_tolerance"})
    source.refuse_without_effect(key, keyframe.velocity_weight > 0,
                                 "together with a velocity_weight above 0");
  if (keyframe.tolerance && keyframe.tolerance_max && *keyframe.tolerance_max < *keyframe.tolerance)
    source.refuse_key(
        "tolerance_max", fmt::format("{}", *keyframe.tolerance_max),
        fmt::format("{}, as tolerance is, or more: no mean is above the largest", *keyframe.tolerance));
}

void finish(const TableSource& source, scene::Track&) { source.require_at_most_one_of({"group", "weights"}); }

void finish(const TableSource& source, scene::Windows& windows) {
  if (windows.overlap >= windows.length)
    source.refuse_key("overlap", fmt::format("{}", windows.overlap),
                      fmt::format("less than length = {}", windows.length));
}

void finish(const TableSource& source, scene::Channel& channel) {
  using scene::ChannelKind;
  const bool is_throw = channel.kind == ChannelKind::kInitialVelocity,
             is_pin = channel.kind == ChannelKind::kPin, is_material = channel.kind == ChannelKind::kMaterial;
  source.refuse_without_effect("as", is_throw, "with kind = \"initial-velocity\"");
  source.refuse_without_effect("group", is_throw, "with kind = \"initial-velocity\"");
  source.refuse_without_effect("pin", is_pin, "with kind = \"pin\"");
  source.refuse_without_effect("numbers", is_material, "with kind = \"material\"");
  source.refuse_without_effect("knots_every", !is_throw && !is_material,
                               "with kind = \"wind\", \"pin\" or \"stretch-scale\"");
  if (is_pin && !channel.pin) source.refuse_missing("pin", "the number of a [[pin]], counted from 0");
  if (is_material && channel.numbers.empty())
    source.refuse_missing("numbers", "one or more, such as [\"bend\"]");
}

void finish(const TableSource& source, scene::Control& control) {
  if (!control.forces) {
    // start: the run that it means is steered by forces.
    for (const std::string_view key :
         {"group", "weights", "frames", "strength", "hold", "max_acceleration", "even", "smooth_time",
          "smooth_space", "knots_every", "modes", "net", "start"})
      source.refuse_without_effect(key, false, "without forces = false");
    if (control.channels.empty())
      source.refuse_key("forces", "false, and no [[control.channel]]",
                        "true, or a channel to choose instead");
  }
  source.refuse_without_effect("even", control.effort.automatic, "with effort = \"auto\"");
  for (const std::string_view key : {"smooth_time", "smooth_space"})
    source.refuse_without_effect(key, control.effort.automatic || control.effort.value > 0,
                                 "with an effort above 0, of which it is a multiple");
  source.require_at_most_one_of({"group", "weights"});
  source.require_at_most_one_of({"max_acceleration", "modes"});
  // The take's forces are no splines.
  if (control.relative_to) source.require_at_most_one_of({"max_acceleration", "knots_every"});
  source.require_at_most_one_of({"frames", "window", "windows"});
  source.require_at_most_one_of({"knots_every", "window", "windows"});
  source.require_at_most_one_of({"channel", "window", "windows"});
  source.refuse_without_effect("max_acceleration", control.net == NetForce::kFree, "with net = \"free\"");
  if (control.net == NetForce::kZeroImpulse && control.windows)
    source.refuse_key(
        "net", "\"zero-impulse\" together with windows",
        "net = \"zero-force\", which holds in every frame, or no windows: of each of them only a "
        "part is kept, and the sum over that is not zero");
  // An accepted take is a better beginning, and channels of their own are no forces that could be prolonged.
  for (const std::string_view key : {"relative_to", "window", "windows", "channel"})
    source.require_at_most_one_of({"coarse_to_fine", key});
  const bool asks = !control.coarse_to_fine.empty();
  if (asks && control.coarse_levels == 0)
    source.refuse_key("coarse_levels", "0 together with coarse_to_fine", "at least 1, or no coarse_to_fine");
  source.refuse_without_effect("coarse_levels", asks || control.coarse_levels == 0,
                               "together with coarse_to_fine, or as 0");
}

}  // namespace keydrape
