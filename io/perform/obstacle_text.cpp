#include "io/perform/obstacle_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>
#include <utility>

#include "io/file/counted.h"
#include "io/file/short_number.h"
#include "io/run/run_records.h"

namespace keydrape {
namespace {

// Share of a miss from which on that of the result is told beside the closest.
constexpr double kNoticeable = 0.05;

// What a share of the squared miss is, as a distance or a velocity.
std::string part_of_miss(const Obstacle& obstacle, double share) {
  if (obstacle.missed == MissedTolerance::kVelocity)
    return fmt::format("{} m/s", short_number(std::sqrt(share) * obstacle.miss.velocity_rms));
  const double miss = obstacle.missed == MissedTolerance::kRms ? obstacle.miss.rms : obstacle.miss.max;
  return fmt::format("{} mm", short_number(1e3 * std::sqrt(share) * miss));
}

// The key with which the closest run would have been near enough, rounded up to two digits.
std::string met_tolerance(const Obstacle& obstacle) {
  const auto [key, met] = obstacle.missed == MissedTolerance::kVelocity
                              ? std::pair("velocity_tolerance", obstacle.miss.velocity_rms)
                          : obstacle.missed == MissedTolerance::kOneVertex
                              ? std::pair("tolerance_max", obstacle.miss.max)
                              : std::pair("tolerance", obstacle.closest);
  const double unit = std::pow(10.0, std::floor(std::log10(met)) - 1.0);
  return fmt::format("{} = {}", key, short_number(unit * std::ceil(met / unit), 2));
}

std::string net_text(const Scene& scene, const Obstacle& obstacle) {
  const bool by_frame = scene.control.net == NetForce::kZero;
  return fmt::format(
      "[control] net = \"{}\" {}, and {} of the miss is that; {}, or take net away",
      by_frame ? "zero-force" : "zero-impulse",
      by_frame ? "leaves the cloth's centre where it comes by itself"
               : "takes back over the shot what forces give to the cloth's centre",
      part_of_miss(obstacle, obstacle.share),
      obstacle.missed == MissedTolerance::kVelocity ? "ask for another velocity" : "move the pose");
}

// Names all that leaves forces few ways to push.
std::string basis_text(const scene::Control& control) {
  if (!control.knots_every && !control.modes)
    return "forces without a net force take it no nearer: take net in [control] away, or look whether the "
           "cloth can take this pose";
  std::vector<std::string> keys, ways;
  if (control.net != NetForce::kFree) keys.emplace_back("net");
  if (control.knots_every) keys.emplace_back("knots_every"), ways.emplace_back("lower ");
  if (control.modes) keys.emplace_back("modes"), ways.emplace_back("raise ");
  const bool is_one = keys.size() == 1;
  for (std::size_t k = 0, first = keys.size() - ways.size(); k < ways.size(); ++k)
    ways[k] += is_one ? "it" : keys[first + k];
  ways.push_back(fmt::format("{}take {} away", ways.empty() ? "" : "or ", is_one ? "it" : "one of them"));
  return fmt::format(
      "{} in [control] {} forces few ways to push, none of which takes it nearer: {}",
      is_one ? keys[0] : fmt::format("{} and {}", fmt::join(keys.begin(), keys.end() - 1, ", "), keys.back()),
      is_one ? "leaves" : "leave", fmt::join(ways, ", "));
}

// Whether its target is a mesh, which keydrape relax takes.
bool may_be_relaxed(const ShotKeyframe& keyframe) { return keyframe.is_pose || keyframe.track; }

// What a target asks for that the cloth resists, and what to do about it.
std::string_view resisted(const ShotKeyframe& keyframe, const Obstacle& obstacle) {
  if (keyframe.keyframe.relative_to) return "it may swing too much to come back; give the shot more frames";
  if (!may_be_relaxed(keyframe)) return "it may not come to lie there; move the target";
  return obstacle.is_strain_in_reach ? "its target strains it no more than it gives, but may be too far for "
                                       "the time; give it more frames"
                                     : "its target may be stretched or folded; relax it (keydrape relax)";
}

// What helps cloth that crumples finer than its mesh, but what the scene has already.
std::string uncrumpled(const Scene& scene) {
  constexpr int kManySubsteps = 16;
  const std::optional<scene::Compressed>& compression = scene.cloth.material.compression;
  std::string text;
  if (scene.shot.substeps < kManySubsteps)
    text += fmt::format("more substeps than {}, ", scene.shot.substeps);
  if (compression && !compression->is_buckling && compression->factor == 1.0)
    text += "compression at its default, ";
  return text + "a larger bend or damping, or a finer mesh";
}

// What else the last runs of a search say, whose cloth may be driven nowhere nearer.
std::string last_runs_text(const Scene& scene, const Obstacle& obstacle) {
  if (obstacle.last_runs == LastRuns::kSettled) return "";
  const std::string_view seen = obstacle.last_runs == LastRuns::kRefused
                                    ? "no trial was better any more, however little it changed"
                                    : "the second half of the runs hardly came nearer";
  if (obstacle.crumpling == 0.0) return fmt::format("; {}", seen);
  return fmt::format("; {}, where the cloth is crumpled, squeezed by up to {:.0f} %: what helps is {}", seen,
                     100 * obstacle.crumpling, uncrumpled(scene));
}

// Some forces of a search that was cut short may be as large as they may be for want of better ones; most of
// them are so where they are needed.
std::string bound_text(const Scene& scene, const Obstacle& obstacle) {
  const std::string at_bound =
      fmt::format("{:.0f} % of the forces before it are as large as", 100 * obstacle.share);
  const double limit = *scene.control.max_acceleration;
  if (obstacle.last_runs == LastRuns::kNoNearer)
    return fmt::format(
        "the search was not at its end: raise max_forward_simulations; {} max_acceleration = {} g allows: if "
        "it comes no nearer, raise that, or ask for what it came to: {}",
        at_bound, limit, met_tolerance(obstacle));
  return fmt::format(
      "max_acceleration = {} g holds it back: {} it allows; raise it, or ask for what it came to: {}", limit,
      at_bound, met_tolerance(obstacle));
}

std::string reason(const Scene& scene, const ShotKeyframe& keyframe, const Obstacle& obstacle) {
  switch (obstacle.kind) {
    case ObstacleKind::kNoWeight:
      return "its weight is 0, so that nothing takes the cloth there";
    case ObstacleKind::kRival:
      return fmt::format("another keyframe asks for another pose on the same frame, {} mm away",
                         short_number(1e3 * obstacle.distance));
    case ObstacleKind::kOutsideWindow:
      return "it is outside of [control] window";
    case ObstacleKind::kNoForceBefore:
      return "[control] frames lets no force act before it";
    case ObstacleKind::kPins:
      return fmt::format(
          "pins hold it back: {:.0f} % of the squared miss is on vertices that they hold, which alone leave "
          "{}",
          100 * obstacle.share, part_of_miss(obstacle, obstacle.share));
    case ObstacleKind::kStrained:
      return fmt::format(
          "it is strained: {:.0f} % of the squared miss is where it stretches or squeezes the cloth more "
          "than it gives{}",
          100 * obstacle.share,
          may_be_relaxed(keyframe) ? "; keydrape relax makes it a pose that the cloth can take" : "");
    case ObstacleKind::kForwardRuns:
      return "the search was not at its end: raise max_forward_simulations";
    case ObstacleKind::kChannels:
      return "the channels of [control] take it no nearer, and forces = false";
    case ObstacleKind::kRegion:
      return fmt::format(
          "the region of [control] holds it back: {:.0f} % of the squared miss is on vertices outside",
          100 * obstacle.share);
    case ObstacleKind::kImpossibleShape:
      return fmt::format(
          "no cloth can take this shape: it lies within a body, goes through itself or is overstretched in "
          "{}",
          counted(obstacle.places, "place"));
    case ObstacleKind::kBound:
      return bound_text(scene, obstacle);
    case ObstacleKind::kNet:
      return net_text(scene, obstacle);
    case ObstacleKind::kBasis:
      return basis_text(scene.control);
    case ObstacleKind::kEffort:
      return "effort holds it back: lower it, or let effort = \"auto\" choose";
    case ObstacleKind::kCloth:
      break;
  }
  return fmt::format("the cloth itself resists: {}, or loosen its tolerance{}", resisted(keyframe, obstacle),
                     last_runs_text(scene, obstacle));
}

// Of what may be told of the search and its forces nothing helps where no cloth reaches so far.
bool is_of_forces(ObstacleKind kind) {
  return kind == ObstacleKind::kForwardRuns || kind == ObstacleKind::kBound || kind == ObstacleKind::kBasis ||
         kind == ObstacleKind::kEffort || kind == ObstacleKind::kCloth;
}

// Whether it alone leaves more than was asked for.
bool is_out_of_reach(const TautPair& taut, const Target& target, MissedTolerance missed) {
  if (missed == MissedTolerance::kRms)
    return least_rms(taut, target.keyframe.vertex_weight) > *target.tolerance;
  return missed == MissedTolerance::kOneVertex && least_max(taut) > *target.tolerance_max;
}

std::string taut_text(const TautPair& taut) {
  return fmt::format(
      "it wants vertices {} and {}{} {} m apart, but the cloth between them is {} m long: choose nearer "
      "places",
      taut.vertex, taut.other, taut.is_held ? ", which a pin holds," : "", short_number(taut.distance),
      short_number(taut.length));
}

std::string all_reasons(const Scene& scene, const Shot& shot, const Obstacle& obstacle) {
  const ShotKeyframe& keyframe = shot.keyframes[obstacle.target];
  const TautPair& taut = shot.reach[obstacle.target].taut;
  const bool is_taut = is_of_forces(obstacle.kind) &&
                       is_out_of_reach(taut, shot.task().targets[obstacle.target], obstacle.missed);
  std::string text = is_taut ? taut_text(taut) : reason(scene, keyframe, obstacle);
  if (obstacle.kind != ObstacleKind::kPins && obstacle.pins_share > 0.0)
    text += fmt::format("; pins alone leave {}, more than the tolerance",
                        part_of_miss(obstacle, obstacle.pins_share));
  return text;
}

// How many digits tell two numbers apart, three at least; three where only the last ones differ.
int digits_apart(double a, double b) {
  constexpr int kUsual = 3, kMost = 12;
  for (int digits = kUsual; digits < kMost; ++digits)
    if (short_number(a, digits) != short_number(b, digits)) return digits;
  return kUsual;
}

// The least miss of positions of any run, and that of the result where it is farther [mm].
std::string closest_text(const Scene& scene, const Shot& shot, const Obstacle& obstacle, int digits) {
  std::string text = fmt::format("{} mm", short_number(1e3 * obstacle.closest, digits));
  if (obstacle.closest >= (1.0 - kNoticeable) * obstacle.miss.rms) return text;
  const std::string_view why = !scene.control.effort.automatic ? ", which costs less"
                               : shot.keyframes.size() > 1     ? ", which serves the others better"
                                                               : "";
  return fmt::format("{} ({} mm in the result{})", text, short_number(1e3 * obstacle.miss.rms), why);
}

std::string miss_text(const Scene& scene, const Shot& shot, const Obstacle& obstacle) {
  const ShotKeyframe& keyframe = shot.keyframes[obstacle.target];
  if (obstacle.missed == MissedTolerance::kVelocity) {
    const double miss = obstacle.miss.velocity_rms, tolerance = *keyframe.velocity_tolerance;
    const int digits = digits_apart(miss, tolerance);
    return fmt::format("velocities come within {} m/s, their tolerance is {} m/s", short_number(miss, digits),
                       short_number(tolerance, digits));
  }
  if (obstacle.missed == MissedTolerance::kOneVertex) {
    const double miss = 1e3 * obstacle.miss.max, tolerance = 1e3 * *keyframe.tolerance_max;
    const int digits = digits_apart(miss, tolerance);
    return fmt::format("the farthest vertex is {} mm off, tolerance_max is {} mm", short_number(miss, digits),
                       short_number(tolerance, digits));
  }
  const double tolerance = 1e3 * *keyframe.tolerance;
  const int digits = digits_apart(1e3 * obstacle.closest, tolerance);
  return fmt::format("the closest is {}, its tolerance {} mm", closest_text(scene, shot, obstacle, digits),
                     short_number(tolerance, digits));
}

}  // namespace

std::vector<std::string> obstacle_sentences(const Scene& scene, const Shot& shot,
                                            const std::vector<Obstacle>& obstacles) {
  std::vector<std::string> sentences;
  sentences.reserve(obstacles.size());
  for (const Obstacle& obstacle : obstacles) {
    sentences.push_back(fmt::format("frame {}: {}; {}", frame_of(shot, obstacle.miss),
                                    miss_text(scene, shot, obstacle), all_reasons(scene, shot, obstacle)));
  }
  return sentences;
}

}  // namespace keydrape
