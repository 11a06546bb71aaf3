#include "control/task/target_reach.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "core/mesh/rest_shape.h"
#include "core/mesh/topology.h"

namespace keydrape {
namespace {

constexpr double kNoLength = std::numeric_limits<double>::infinity();
// What is worth a word where a target has no tolerance [m], [m/s].
constexpr double kDefaultElsewhere = 1e-3;
// So many vertices of a target are asked how far others are along the cloth: each takes some milliseconds on
// 10,000 vertices, and the corners of a group, which are what is pulled too far, are near some of them.
constexpr int kMostSources = 32;

// x* as positions of the cloth [m].
VecX posed(const Task& task, const Keyframe& keyframe) {
  return keyframe.relative_to ? VecX(task.start.x + keyframe.target) : keyframe.target;
}

double time_of(const Task& task, int state) { return (task.grid.first_step + state) * task.grid.dt(); }

// Whether the target says where vertices are to be, at a moment and in all directions.
bool is_fixed_shape(const Target& target) {
  const Keyframe& keyframe = target.keyframe;
  return !keyframe.surface && !keyframe.relative_to && keyframe.directions.empty();
}

// Adds what pins leave of one vertex to the figures; the sum of squares stands in rms until it is done.
void add_offset(int vertex, double distance, double omega, double allowed, HeldElsewhere& held) {
  held.rms += omega * distance * distance;
  if (distance <= allowed) return;
  ++held.count;
  if (distance <= held.farthest) return;
  held.farthest = distance;
  held.vertex = vertex;
}

HeldElsewhere mean_of(HeldElsewhere held, double omega_sum) {
  held.rms = omega_sum > 0.0 ? std::sqrt(held.rms / omega_sum) : 0.0;
  return held;
}

// At that of the states which a target may be met at where pins leave least of its miss.
template <class HeldAt>
HeldElsewhere least_of(const Keyframe& keyframe, const HeldAt& held_at) {
  HeldElsewhere least = held_at(keyframe.state);
  for (const int state : keyframe.candidates)
    if (HeldElsewhere held = held_at(state); held.rms < least.rms) least = held;
  return least;
}

// Whether a point of it moves before a time.
bool moves_before(const MotionTrack& track, double time) {
  for (std::size_t i = 1; i < track.samples.size(); ++i) {
    if (track.start_time + static_cast<double>(i - 1) * track.sample_interval >= time) return false;
    if (track.samples[i] != track.samples[i - 1]) return true;
  }
  return false;
}

// At most so many of them, evenly spread over their list.
std::vector<int> some_of(const std::vector<int>& all, std::size_t most) {
  const std::size_t count = all.size();
  if (count <= most) return all;
  std::vector<int> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * (count - 1) / (most - 1)]);
  return some;
}

// Whether the target asks for something of a vertex, or would if it had weight.
bool is_asked(const Keyframe& keyframe, int vertex) {
  const bool by_velocity = keyframe.velocity_weight > 0.0 && keyframe.velocity_omega()[vertex] > 0.0;
  const bool counts_positions = keyframe.weight > 0.0 || !(keyframe.velocity_weight > 0.0);
  return by_velocity || (counts_positions && keyframe.vertex_weight[vertex] > 0.0);
}

}  // namespace

int TargetShape::body_places() const {
  int places = 0;
  for (const BodyOverlap& overlap : bodies) places += overlap.vertex_count + overlap.between_count;
  for (const SurfaceOverlap& overlap : surfaces) places += overlap.cut_count + overlap.close.count;
  return places;
}

int TargetShape::places() const {
  const int own = itself ? itself->through.count + itself->close.count : 0;
  return body_places() + own + overstretched.count + (taut.vertex >= 0 ? 1 : 0);
}

TargetDistance distance_between(const Target& a, const Target& b) {
  const VecX &at_a = a.keyframe.vertex_weight, &at_b = b.keyframe.vertex_weight;
  const VecX omega = at_a.cwiseMin(at_b);
  double sum = 0.0;
  for (Eigen::Index i = 0; i < omega.size(); ++i)
    sum += omega[i] * (a.keyframe.target - b.keyframe.target).segment<3>(3 * i).squaredNorm();
  const double room =
      a.tolerance.value_or(0.0) * std::sqrt(at_a.sum()) + b.tolerance.value_or(0.0) * std::sqrt(at_b.sum());
  return {omega.sum() > 0.0 ? std::sqrt(sum / omega.sum()) : 0.0, std::sqrt(sum) - room};
}

double strongest_gravity(const Task& task, double until) {
  const Animated<Vec3>& gravity = task.cloth.gravity;
  double strongest = gravity.at(time_of(task, 0)).norm();
  if (gravity.is_constant()) return strongest;
  for (int n = 1; n <= task.grid.step_count() && time_of(task, n - 1) < until; ++n)
    strongest = std::max(strongest, gravity.at(time_of(task, n)).norm());
  return strongest;
}

ReachMeter::ReachMeter(const Task& task) : task_(task), strain_(task.cloth) {
  const TriangleMesh& mesh = task.cloth.mesh;
  neighbours_.resize(static_cast<std::size_t>(mesh.vertex_count()));
  const RestShape rest =
      build_rest_shape(mesh, build_topology(mesh.triangles, mesh.vertex_count()), task.cloth.rest);
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t d = (c + 1) % 3;
      const int a = mesh.triangles[t][c], b = mesh.triangles[t][d];
      const double length = (rest.corners[t][c] - rest.corners[t][d]).norm();
      neighbours_[a].emplace_back(b, length);
      neighbours_[b].emplace_back(a, length);
    }
  }
}

bool ReachMeter::is_open(ChannelKind kind) const {
  return std::any_of(task_.channels.begin(), task_.channels.end(),
                     [&](const ChannelSpec& channel) { return channel.kind == kind; });
}

// By what moves itself, beside forces: how much that accelerates the cloth has no bound.
bool ReachMeter::may_be_carried(double until) const {
  const ClothDescription& cloth = task_.cloth;
  if (cloth.frame && !cloth.frame->motion.is_static() && cloth.frame->inertia.is_ever_above(0.0)) return true;
  const auto moves = [&](const auto& pin) {
    return pin.begin_time < until && moves_before(pin.motion, until);
  };
  return is_open(ChannelKind::kPin) || std::any_of(cloth.pins.begin(), cloth.pins.end(), moves) ||
         std::any_of(cloth.soft_pins.begin(), cloth.soft_pins.end(), moves);
}

// Dijkstra 1959.
const std::vector<double>& ReachMeter::lengths_from(int vertex) {
  const auto [place, is_new] = lengths_.try_emplace(vertex);
  std::vector<double>& lengths = place->second;
  if (!is_new) return lengths;
  lengths.assign(neighbours_.size(), kNoLength);
  lengths[vertex] = 0.0;
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  open.emplace(0.0, vertex);
  while (!open.empty()) {
    const auto [length, at] = open.top();
    open.pop();
    if (length > lengths[at]) continue;
    for (const auto& [next, step] : neighbours_[at]) {
      if (length + step >= lengths[next]) continue;
      lengths[next] = length + step;
      open.emplace(lengths[next], next);
    }
  }
  return lengths;
}

double least_rms(const TautPair& taut, const VecX& omega) {
  if (taut.vertex < 0) return 0.0;
  // One of them goes the whole way, or each the share that costs both together least.
  const double a = omega[taut.vertex], b = omega[taut.other];
  const double share = taut.is_held ? a : a * b / (a + b);
  return taut.excess * std::sqrt(share / omega.sum());
}

double least_max(const TautPair& taut) { return taut.is_held ? taut.excess : 0.5 * taut.excess; }

TautPair ReachMeter::taut_pair(const Target& target, double time) {
  const Keyframe& keyframe = target.keyframe;
  VecX x = keyframe.target;
  std::vector<int> counted;
  std::vector<char> held(neighbours_.size(), 0);
  for (int i = 0; i < keyframe.vertex_weight.size(); ++i)
    if (keyframe.vertex_weight[i] > 0.0) counted.push_back(i);
  std::vector<int> others = counted;
  const StepConstraints pins(task_.cloth.pins, time, task_.vertex_count());
  for (const StepConstraints::Row& row : pins.rows()) {
    if (!row.S.isZero()) continue;
    held[row.vertex] = 1;
    x.segment<3>(3 * row.vertex) = row.target;
    if (keyframe.vertex_weight[row.vertex] == 0.0) others.push_back(row.vertex);
  }
  const double scale = task_.cloth.stretch_scale.at(time).maxCoeff();
  TautPair worst;
  for (const int i : some_of(counted, kMostSources)) {
    const std::vector<double>& lengths = lengths_from(i);
    for (const int j : others) {
      if (i == j || (held[i] && held[j]) || lengths[j] == kNoLength) continue;
      const double distance = (x.segment<3>(3 * i) - x.segment<3>(3 * j)).norm();
      const double length = scale * lengths[j];
      const double excess = distance - (1.0 + strain_.limit()) * length;
      if (excess <= worst.excess) continue;
      worst = held[i] ? TautPair{j, i, true, distance, length, excess}
                      : TautPair{i, j, held[j] != 0, distance, length, excess};
    }
  }
  return worst;
}

TargetWay ReachMeter::way_to(std::size_t k, int freest_state) const {
  const Keyframe& keyframe = task_.targets[k].keyframe;
  const int last = keyframe.candidates.empty() ? keyframe.state : keyframe.candidates.back();
  TargetWay way;
  way.to_state = last;
  int from_state = 0;
  for (std::size_t j = 0; j < task_.targets.size(); ++j) {
    const Keyframe& other = task_.targets[j].keyframe;
    const bool says_where =
        is_fixed_shape(task_.targets[j]) && other.candidates.empty() && other.weight > 0.0;
    if (!says_where || other.state >= keyframe.state || other.state <= from_state) continue;
    if ((other.vertex_weight.array() * keyframe.vertex_weight.array()).maxCoeff() <= 0.0) continue;
    way.from = static_cast<int>(j);
    from_state = other.state;
  }
  const Keyframe* from =
      way.from >= 0 ? &task_.targets[static_cast<std::size_t>(way.from)].keyframe : nullptr;
  way.time = (last - from_state) * task_.grid.dt();
  const double before = from_state * task_.grid.dt();
  const double per_distance = 1.0 / (before * way.time + 0.5 * way.time * way.time);  // (K8)
  const std::vector<char> held = held_vertices(task_.cloth, time_of(task_, freest_state));
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < keyframe.vertex_weight.size(); ++i) {
    const double omega = keyframe.vertex_weight[i];
    if (omega <= 0.0 || held[i] || (from && from->vertex_weight[i] <= 0.0)) continue;
    const VecX& x = from ? from->target : task_.start.x;
    const double distance = (keyframe.target - x).segment<3>(3 * i).norm();
    sum += omega;
    squares += omega * distance * distance;
    if (way.fastest_vertex >= 0 && distance / way.time <= way.fastest) continue;
    way.fastest_vertex = i;
    way.fastest = distance / way.time;
  }
  way.rms = sum > 0.0 ? std::sqrt(squares / sum) : 0.0;
  way.speed = way.rms / way.time;
  const bool begins_at_rest =
      task_.start.v.isZero() && !is_open(ChannelKind::kRigidThrow) && !is_open(ChannelKind::kVertexThrow);
  const double until = time_of(task_, last);
  way.is_carried = may_be_carried(until);
  // (K8) bounds what forces take where they alone set cloth in motion that is at rest: sheets that a frame or
  // pins carried along came with 1.3 g to where it says 28 g.
  if (begins_at_rest && !way.is_carried) {
    const double weight = strongest_gravity(task_, until);
    way.acceleration = std::max(0.0, per_distance * way.rms - weight) / kStandardGravity;  // (K8)
  }
  return way;
}

HeldElsewhere ReachMeter::held_positions(const Target& target, int state) const {
  const Keyframe& keyframe = target.keyframe;
  HeldElsewhere held;
  if (keyframe.surface) return held;
  const VecX x = posed(task_, keyframe);
  const StepConstraints pins(task_.cloth.pins, time_of(task_, state), task_.vertex_count());
  for (const StepConstraints::Row& row : pins.rows()) {
    const double omega = keyframe.vertex_weight[row.vertex];
    if (omega <= 0.0) continue;
    const Vec3 offset = x.segment<3>(3 * row.vertex) - row.target;
    add_offset(row.vertex, (offset - row.S * offset).norm(), omega,
               target.tolerance.value_or(kDefaultElsewhere), held);
  }
  return mean_of(held, keyframe.vertex_weight.sum());
}

// Implicit steps have v_n = (x_n - x_n-1)/dt, of two states (3 x_n - 4 x_n-1 + x_n-2)/(2 dt).  (2), (I2)
HeldElsewhere ReachMeter::held_velocities(const Target& target, int state) const {
  const Keyframe& keyframe = target.keyframe;
  HeldElsewhere held;
  if (!(keyframe.velocity_weight > 0.0)) return held;
  const bool has_before = task_.simulator.method == StepMethod::kBdf2 && (state >= 2 || task_.before);
  std::vector<PinnedState> earlier;
  for (int k = 1; k <= (has_before ? 2 : 1); ++k) earlier.push_back(pinned_at(state - k));
  const double dt = task_.grid.dt();
  const StepConstraints pins(task_.cloth.pins, time_of(task_, state), task_.vertex_count());
  const VecX& omega = keyframe.velocity_omega();
  for (const StepConstraints::Row& row : pins.rows()) {
    const int i = row.vertex;
    const auto was_held = [&](const PinnedState& at) { return at.is_held[i] != 0; };
    if (omega[i] <= 0.0 || !std::all_of(earlier.begin(), earlier.end(), was_held)) continue;
    Vec3 wanted = keyframe.target_velocity.segment<3>(3 * i);
    if (keyframe.relative_to) wanted += task_.start.v.segment<3>(3 * i);
    const Vec3 last = earlier[0].x.segment<3>(3 * i);
    Vec3 v = (row.target - last) / dt;
    if (has_before) v = (3.0 * row.target - 4.0 * last + earlier[1].x.segment<3>(3 * i)) / (2.0 * dt);
    add_offset(i, (wanted - v - row.S * (wanted - v)).norm(), omega[i],
               target.velocity_tolerance.value_or(kDefaultElsewhere), held);
  }
  return mean_of(held, omega.sum());
}

ReachMeter::PinnedState ReachMeter::pinned_at(int state) const {
  PinnedState at{VecX::Zero(task_.start.x.size()), std::vector<char>(neighbours_.size(), 0)};
  const StepConstraints pins(task_.cloth.pins, time_of(task_, state), task_.vertex_count());
  for (const StepConstraints::Row& row : pins.rows()) {
    at.is_held[row.vertex] = 1;
    at.x.segment<3>(3 * row.vertex) = row.target;
  }
  return at;
}

int ReachMeter::free_count(const Keyframe& keyframe, int state) const {
  const std::vector<char> held = held_vertices(task_.cloth, time_of(task_, state));
  int count = 0;
  for (int i = 0; i < task_.vertex_count(); ++i) count += is_asked(keyframe, i) && held[i] == 0;
  return count;
}

int ReachMeter::freest_state(const Keyframe& keyframe) const {
  int freest = keyframe.state, most = free_count(keyframe, freest);
  for (const int state : keyframe.candidates)
    if (const int count = free_count(keyframe, state); count > most) most = count, freest = state;
  return freest;
}

TargetShape ReachMeter::shape_at(const Target& target, int state) {
  const Keyframe& keyframe = target.keyframe;
  const double time = time_of(task_, state);
  TargetShape shape;
  shape.state = state;
  std::vector<char> left_out = held_vertices(task_.cloth, time), not_asked(left_out.size(), 0);
  bool is_part = false;
  for (int i = 0; i < keyframe.vertex_weight.size(); ++i) {
    if (keyframe.vertex_weight[i] > 0.0) continue;
    left_out[i] = not_asked[i] = 1;
    is_part = true;
  }
  if (!is_open(ChannelKind::kStretchScale)) {
    shape.strain = strain_.at(keyframe.target, time, not_asked);
    if (is_part && !is_open(ChannelKind::kPin)) shape.taut = taut_pair(target, time);
  }
  shape.bodies = overlaps_with_bodies(task_.cloth, keyframe.target, time, left_out);
  if (task_.cloth.contact.self) shape.itself = overlap_with_itself(task_.cloth, keyframe.target, left_out);
  shape.surfaces = overlaps_with_surfaces(task_.cloth, keyframe.target, time, left_out);
  // Of a part, triangles at its rim are nobody's wish; what is asked for in it stands in `strain`.
  if (!is_part) shape.overstretched = find_overstretched(task_.cloth, keyframe.target, time);
  return shape;
}

TargetShape ReachMeter::best_shape(const Target& target, const std::vector<int>& states) {
  const auto rank = [](const TargetShape& shape) { return std::pair(shape.places(), shape.strain.beyond); };
  TargetShape best = shape_at(target, target.keyframe.state);
  for (const int state : states) {
    const bool is_least_strained = best.strain.beyond == 0.0 || task_.cloth.stretch_scale.is_constant();
    if (best.places() == 0 && is_least_strained) break;
    if (state == target.keyframe.state) continue;
    if (TargetShape shape = shape_at(target, state); rank(shape) < rank(best)) best = std::move(shape);
  }
  return best;
}

TargetReach ReachMeter::measure(std::size_t k) {
  const Target& target = task_.targets[k];
  const Keyframe& keyframe = target.keyframe;
  TargetReach reach;
  if (!is_open(ChannelKind::kPin)) {
    reach.held = least_of(keyframe, [&](int state) { return held_positions(target, state); });
    reach.held_velocity = least_of(keyframe, [&](int state) { return held_velocities(target, state); });
  }
  const int freest = freest_state(keyframe);
  reach.free_count = free_count(keyframe, freest);
  reach.has_shape = is_fixed_shape(target);
  if (!reach.has_shape) return reach;
  reach.way = way_to(k, freest);
  const std::vector<int> states = some_of(keyframe.candidates, kMostMoments);
  reach.moments_asked = static_cast<int>(states.size());
  static_cast<TargetShape&>(reach) = best_shape(target, states);
  return reach;
}

}  // namespace keydrape
