#include "control/steering/led_poses.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace keydrape {
namespace {

// How far hands may be ahead of their vertices when they carry all of the cloth, over the cloth's size.
constexpr double kLag = 1e-3;
// Of the vertices that may be pushed: with more the keyframe says itself where the cloth lies.
constexpr double kPart = 5.0 / 6.0;

// Where a vertex has to be at a state, and its velocity if that counts as well [m/s].
struct Station {
  Vec3 x;
  std::optional<Vec3> v;
};

// A vertex's stations by state, and how much they count, in (0, 1].
struct Led {
  std::map<int, Station> stations;
  double weight = 0.0;
};

std::map<int, Led> led_vertices(const std::vector<Keyframe>& keyframes, const ControlLayout& layout) {
  const std::vector<char> part = that_want_a_part(keyframes, layout);
  std::map<int, Led> led;
  for (std::size_t k = 0; k < keyframes.size(); ++k) {
    if (!part[k]) continue;
    const Keyframe& keyframe = keyframes[k];
    const double most = keyframe.vertex_weight.maxCoeff();
    for (const int i : layout.active()) {
      if (!(keyframe.vertex_weight[i] > 0.0)) continue;
      Station station{keyframe.target.segment<3>(3 * i), std::nullopt};
      if (keyframe.velocity_weight > 0.0 && keyframe.velocity_omega()[i] > 0.0)
        station.v = keyframe.target_velocity.segment<3>(3 * i);
      led[i].stations.emplace(keyframe.state, station);
      led[i].weight = std::max(led[i].weight, keyframe.vertex_weight[i] / most);
    }
  }
  return led;
}

// A hand's way from where its vertex begins on through the stations, at rest at the end: cubics, where no
// velocity is wanted with the tangents of Catmull & Rom 1974 (G3). At every state up to the last station.
std::vector<Vec3> way_through(const std::map<int, Station>& stations, const Vec3& x, const Vec3& v,
                              double dt) {
  struct Knot {
    int state;
    Vec3 x, v;  // v [m/step]
  };
  std::vector<Knot> knots = {{0, x, dt * v}};
  for (const auto& [state, station] : stations)
    knots.push_back({state, station.x, dt * station.v.value_or(Vec3::Zero())});
  std::size_t next = 1;
  for (auto at = stations.begin(); next + 1 < knots.size(); ++at, ++next)
    if (!at->second.v)
      knots[next].v =
          (knots[next + 1].x - knots[next - 1].x) / (knots[next + 1].state - knots[next - 1].state);
  std::vector<Vec3> way = {x};
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    const Knot &from = knots[k], &to = knots[k + 1];
    const double steps = to.state - from.state;
    for (int n = from.state + 1; n <= to.state; ++n) {
      const double s = (n - from.state) / steps, t = 1.0 - s;
      way.push_back(t * t * (1.0 + 2.0 * s) * from.x + s * s * (1.0 + 2.0 * t) * to.x +
                    steps * s * t * (t * from.v - s * to.v));
    }
  }
  return way;
}

// The largest change of velocity on a way [m/step^2].
double largest_turn(const std::vector<Vec3>& way) {
  double largest = 0.0;
  for (std::size_t n = 1; n + 1 < way.size(); ++n)
    largest = std::max(largest, (way[n + 1] - 2.0 * way[n] + way[n - 1]).norm());
  return largest;
}

// One pin for all vertices that are let go together: by the state at which that is. Without ways yet.
std::map<int, SoftPin> pins_of(const std::map<int, Led>& led) {
  std::map<int, SoftPin> pins;
  for (const auto& [i, vertex] : led) {
    SoftPin& pin = pins[vertex.stations.rbegin()->first];
    pin.vertices.push_back(i);
    pin.weights.push_back(vertex.weight);
  }
  return pins;
}

}  // namespace

std::vector<char> that_want_a_part(const std::vector<Keyframe>& keyframes, const ControlLayout& layout) {
  std::set<int> fuller;  // states at which more is wanted
  std::vector<char> part;
  for (const Keyframe& k : keyframes) {
    const bool is_place = k.weight > 0.0 && !k.relative_to && !k.surface && k.directions.empty();
    const auto count = std::count_if(layout.active().begin(), layout.active().end(),
                                     [&](int i) { return k.vertex_weight[i] > 0.0; });
    part.push_back(is_place && count > 0 && count <= kPart * layout.active_count());
    if (k.has_weight() && !part.back()) fuller.insert(k.state);
  }
  for (std::size_t k = 0; k < part.size(); ++k) part[k] = part[k] && !fuller.contains(keyframes[k].state);
  return part;
}

bool any_wants_a_part(const std::vector<Keyframe>& keyframes, const ControlLayout& layout) {
  const std::vector<char> part = that_want_a_part(keyframes, layout);
  return std::find(part.begin(), part.end(), 1) != part.end();
}

ClothDescription led_cloth(ClothDescription cloth, const LedShot& shot,
                           const std::vector<Keyframe>& keyframes) {
  const std::map<int, Led> led = led_vertices(keyframes, shot.layout);
  const double dt = shot.simulator.dt();
  const int first = shot.simulator.options().first_step;
  double hands = 0.0;
  for (const auto& [i, vertex] : led) hands += vertex.weight;
  const double mass = shot.simulator.model().vertex_mass().sum() / hands;
  std::map<int, SoftPin> pins = pins_of(led);
  for (auto& [last, pin] : pins) {
    pin.motion.sample_interval = dt;
    pin.motion.start_time = dt * first;
    pin.motion.samples.assign(static_cast<std::size_t>(last) + 1, VecX(3 * pin.vertices.size()));
    double turn = 0.0;
    for (std::size_t k = 0; k < pin.vertices.size(); ++k) {
      const int i = pin.vertices[k];
      const std::vector<Vec3> way =
          way_through(led.at(i).stations, shot.start.x.segment<3>(3 * i), shot.start.v.segment<3>(3 * i), dt);
      turn = std::max(turn, largest_turn(way));
      for (int n = 0; n <= last; ++n)
        pin.motion.samples[n].segment<3>(3 * static_cast<Eigen::Index>(k)) = way[n];
    }
    pin.stiffness = mass * std::max(kStandardGravity, turn / (dt * dt)) / (kLag * shot.length);
    pin.end_time = dt * (first + last);
    cloth.soft_pins.push_back(std::move(pin));
  }
  return cloth;
}

std::vector<Keyframe> with_led_poses(std::vector<Keyframe> keyframes, const ControlLayout& layout,
                                     const Trajectory& run) {
  const std::vector<char> part = that_want_a_part(keyframes, layout);
  for (std::size_t k = 0; k < keyframes.size(); ++k) {
    Keyframe& keyframe = keyframes[k];
    if (!part[k] || keyframe.state > run.first_failure()) continue;
    keyframe.target = with_targets(keyframe, run.states[keyframe.state].x);
    if (keyframe.velocity_weight > 0.0) keyframe.velocity_vertex_weight = keyframe.velocity_omega();
    keyframe.vertex_weight.setOnes();
  }
  return keyframes;
}

}  // namespace keydrape
