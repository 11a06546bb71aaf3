#include "io/shot/pins.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "io/file/short_number.h"
#include "io/shot/input/motion.h"
#include "io/shot/selection.h"

namespace keydrape {
namespace {

// A pin that starts further away than this part of the cloth's size jerks it in the first step.
constexpr double kJump = 1e-3;
// Pins that hold one vertex agree where their places differ by less than this part of the cloth's size
// (caches are in single precision), and their directions by less.
constexpr double kAgree = 1e-6;

VertexSelection select(const TriangleMesh& rest, const scene::Pin& pin) {
  if (pin.vertices) return select_listed(rest, *pin.vertices);
  if (pin.group) return select_group(rest, *pin.group);
  return select_painted(rest, *pin.weights);
}

Mat3 free_directions(const scene::Pin& pin) {
  if (pin.axis) {
    const Vec3 t = pin.axis->normalized();
    return t * t.transpose();
  }
  if (pin.normal) {
    const Vec3 n = pin.normal->normalized();
    return Mat3::Identity() - n * n.transpose();
  }
  return Mat3::Zero();
}

MotionTrack at_rest(const std::vector<int>& vertices, const VecX& initial) {
  VecX positions(3 * vertices.size());
  for (std::size_t k = 0; k < vertices.size(); ++k)
    positions.segment<3>(3 * k) = initial.segment<3>(3 * vertices[k]);
  return {{positions}, 1.0};
}

// A constant stiffness as such, one that is animated as its course of 1 N/m.
std::pair<double, Animated<double>> stiffness_in_time(const Keyed<double>& keyed, const ShotClock& clock) {
  if (keyed.is_constant()) return {keyed.keys.front().second, Animated<double>(1.0)};
  return {1.0, keyed.over_time(clock.frames.first, clock.fps)};
}

// `initial`: the cloth at the first frame; `source`: of the pin's motion.
void warn_of_jump(const HardPin& pin, const VecX& initial, double size, const SourcePosition& source,
                  ShotWarnings& warnings) {
  double farthest = 0.0;
  int at = 0;
  for (std::size_t k = 0; k < pin.vertices.size(); ++k) {
    const Vec3 offset =
        pin.motion.samples.front().segment<3>(3 * k) - initial.segment<3>(3 * pin.vertices[k]);
    const double distance = (offset - pin.free * offset).norm();
    if (distance <= farthest) continue;
    farthest = distance;
    at = pin.vertices[k];
  }
  if (farthest <= kJump * size) return;
  warnings.push_back(
      fmt::format("{}: [[pin]] motion: at the first frame vertex {} is pinned {} m away from where "
                  "the initial mesh has it, and jumps there in the first step; start both in one pose",
                  source.where(), at, short_number(farthest)));
}

// Of a pin that goes farther than the cloth is large, within one frame.
void warn_of_leap(const HardPin& pin, double size, const FrameRange& frames, const ShotClock& clock,
                  const SourcePosition& source, ShotWarnings& warnings) {
  for (int frame = frames.first; frame < frames.last; ++frame) {
    for (int k = 0; k < static_cast<int>(pin.vertices.size()); ++k) {
      const double way = (pin.motion.position(k, clock.time_of_frame(frame + 1)) -
                          pin.motion.position(k, clock.time_of_frame(frame)))
                             .norm();
      if (!(way > size)) continue;
      warnings.push_back(fmt::format(
          "{}: [[pin]] motion: vertex {} goes {} m from frame {} to the next, and the cloth is {} m "
          "large: no cloth follows that; is the cache in another unit, or of another shot?",
          source.where(), pin.vertices[static_cast<std::size_t>(k)], short_number(way), frame,
          short_number(size)));
      return;
    }
  }
}

// A hard pin, and where the scene says it.
struct WrittenPin {
  const scene::Pin& table;
  const HardPin& pin;
  FrameRange frames;
};

// Weights of a hard pin choose, and do no more.
void warn_of_partial_weights(const scene::Pin& pin, const VertexSelection& selection,
                             ShotWarnings& warnings) {
  if (!pin.weights || pin.stiffness) return;
  const auto partial =
      std::count_if(selection.weights.begin(), selection.weights.end(), [](double w) { return w < 1.0; });
  if (partial == 0) return;
  warnings.push_back(fmt::format(
      "{}: [[pin]] weights: {} of {} vertices with weight have less than 1, and are held as fast as "
      "the others: give the pin a stiffness, by which weights count, or paint 0 where it is not to hold",
      pin.weights->source.where(), partial, selection.weights.size()));
}

// The step lets the first of two pins win (StepConstraints), and the other would be without a word.
void check_agreement(const WrittenPin& first, const WrittenPin& second, const ShotClock& clock, double size) {
  const FrameRange both{std::max(first.frames.first, second.frames.first),
                        std::min(first.frames.last, second.frames.last)};
  const auto found = find_disagreement(first.pin, second.pin, both, clock, size);
  if (!found) return;
  throw InputError(fmt::format(
      "{}: [[pin]]: at frame {} vertex {}, counted from 0, is held by the [[pin]] of line {} as well, {}; "
      "leave it out of one of them, let one end before the other begins (frames), or give one a stiffness",
      second.table.source.where(), found->frame, found->vertex, first.table.source.line,
      found->in_directions ? "in other directions" : "at another place"));
}

}  // namespace

std::optional<PinDisagreement> find_disagreement(const HardPin& a, const HardPin& b, const FrameRange& frames,
                                                 const ShotClock& clock, double size) {
  const bool same_directions = (a.free - b.free).norm() < kAgree;
  const Mat3 held = Mat3::Identity() - a.free;
  for (std::size_t i = 0, j = 0; i < a.vertices.size() && j < b.vertices.size();) {
    if (a.vertices[i] != b.vertices[j]) {
      ++(a.vertices[i] < b.vertices[j] ? i : j);
      continue;
    }
    for (int frame = frames.first; frame <= frames.last; ++frame) {
      const double time = clock.time_of_frame(frame);
      const Vec3 apart =
          a.motion.position(static_cast<int>(i), time) - b.motion.position(static_cast<int>(j), time);
      if (!same_directions || !((held * apart).norm() <= kAgree * size))
        return PinDisagreement{a.vertices[i], frame, !same_directions};
    }
    ++i, ++j;
  }
  return {};
}

ShotPins read_pins(const Scene& scene, const ShotClock& clock, const TriangleMesh& rest, const VecX& initial,
                   ShotWarnings& warnings) {
  const double size = bounding_box_diagonal(rest.positions);
  ShotPins pins;
  std::vector<std::pair<const scene::Pin*, FrameRange>> hard;  // as pins.hard
  for (const scene::Pin& pin : scene.pins) {
    VertexSelection selection = select(rest, pin);
    warn_of_partial_weights(pin, selection, warnings);
    const FrameRange frames = pin.frames.value_or(clock.frames);
    const double begin = clock.time_of_frame(frames.first), end = clock.time_of_frame(frames.last);
    MotionTrack motion = pin.motion ? read_motion(scene, *pin.motion, clock,
                                                  {.vertices = selection.vertices,
                                                   .vertex_count = rest.vertex_count(),
                                                   .last_frame = frames.last,
                                                   .first_frame = frames.first,
                                                   .listed = pin.vertices ? &pin.vertices->value : nullptr},
                                                  warnings)
                                    : at_rest(selection.vertices, initial);
    HardPin held{std::move(selection.vertices), std::move(motion), free_directions(pin), begin, end};
    // A drape begins with the pins where they are.
    if (pin.motion && frames.first == clock.frames.first && !scene.cloth.initial.is_drape &&
        !scene.cloth.initial.is_to_drape)
      warn_of_jump(held, initial, size, pin.motion->source, warnings);
    if (pin.motion) warn_of_leap(held, size, frames, clock, pin.motion->source, warnings);
    if (pin.stiffness) {
      const auto [stiffness, strength] = stiffness_in_time(*pin.stiffness, clock);
      pins.soft.push_back({std::move(held.vertices), std::move(selection.weights), std::move(held.motion),
                           held.free, stiffness, pin.damping, begin, end, strength});
    } else {
      pins.hard.push_back(std::move(held));
      hard.emplace_back(&pin, frames);
    }
  }
  for (std::size_t j = 1; j < hard.size(); ++j)
    for (std::size_t i = 0; i < j; ++i)
      check_agreement({*hard[i].first, pins.hard[i], hard[i].second},
                      {*hard[j].first, pins.hard[j], hard[j].second}, clock, size);
  return pins;
}

std::vector<SpringSpec> make_springs(const Scene& scene, const TriangleMesh& rest, const VecX& initial) {
  std::vector<SpringSpec> springs;
  for (const scene::Spring& table : scene.springs) {
    const std::string where = (table.pairs ? table.pairs->source : table.source).where();
    const std::vector<Edge>& pairs = table.pairs ? table.pairs->value : rest.lines;
    if (pairs.empty()) {
      throw InputError(
          fmt::format("{}: [[spring]] lines: the rest mesh {} has no lines; expected edges without "
                      "faces (OBJ l); draw them, or give pairs",
                      where, scene.cloth.rest.value.string()));
    }
    for (const Edge& pair : pairs) {
      const int largest = std::max(pair[0], pair[1]);
      if (largest >= rest.vertex_count()) {
        throw InputError(
            fmt::format("{}: [[spring]] pairs: found vertex {}; expected 0 to {}; count vertices from 0",
                        where, largest, rest.vertex_count() - 1));
      }
      const double length = table.rest == scene::SpringRest::kZero
                                ? 0.0
                                : (rest.positions[pair[0]] - rest.positions[pair[1]]).norm();
      if (length > 0.0 && initial.segment<3>(3 * pair[0]) == initial.segment<3>(3 * pair[1])) {
        throw InputError(
            fmt::format("{}: [[spring]]: vertices {} and {} are in one place at the first frame, and the "
                        "spring between them is {} m long: it has no direction; move one of them, or "
                        "set rest = \"zero\"",
                        where, pair[0], pair[1], short_number(length)));
      }
      springs.push_back({pair, table.stiffness, length, table.damping});
    }
  }
  return springs;
}

}  // namespace keydrape
