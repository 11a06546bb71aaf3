#include "control/steering/led_poses.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace keydrape {
namespace {

// How far a hand may be ahead of its vertex when it carries all of the cloth, over the cloth's size.
constexpr double kLag = 1e-3;

// Where a vertex has to be, by state.
using Stations = std::map<int, Vec3>;

std::map<int, Stations> stations_of_vertices(const std::vector<Keyframe>& keyframes,
                                             const ControlLayout& layout) {
  const std::vector<char> few = that_want_few(keyframes, layout);
  std::map<int, Stations> stations;
  for (std::size_t k = 0; k < keyframes.size(); ++k) {
    const Keyframe& keyframe = keyframes[k];
    for (const int i : layout.active())
      if (few[k] && keyframe.vertex_weight[i] > 0.0)
        stations[i].emplace(keyframe.state, keyframe.target.segment<3>(3 * i));
  }
  return stations;
}

// A hand's way from x on through the stations, at rest at both ends: cubics, with the tangents of Catmull &
// Rom 1974 in between (G3). The track counts from the shot's first frame, states from its step `first`.
MotionTrack way_through(const Stations& stations, const Vec3& x, int first, double dt) {
  struct Knot {
    int state;
    Vec3 x, v = Vec3::Zero();  // v [m/step]
  };
  std::vector<Knot> knots = {{0, x}};
  for (const auto& [state, place] : stations) knots.push_back({state, place});
  for (std::size_t k = 1; k + 1 < knots.size(); ++k)
    knots[k].v = (knots[k + 1].x - knots[k - 1].x) / (knots[k + 1].state - knots[k - 1].state);
  MotionTrack track;
  track.sample_interval = dt;
  track.samples.assign(static_cast<std::size_t>(first) + 1, x);
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    const Knot &from = knots[k], &to = knots[k + 1];
    const double steps = to.state - from.state;
    for (int n = from.state + 1; n <= to.state; ++n) {
      const double s = (n - from.state) / steps, t = 1.0 - s;
      track.samples.push_back(t * t * (1.0 + 2.0 * s) * from.x + s * s * (1.0 + 2.0 * t) * to.x +
                              steps * s * t * (t * from.v - s * to.v));
    }
  }
  return track;
}

// The largest on the way [m/s^2].
double acceleration(const MotionTrack& track) {
  double largest = 0.0;
  for (std::size_t n = 1; n + 1 < track.samples.size(); ++n)
    largest =
        std::max(largest, (track.samples[n + 1] - 2.0 * track.samples[n] + track.samples[n - 1]).norm());
  return largest / (track.sample_interval * track.sample_interval);
}

}  // namespace

std::vector<char> that_want_few(const std::vector<Keyframe>& keyframes, const ControlLayout& layout) {
  std::set<int> fuller;  // states at which more is wanted
  std::vector<char> few;
  for (const Keyframe& k : keyframes) {
    const bool is_place = k.weight > 0.0 && !k.relative_to && !k.surface && k.directions.empty();
    const auto count = std::count_if(layout.active().begin(), layout.active().end(),
                                     [&](int i) { return k.vertex_weight[i] > 0.0; });
    few.push_back(is_place && count > 0 && are_few(count, layout.active_count()));
    if (k.has_weight() && !few.back()) fuller.insert(k.state);
  }
  for (std::size_t k = 0; k < few.size(); ++k) few[k] = few[k] && !fuller.contains(keyframes[k].state);
  return few;
}

bool any_wants_few(const std::vector<Keyframe>& keyframes, const ControlLayout& layout) {
  const std::vector<char> few = that_want_few(keyframes, layout);
  return std::find(few.begin(), few.end(), 1) != few.end();
}

ClothDescription led_cloth(ClothDescription cloth, const LedShot& shot,
                           const std::vector<Keyframe>& keyframes) {
  const double mass = shot.simulator.model().vertex_mass().sum();
  const double dt = shot.simulator.dt();
  const int first = shot.simulator.options().first_step;
  for (const auto& [i, stations] : stations_of_vertices(keyframes, shot.layout)) {
    SoftPin hand;
    hand.vertices = {i};
    hand.weights = {1.0};
    hand.motion = way_through(stations, shot.start.x.segment<3>(3 * i), first, dt);
    hand.stiffness = mass * std::max(kStandardGravity, acceleration(hand.motion)) / (kLag * shot.length);
    hand.end_time = dt * (first + stations.rbegin()->first);
    cloth.soft_pins.push_back(std::move(hand));
  }
  return cloth;
}

std::vector<Keyframe> with_led_poses(std::vector<Keyframe> keyframes, const ControlLayout& layout,
                                     const Trajectory& run) {
  const std::vector<char> few = that_want_few(keyframes, layout);
  for (std::size_t k = 0; k < keyframes.size(); ++k) {
    Keyframe& keyframe = keyframes[k];
    if (!few[k] || keyframe.state > run.first_failure()) continue;
    keyframe.target = with_targets(keyframe, run.states[keyframe.state].x);
    if (keyframe.velocity_weight > 0.0) keyframe.velocity_vertex_weight = keyframe.velocity_omega();
    keyframe.vertex_weight.setOnes();
  }
  return keyframes;
}

}  // namespace keydrape
