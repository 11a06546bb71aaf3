#include "io/cli/obstacle.h"

#include <fmt/format.h>

#include "core/constraint/hard_pin.h"
#include "io/run_records.h"

namespace keydrape {
namespace {

// Share of a miss, or of the forces, from which on something is said to hold the cloth back.
constexpr double kNoticeable = 0.05, kMostly = 0.5;

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
  const int n = shot.rest.vertex_count();
  std::vector<bool> held(n, false);
  const StepConstraints constraints(shot.model->pins(), state * shot.clock.dt(), n);
  for (const StepConstraints::Row& row : constraints.rows()) held[row.vertex] = row.S.isZero();
  return held;
}

std::vector<bool> pushed_vertices(const Shot& shot) {
  std::vector<bool> pushed(shot.rest.vertex_count(), false);
  for (const int i : shot.layout->active()) pushed[i] = true;
  return pushed;
}

bool forces_act_before(const Shot& shot, int state) {
  for (int n = 0; n < state; ++n)
    if (shot.layout->block_of_step(n) >= 0) return true;
  return false;
}

// Of the frames of keyframe k's goal, that with the largest miss.
std::size_t worst_of_goal(const Shot& shot, const SearchPoint& best, std::size_t k) {
  std::size_t worst = k;
  for (std::size_t j = k;
       j < best.misses.size() && shot.keyframes[j].goal.goal == shot.keyframes[k].goal.goal; ++j)
    if (best.misses[j].rms > best.misses[worst].rms) worst = j;
  return worst;
}

std::string reason(const Scene& scene, const Shot& shot, const SearchPoint& best, const Keyframe& goal,
                   bool out_of_budget) {
  const VecX x = compared_state(goal, [&](int n) { return best.trajectory.states[n]; }).x;
  const std::optional<FrameRange>& window = scene.control.window;
  if (const int frame = shot.clock.frame_of_step(goal.state);
      window && !(window->first < frame && frame <= window->last))
    return "it is outside of [control] window";
  if (!forces_act_before(shot, goal.state)) return "[control] frames lets no force act before it";
  const std::vector<bool> held = held_vertices(shot, goal.state), pushed = pushed_vertices(shot);
  const double on_pins = share_of_miss(goal, x, [&](int i) { return held[i]; });
  if (on_pins > kMostly)
    return fmt::format("pins hold it back: {:.0f} % of the squared miss is on vertices that they hold",
                       100 * on_pins);
  const double unpushed = share_of_miss(goal, x, [&](int i) { return !pushed[i] && !held[i]; });
  if (unpushed > kMostly)
    return fmt::format(
        "the region of [control] holds it back: {:.0f} % of the squared miss is on vertices outside",
        100 * unpushed);
  if (scene.control.max_acceleration) {
    const double share = shot.layout->bounds(*scene.control.max_acceleration).share_at_bound(best.z);
    if (share > kNoticeable)
      return fmt::format(
          "max_acceleration = {} g holds it back: {:.0f} % of the forces are as large as it allows",
          *scene.control.max_acceleration, 100 * share);
  }
  if (out_of_budget) return "the search was not at its end: raise max_forward_simulations";
  if (!scene.control.effort.automatic)
    return "effort holds it back: lower it, or let effort = \"auto\" choose";
  return "the cloth itself resists: its target may be stretched, folded or inside of a body";
}

}  // namespace

std::vector<std::string> obstacles(const Scene& scene, const Shot& shot, const SearchPoint& best,
                                   bool out_of_budget) {
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < shot.keyframes.size(); ++k) {
    const ShotKeyframe& keyframe = shot.keyframes[k];
    const bool is_same_track =
        keyframe.track && k > 0 && shot.keyframes[k - 1].goal.goal == keyframe.goal.goal;
    if (is_same_track) continue;
    const std::size_t worst = worst_of_goal(shot, best, k);
    const KeyframeMiss& miss = best.misses[worst];
    const std::string why = reason(scene, shot, best, shot.keyframes[worst].goal, out_of_budget);
    if (keyframe.tolerance && miss.rms > *keyframe.tolerance)
      lines.push_back(fmt::format("frame {}: the closest is {:.3g} mm, its tolerance {:.3g} mm; {}",
                                  frame_of(shot, miss), 1e3 * miss.rms, 1e3 * *keyframe.tolerance, why));
    if (keyframe.velocity_tolerance && miss.velocity_rms > *keyframe.velocity_tolerance)
      lines.push_back(
          fmt::format("frame {}: velocities come within {:.3g} m/s, their tolerance is {:.3g} m/s; {}",
                      frame_of(shot, miss), miss.velocity_rms, *keyframe.velocity_tolerance, why));
  }
  return lines;
}

}  // namespace keydrape
