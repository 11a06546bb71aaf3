#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/types.h"
#include "core/cloth/state.h"

namespace keydrape {

class TargetSurface;

// What the cloth is to come to at one moment (control/EQUATIONS.md (K1) to (K6)): a pose, a part of
// one, single points, a surface of another topology, or an earlier state of the same run. One residual serves
// all of them,
//   r_i = P_i (x_i - x*_i)     (K1)
// with x the state, less that of `relative_to` if there is one.
struct Keyframe {
  int state;            // index of the state x_n that is compared: n >= 1
  VecX target;          // x*: positions [m] (3n)
  VecX vertex_weight;   // omega, >= 0, some > 0 (n)
  double weight = 1.0;  // w of the positions
  double velocity_weight = 0.0;
  VecX target_velocity{};  // [m/s] (3n); needed if velocity_weight > 0
  // omega of velocities, >= 0, some > 0 (n); empty: vertex_weight.
  VecX velocity_vertex_weight{};

  // The state of the same run, an earlier one, from which positions and velocities are counted; a loop counts
  // from the first.
  std::optional<int> relative_to{};
  // P_i, orthogonal projectors: the directions in which a vertex has to meet its target (n);
  // empty: all three.
  std::vector<Mat3> directions{};
  // Where targets and directions come from, anew for every run that is gone on from. Null: they stay.
  std::shared_ptr<const TargetSurface> surface{};
  VecX matched{};  // the cloth whose nearest points of `surface` the targets are [m] (3n); empty: none yet
  // States among which `state` may be chosen, ascending, `state` among them; empty: it stays.
  std::vector<int> candidates{};
  // Keyframes with the same number are one target, as the frames of a track: their weights rise and fall
  // together. -1: a target by itself.
  int target_id = -1;
  // q, >= 1: how much harder the goal pulls at single vertices than their weights say (n); empty: ones.  (K7)
  VecX vertex_factor{};

  const VecX& velocity_omega() const {
    return velocity_vertex_weight.size() > 0 ? velocity_vertex_weight : vertex_weight;
  }
  // Whether the goal asks for it: else it is only measured.
  bool has_weight() const { return weight > 0.0 || velocity_weight > 0.0; }
  // Whether adapt() can change it.
  bool is_adaptive() const { return surface != nullptr || !candidates.empty(); }
};

// The next keyframe with weight after a state; of several on one state the first. Null: there is none.
const Keyframe* next_weighted(const std::vector<Keyframe>& keyframes, int state);

// Positions (3n) with those that have weight at their targets; of a keyframe that is relative to no state.
VecX with_targets(const Keyframe& keyframe, VecX x);

// State n of a run.
using StateSource = std::function<State(int n)>;

// What is compared with the targets: the state of the keyframe, less that which it is relative to.
State compared_state(const Keyframe& keyframe, const StateSource& states);

// How far a run is from a keyframe, over the vertices with weight.
struct KeyframeMiss {
  double rms;                 // sqrt( sum omega |x - x*|^2 / sum omega ) [m]
  double max;                 // largest |x - x*| among the vertices with omega > 0 [m]
  double velocity_rms = 0.0;  // of velocities [m/s]; 0 where they do not count
  int state = -1;             // at which it was measured
};

// How far each vertex with weight is from its target [m], 0 for the others (n).
VecX vertex_distances(const Keyframe& keyframe, const VecX& x);
// Of positions against the targets as they stand, in all directions.
KeyframeMiss measure_miss(const Keyframe& keyframe, const VecX& x);
// Of a run, with the keyframe adapted to it as adapt() does: the distance from the surface itself, and at the
// best of the candidates.
KeyframeMiss measure_miss(const Keyframe& keyframe, const StateSource& states, double length);

// Mean over the vertices of omega q |P (x - x*)|^2 [m^2], and of velocity_omega |v - v*|^2 [m^2/s^2].
double position_square(const Keyframe& keyframe, const VecX& x);
double velocity_square(const Keyframe& keyframe, const VecX& v);
// out += factor * Omega Q P d with Omega the vertex weights, normalised; `out` may be empty (zero). Of
// positions, and of velocities, which have neither directions nor Q.  (K2), (K7)
void add_weighted_positions(const Keyframe& keyframe, double factor, const VecX& d, VecX& out);
void add_weighted_velocities(const Keyframe& keyframe, double factor, const VecX& d, VecX& out);

// Targets and directions at the nearest points of the surface (K3), which there has to be. x: the cloth [m]
// (3n), which it remembers.
void match(Keyframe& keyframe, const VecX& x);

// Chooses anew, for a run, what the keyframe leaves open: of the candidates the state whose term in the goal,
// of lengths in units of `length` [m], is least, without weight that of the least miss (K4), and the nearest
// points of the surface (K3). Whether the state is another one now. Requires all states of the run.
bool adapt(Keyframe& keyframe, const StateSource& states, double length);

}  // namespace keydrape
