#include "io/python/bindings/control_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/base/error.h"
#include "io/python/bindings/in_time.h"

namespace keydrape::python {
namespace {

using Range = Part::Range;

// What shapes forces has no effect where there are none, as in [control] of a scene.
void refuse_without_forces(const Part& part, const Pushing& pushing) {
  const std::pair<const char*, bool> given[] = {
      {"pushed", part.has("pushed")},
      {"strength", !pushing.strength.is_constant() || pushing.strength.at(0.0) != 1.0},
      {"hold", pushing.hold != Hold::kInterval},
      {"modes", pushing.modes.has_value()},
      {"knots_every", pushing.knots_every.has_value()},
      {"max_acceleration", pushing.max_acceleration.has_value()},
      {"even", !part.flag("even")},
      {"smooth_time", part.number("smooth_time", Range::kNotNegative) > 0.0},
      {"smooth_space", part.number("smooth_space", Range::kNotNegative) > 0.0},
      {"begin", part.word("begin") == "zero"},  // the run that it means is steered by forces
  };
  for (const auto& [key, is_given] : given)
    if (is_given) part.refuse_without_effect(key, "without forces=False");
}

}  // namespace

Pushing read_pushing(const Part& part, int vertex_count, const ShotClock& clock) {
  Pushing pushing;
  constexpr double kLeastStrength = 1e-6;
  pushing.strength = numbers_in_time(part.field("strength"), "strength", clock, kLeastStrength, 1.0);
  pushing.hold = one_of<Hold>(part, "hold", {{"frame", Hold::kInterval}, {"step", Hold::kStep}});
  pushing.modes = part.optional_whole("modes", 1);
  pushing.knots_every = part.optional_whole("knots_every", 1);
  pushing.max_acceleration = part.optional_number("max_acceleration", Range::kPositive);
  if (!part.flag("forces")) {
    refuse_without_forces(part, pushing);
    return pushing;
  }
  if (pushing.modes && pushing.max_acceleration)
    throw InputError("max_acceleration: not together with modes; leave one of them out");
  pushing.vertices.resize(static_cast<std::size_t>(vertex_count));
  std::iota(pushing.vertices.begin(), pushing.vertices.end(), 0);
  if (!part.has("pushed")) return pushing;
  pushing.vertices = indices(part.field("pushed"), "pushed", vertex_count);
  std::sort(pushing.vertices.begin(), pushing.vertices.end());
  pushing.vertices.erase(std::unique(pushing.vertices.begin(), pushing.vertices.end()),
                         pushing.vertices.end());
  if (pushing.vertices.empty()) throw InputError("pushed: found none; for no forces at all, forces=False");
  return pushing;
}

EffortPolicy read_effort(const Part& part) {
  EffortPolicy effort;
  effort.automatic = py::isinstance<py::str>(part.field("effort"));
  if (effort.automatic && part.word("effort") != "auto")
    throw InputError("effort: found \"" + part.word("effort") + "\"; expected \"auto\" or a number");
  if (!effort.automatic) effort.value = part.number("effort", Range::kNotNegative);
  effort.even = part.flag("even");
  if (!effort.even && !effort.automatic) part.refuse_without_effect("even", "with effort = \"auto\"");
  effort.smooth_time = part.number("smooth_time", Range::kNotNegative);
  effort.smooth_space = part.number("smooth_space", Range::kNotNegative);
  if (effort.value == 0.0 && (effort.smooth_time > 0.0 || effort.smooth_space > 0.0))
    throw InputError(
        "effort: found 0, of which smooth_time and smooth_space are multiples; expected more than 0");
  return effort;
}

namespace {

// A text is a sequence, too: of letters.
bool is_list(const py::object& value) {
  return py::isinstance<py::sequence>(value) && !py::isinstance<py::str>(value);
}

// What a channel of another kind does not look at.
void refuse_other_kinds(const Part& channel, const ChannelSpec& spec) {
  const bool is_material = spec.kind == ChannelKind::kMaterial,
             is_throw = spec.kind == ChannelKind::kRigidThrow || spec.kind == ChannelKind::kVertexThrow;
  if (spec.kind != ChannelKind::kPin && channel.has("pin"))
    channel.refuse_without_effect("pin", "with kind = \"pin\"");
  const py::object numbers = channel.field("numbers");
  if (!is_material && !numbers.is_none() && !(is_list(numbers) && py::len(numbers) == 0))
    channel.refuse_without_effect("numbers", "with kind = \"material\"");
  if ((is_throw || is_material) && spec.knots_every != 1)
    channel.refuse_without_effect("knots_every", "with kind = \"wind\", \"pin\" or \"stretch-scale\"");
}

// Of kind "material".
std::vector<MaterialNumber> read_numbers(const Part& channel, const Task& task) {
  if (!is_list(channel.field("numbers"))) channel.refuse("numbers", "a list of names");
  std::vector<MaterialNumber> list;
  for (const py::handle& word : channel.field("numbers")) {
    const std::string name = py::cast<std::string>(py::str(word));
    constexpr MaterialNumber kAll[] = {MaterialNumber::kDensity, MaterialNumber::kWarp,
                                       MaterialNumber::kWeft,    MaterialNumber::kShear,
                                       MaterialNumber::kBend,    MaterialNumber::kDamping};
    const auto* found =
        std::find_if(std::begin(kAll), std::end(kAll), [&](auto k) { return name_of(k) == name; });
    Material material = task.cloth.material;
    if (found == std::end(kAll) || number_of(material, *found) <= 0.0 ||
        std::count(list.begin(), list.end(), *found) > 0)
      throw InputError(
          fmt::format("{}: found \"{}\"; expected density, warp, weft, shear, bend or damping, each "
                      "once, and above 0 in the fabric",
                      channel.name_of("numbers"), name));
    if (*found == MaterialNumber::kDensity && task.pushing.max_acceleration)
      throw InputError(channel.name_of("numbers") +
                       ": density cannot be looked for together with max_acceleration, whose forces are "
                       "bounded by the mass of the task; leave one of them out");
    list.push_back(*found);
  }
  if (list.empty()) throw InputError(channel.name_of("numbers") + ": found none; expected one or more");
  return list;
}

}  // namespace

const std::map<std::string, ChannelKind>& channel_kinds() {
  static const std::map<std::string, ChannelKind> kinds = {{"throw", ChannelKind::kRigidThrow},
                                                           {"vertex-throw", ChannelKind::kVertexThrow},
                                                           {"wind", ChannelKind::kWind},
                                                           {"pin", ChannelKind::kPin},
                                                           {"stretch-scale", ChannelKind::kStretchScale},
                                                           {"material", ChannelKind::kMaterial}};
  return kinds;
}

ChannelSpec read_channel(const Part& part, const Task& task, const std::vector<CountedPin>& pins) {
  ChannelSpec spec;
  spec.kind = one_of(part, "kind", channel_kinds());
  spec.knots_every = part.whole("knots_every", 1);
  spec.scale = part.number("scale", Range::kPositive);
  refuse_other_kinds(part, spec);
  if (spec.kind == ChannelKind::kWind && !task.cloth.wind)
    throw InputError(part.name() + ": expected a wind in the task, which this channel changes");
  if (spec.kind == ChannelKind::kPin) {
    const int pin = part.whole("pin", 0);
    if (pin >= static_cast<int>(pins.size()))
      throw InputError(fmt::format("{}: found {}; expected the number of a pin, below {}",
                                   part.name_of("pin"), pin, pins.size()));
    std::tie(spec.pin_kind, spec.pin) = pins[pin];
  }
  spec.vertices.resize(static_cast<std::size_t>(task.vertex_count()));
  std::iota(spec.vertices.begin(), spec.vertices.end(), 0);
  if (spec.kind == ChannelKind::kMaterial) spec.numbers = read_numbers(part, task);
  return spec;
}

}  // namespace keydrape::python
