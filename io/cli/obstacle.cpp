#include "io/cli/obstacle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/constraint/hard_pin.h"
#include "io/run/run_records.h"

namespace keydrape {
namespace {

// Share of a miss, or of the forces, from which on something is said to hold the cloth back.
constexpr double kNoticeable = 0.05, kMostly = 0.5;
// So many times the runs are worth asking for.
constexpr int kMoreRuns = 4;

// Share of the squared miss that lies on the vertices of a set.
template <class Contains>
double share_of_miss(const Keyframe& goal, const VecX& compared, const Contains& contains) {
  double part = 0.0, whole = 0.0;
  for (int i = 0; i < static_cast<int>(goal.vertex_weight.size()); ++i) {
    const double square = goal.vertex_weight(i) * (compared - goal.target).segment<3>(3 * i).squaredNorm();
    whole += square;
    if (contains(i)) part += square;
  }
  return whole > 0.0 ? part / whole : 0.0;
}

std::vector<bool> held_vertices(const Shot& shot, int state) {
  const int n = shot.rest().vertex_count();
  std::vector<bool> held(n, false);
  const StepConstraints constraints(shot.model().pins(), state * shot.clock.dt(), n);
  for (const StepConstraints::Row& row : constraints.rows()) held[row.vertex] = row.S.isZero();
  return held;
}

std::vector<bool> pushed_vertices(const Shot& shot) {
  std::vector<bool> pushed(shot.rest().vertex_count(), false);
  for (const int i : shot.layout().active()) pushed[i] = true;
  return pushed;
}

bool forces_act_before(const Shot& shot, int state) {
  for (int n = 0; n < state; ++n)
    if (shot.layout().block_of_step(n) >= 0) return true;
  return false;
}

// Of the frames of keyframe k's goal, that with the largest miss.
std::size_t worst_of_goal(const Shot& shot, const SearchPoint& best, std::size_t k) {
  std::size_t worst = k;
  for (std::size_t j = k;
       j < best.misses.size() && shot.keyframes[j].keyframe.target_id == shot.keyframes[k].keyframe.target_id; ++j)
    if (best.misses[j].rms > best.misses[worst].rms) worst = j;
  return worst;
}

// How far apart two keyframes of one frame are, over the vertices that both pose: RMS [m].
double distance_between(const Keyframe& a, const Keyframe& b) {
  double sum = 0.0, weights = 0.0;
  for (Eigen::Index i = 0; i < a.vertex_weight.size(); ++i) {
    const double weight = std::min(a.vertex_weight(i), b.vertex_weight(i));
    sum += weight * (a.target - b.target).segment<3>(3 * i).squaredNorm();
    weights += weight;
  }
  return weights > 0.0 ? std::sqrt(sum / weights) : 0.0;
}

// Whether the target is a shape of the whole cloth's own mesh, at a frame that stands.
bool is_pose(const Keyframe& keyframe) { return !keyframe.is_adaptive() && !keyframe.relative_to; }

// The distance to a keyframe of the same frame that pulls elsewhere than the tolerances of both leave room
// for; 0: there is none [m].
double distance_to_rival(const Shot& shot, const ShotKeyframe& own) {
  if (!is_pose(own.keyframe)) return 0.0;
  double farthest = 0.0;
  for (const ShotKeyframe& other : shot.keyframes) {
    if (&other == &own || other.keyframe.state != own.keyframe.state || other.keyframe.weight <= 0.0 ||
        !is_pose(other.keyframe))
      continue;
    const double distance = distance_between(own.goal, other.keyframe);
    if (distance > own.tolerance.value_or(0.0) + other.tolerance.value_or(0.0))
      farthest = std::max(farthest, distance);
  }
  return farthest;
}

// In how many places no cloth can take the target: within a body, through itself, beyond the strain limit.
// Asked only of targets of the whole cloth.
int impossible_places(const Shot& shot, const Keyframe& goal) {
  if (!is_pose(goal) || goal.state == 0 || goal.vertex_weight.minCoeff() <= 0.0) return 0;
  const VecX zero = VecX::Zero(goal.target.size());
  const State posed{goal.target, zero};
  return shot.simulator().problem(goal.state - 1, posed, zero).count_violations(goal.target);
}

// Whether the search ended before its time: as far as the misses fell so far, more runs meet the tolerance.
bool wants_more_runs(const SearchResult& result, std::size_t k, double tolerance) {
  if (!result.out_of_budget) return false;
  // How fast they fall takes two runs.
  const bool is_known =
      !result.closest.now.least.empty() && result.closest.now.runs > result.closest.quarter.runs;
  return !is_known || result.closest.after(kMoreRuns, k) <= tolerance;
}

// What holds the cloth back at keyframe k, which has missed a tolerance. `allowed_share`: of the squared miss
// of positions, within the tolerance.
std::string reason(const Scene& scene, const Shot& shot, const SearchResult& result, std::size_t k,
                   double allowed_share, bool wants_runs) {
  const SearchPoint& best = *result.best;
  const Keyframe& goal = shot.keyframes[k].goal;
  const VecX x = compared_state(goal, [&](int n) { return best.trajectory.states[n]; }).x;
  if (const double distance = distance_to_rival(shot, shot.keyframes[k]); distance > 0.0)
    return fmt::format("another keyframe asks for another pose on the same frame, {:.3g} mm away",
                       1e3 * distance);
  const std::optional<FrameRange>& window = scene.control.window;
  if (const int frame = shot.clock.frame_of_step(goal.state);
      window && !(window->first < frame && frame <= window->last))
    return "it is outside of [control] window";
  if (!forces_act_before(shot, goal.state)) return "[control] frames lets no force act before it";
  const std::vector<bool> held = held_vertices(shot, goal.state), pushed = pushed_vertices(shot);
  const double on_pins = share_of_miss(goal, x, [&](int i) { return held[i]; });
  if (on_pins > std::min(kMostly, allowed_share))  // no force moves them
    return fmt::format("pins hold it back: {:.0f} % of the squared miss is on vertices that they hold",
                       100 * on_pins);
  constexpr const char* kMoreRunsHelp = "the search was not at its end: raise max_forward_simulations";
  if (!scene.control.forces)
    return wants_runs ? kMoreRunsHelp : "the channels of [control] take it no nearer, and forces = false";
  const double unpushed = share_of_miss(goal, x, [&](int i) { return !pushed[i] && !held[i]; });
  if (unpushed > kMostly)
    return fmt::format(
        "the region of [control] holds it back: {:.0f} % of the squared miss is on vertices outside",
        100 * unpushed);
  if (const int places = impossible_places(shot, goal); places > 0)
    return fmt::format(
        "no cloth can take this shape: it lies within a body, goes through itself or is overstretched in {} "
        "places",
        places);
  if (scene.control.max_acceleration) {
    const double share = open_bounds(scene, shot).share_at_bound(best.z);
    if (share > kNoticeable)
      return fmt::format(
          "max_acceleration = {} g holds it back: {:.0f} % of the forces are as large as it allows",
          *scene.control.max_acceleration, 100 * share);
  }
  if (wants_runs) return kMoreRunsHelp;
  if (!scene.control.effort.automatic)
    return "effort holds it back: lower it, or let effort = \"auto\" choose";
  return "the cloth itself resists: its target may be stretched or folded";
}

// The least miss of positions of any run, and that of the result where it is farther [mm].
std::string closest_text(const SearchResult& result, std::size_t k) {
  const double miss = result.best->misses[k].rms;
  const auto& least = result.closest.now.least;
  const double closest = least.empty() ? miss : std::min(miss, least[k].rms);
  const std::string text = fmt::format("{:.3g} mm", 1e3 * closest);
  if (closest >= (1.0 - kNoticeable) * miss) return text;
  return fmt::format("{} ({:.3g} mm in the result, which serves the others better)", text, 1e3 * miss);
}

std::string position_obstacle(const Scene& scene, const Shot& shot, const SearchResult& result,
                              std::size_t k) {
  const ShotKeyframe& keyframe = shot.keyframes[k];
  const double tolerance = *keyframe.tolerance, miss = result.best->misses[k].rms;
  const std::string why = keyframe.keyframe.weight > 0.0
                              ? reason(scene, shot, result, k, tolerance * tolerance / (miss * miss),
                                       wants_more_runs(result, k, tolerance))
                              : "its weight is 0, so that nothing takes the cloth there";
  return fmt::format("frame {}: the closest is {}, its tolerance {:.3g} mm; {}",
                     frame_of(shot, result.best->misses[k]), closest_text(result, k), 1e3 * tolerance, why);
}

std::string velocity_obstacle(const Scene& scene, const Shot& shot, const SearchResult& result,
                              std::size_t k) {
  const KeyframeMiss& miss = result.best->misses[k];
  return fmt::format("frame {}: velocities come within {:.3g} m/s, their tolerance is {:.3g} m/s; {}",
                     frame_of(shot, miss), miss.velocity_rms, *shot.keyframes[k].velocity_tolerance,
                     reason(scene, shot, result, k, 1.0, result.out_of_budget));
}

}  // namespace

std::vector<std::string> obstacles(const Scene& scene, const Shot& shot, const SearchResult& result) {
  const SearchPoint& best = *result.best;
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < shot.keyframes.size(); ++k) {
    const ShotKeyframe& keyframe = shot.keyframes[k];
    const bool is_same_track =
        keyframe.track && k > 0 && shot.keyframes[k - 1].keyframe.target_id == keyframe.keyframe.target_id;
    if (is_same_track) continue;
    const std::size_t worst = worst_of_goal(shot, best, k);
    const KeyframeMiss& miss = best.misses[worst];
    if (keyframe.tolerance && miss.rms > *keyframe.tolerance)
      lines.push_back(position_obstacle(scene, shot, result, worst));
    if (keyframe.velocity_tolerance && miss.velocity_rms > *keyframe.velocity_tolerance)
      lines.push_back(velocity_obstacle(scene, shot, result, worst));
  }
  return lines;
}

// Keyframes without weight, and those outside a window, may have tolerances, too: nothing tries to meet them.
std::string met_sentence(const Scene& scene, const Shot& shot) {
  if (scene.control.window) return "every tolerance within [control] window is met";
  const bool all = std::all_of(shot.keyframes.begin(), shot.keyframes.end(),
                               [](const ShotKeyframe& k) { return k.keyframe.weight > 0.0 || !k.tolerance; });
  return all ? std::string(sentence(OptimizerEnd::kDone)) : "every tolerance of what has weight is met";
}

}  // namespace keydrape
