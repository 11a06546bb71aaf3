#include "io/perform/obstacle_text.h"

#include <fmt/format.h>

#include "io/run/run_records.h"

namespace keydrape {
namespace {

// Share of a miss from which on that of the result is told beside the closest.
constexpr double kNoticeable = 0.05;

std::string reason(const Scene& scene, const Obstacle& obstacle) {
  switch (obstacle.kind) {
    case ObstacleKind::kNoWeight:
      return "its weight is 0, so that nothing takes the cloth there";
    case ObstacleKind::kRival:
      return fmt::format("another keyframe asks for another pose on the same frame, {:.3g} mm away",
                         1e3 * obstacle.distance);
    case ObstacleKind::kOutsideWindow:
      return "it is outside of [control] window";
    case ObstacleKind::kNoForceBefore:
      return "[control] frames lets no force act before it";
    case ObstacleKind::kPins:
      return fmt::format("pins hold it back: {:.0f} % of the squared miss is on vertices that they hold",
                         100 * obstacle.share);
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
          "{} places",
          obstacle.places);
    case ObstacleKind::kBound:
      return fmt::format(
          "max_acceleration = {} g holds it back: {:.0f} % of the forces are as large as it allows",
          *scene.control.max_acceleration, 100 * obstacle.share);
    case ObstacleKind::kEffort:
      return "effort holds it back: lower it, or let effort = \"auto\" choose";
    case ObstacleKind::kCloth:
      break;
  }
  return "the cloth itself resists: its target may be stretched or folded";
}

// The least miss of positions of any run, and that of the result where it is farther [mm].
std::string closest_text(const Obstacle& obstacle) {
  const std::string text = fmt::format("{:.3g} mm", 1e3 * obstacle.closest);
  if (obstacle.closest >= (1.0 - kNoticeable) * obstacle.miss.rms) return text;
  return fmt::format("{} ({:.3g} mm in the result, which serves the others better)", text,
                     1e3 * obstacle.miss.rms);
}

}  // namespace

std::vector<std::string> obstacle_sentences(const Scene& scene, const Shot& shot,
                                            const std::vector<Obstacle>& obstacles) {
  std::vector<std::string> sentences;
  for (const Obstacle& obstacle : obstacles) {
    const ShotKeyframe& keyframe = shot.keyframes[obstacle.target];
    const int frame = frame_of(shot, obstacle.miss);
    sentences.push_back(
        obstacle.is_velocity
            ? fmt::format("frame {}: velocities come within {:.3g} m/s, their tolerance is {:.3g} m/s; {}",
                          frame, obstacle.miss.velocity_rms, *keyframe.velocity_tolerance,
                          reason(scene, obstacle))
            : fmt::format("frame {}: the closest is {}, its tolerance {:.3g} mm; {}", frame,
                          closest_text(obstacle), 1e3 * *keyframe.tolerance, reason(scene, obstacle)));
  }
  return sentences;
}

}  // namespace keydrape
