#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "control/task/task.h"
#include "core/inspect/overlap.h"
#include "core/inspect/strain.h"

namespace keydrape {

// Vertices of a target that hard pins hold elsewhere, or at another velocity.
struct HeldElsewhere {
  int count = 0;          // farther off than the tolerance, or without one than 1 mm, 1 mm/s
  int vertex = -1;        // the farthest of them
  double farthest = 0.0;  // by how much [m], [m/s]
  double rms = 0.0;       // what all that pins hold leaves of the miss, whatever the rest does [m], [m/s]
};

// Two vertices that the cloth between them, straight and at rest, does not let so far apart.
struct TautPair {
  int vertex = -1;        // of the target; -1: no two vertices are known to be too far apart
  int other = -1;         // of the target, or held by a pin
  bool is_held = false;   // the other
  double distance = 0.0;  // that the target asks for [m]
  double length = 0.0;    // along edges at rest [m]
  double excess = 0.0;    // of the distance, over the length stretched to the strain limit [m]
};

// What the target's miss, RMS by these weights, cannot be less than for it; and that of one of the two [m].
double least_rms(const TautPair& taut, const VecX& omega);
double least_max(const TautPair& taut);

// From the target before, or the start, on the straight way.
struct TargetWay {
  int from = -1;            // target, as an index in the task's list; -1: the start
  int to_state = 0;         // the last at which the target may be met
  bool is_carried = false;  // what moves beside forces, frame or pins, may take the cloth along
  double time = 0.0;        // until then [s]
  double rms = 0.0;         // [m]
  double speed = 0.0;       // RMS of the mean speeds [m/s]
  int fastest_vertex = -1;  // -1: no vertex can move
  double fastest = 0.0;     // its mean speed [m/s]
  // What the cloth has to be accelerated by at least, beside its weight: RMS over vertices, in units of g_0.
  // None: it need not begin at rest, or is carried.  (K8)
  std::optional<double> acceleration{};
};

// How far apart two targets of one moment are, over the vertices that both ask for.
struct TargetDistance {
  double rms = 0.0;  // [m]
  // sqrt( sum min(omega_a, omega_b) |x*_a - x*_b|^2 ) - t_a sqrt( sum omega_a ) - t_b sqrt( sum omega_b ),
  // with the tolerances t, 0 without one: such a target pulls all the same. min(omega_a, omega_b) weighs no
  // square more than either does, so that by the triangle inequality no x is within both tolerances where
  // this is above 0.
  double excess = 0.0;
};
// Requires targets that are positions of the cloth.
TargetDistance distance_between(const Target& a, const Target& b);

// The largest that gravity is in any step until a time [m/s^2]: what the fall of the cloth may owe to it.
double strongest_gravity(const Task& task, double until);

// What is wrong with the shape of a target at one moment.
struct TargetShape {
  int state = 0;         // the moment
  StrainFigures strain;  // of the triangles that the target asks all of; without: the lengths may change
  TautPair taut;         // asked of targets of a part of the cloth
  std::vector<BodyOverlap> bodies;
  std::optional<SelfOverlap> itself;  // of cloth that collides with itself
  std::vector<SurfaceOverlap> surfaces;
  Overstretched overstretched;  // of targets of the whole cloth

  int body_places() const;  // in which it is in a body
  int places() const;       // of these, in itself, overstretched or taut
};

// What of a target is to be said before anything is simulated. What does not apply is left out: nothing is
// said of the shape of a loop or a surface. Of targets that may slide the shape is told of the moment with
// the fewest places and the least strain, among that which they are given at and moments_asked more.
struct TargetReach : TargetShape {
  bool has_shape = false;  // it is known, and the way
  int moments_asked = 0;   // evenly spread over the candidates, at most kMostMoments
  TargetWay way;

  // Of loops, too; of targets that may slide where it is least. Without: a channel moves pins.
  HeldElsewhere held, held_velocity;
  // Vertices with weight, of positions or velocities, that no pin holds in all directions; where most are.
  int free_count = 0;
};

// So many of the moments that a target may slide to are asked what is in its way there: bodies have to be
// posed, and cloth of 10,000 vertices is looked through in some ten milliseconds each.
inline constexpr int kMostMoments = 32;

// Measures the targets of a task, one after the other. The task outlives this.
class ReachMeter {
 public:
  // Throws as build_rest_shape.
  explicit ReachMeter(const Task& task);

  // Of target k.
  TargetReach measure(std::size_t k);

 private:
  bool is_open(ChannelKind kind) const;
  bool may_be_carried(double until) const;
  const std::vector<double>& lengths_from(int vertex);
  TautPair taut_pair(const Target& target, double time);
  TargetShape shape_at(const Target& target, int state);
  TargetShape best_shape(const Target& target, const std::vector<int>& states);
  int freest_state(const Keyframe& keyframe) const;
  int free_count(const Keyframe& keyframe, int state) const;
  TargetWay way_to(std::size_t k, int freest_state) const;
  HeldElsewhere held_positions(const Target& target, int state) const;
  HeldElsewhere held_velocities(const Target& target, int state) const;
  struct PinnedState {
    VecX x;                     // where pins hold vertices [m] (3n)
    std::vector<char> is_held;  // in some direction, one per vertex
  };
  PinnedState pinned_at(int state) const;

  const Task& task_;
  StrainMeter strain_;
  std::vector<std::vector<std::pair<int, double>>> neighbours_;  // of each vertex, with lengths at rest [m]
  std::map<int, std::vector<double>> lengths_;                   // along edges from some vertices [m]
};

}  // namespace keydrape
