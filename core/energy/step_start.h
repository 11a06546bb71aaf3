#pragma once

#include <cassert>
#include <memory>

#include "core/base/types.h"

namespace keydrape {

class Exemptions;
struct PairSearch;

// How a step in time counts the two states that it knows, that at its start (x, v) and that a step before
// it (x_, v_), in what it solves for y (core/EQUATIONS.md (I1) to (I4)).
struct StepScheme {
  struct Level {
    double share;  // of it in x* and v*, and of its condition in c*
    double lag;    // of it in the state that a force is taken at which the step does not solve for
    double held;   // of it in the positions from which friction counts what slides
  };
  double beta;  // v+ = (y - x*)/beta [s]
  Level start, before;

  bool has_before() const { return before.share != 0.0; }
  // x*, and likewise v*. `before` is looked at only where it counts.
  VecX star(const VecX& start_level, const VecX* before_level) const {
    if (!has_before()) return start_level;
    assert(before_level);
    return start.share * start_level + before.share * *before_level;
  }
  // v+, with x* for `star`.  (2), (I2)
  VecX end_velocity(const VecX& y, const VecX& star) const { return (y - star) / beta; }
};

inline StepScheme implicit_euler(double dt) { return {dt, {1.0, 1.0, 1.0}, {0.0, 0.0, 0.0}}; }
// Curtiss & Hirschfelder 1952. Of second order.
inline StepScheme bdf2(double dt) { return {2.0 * dt / 3.0, {4.0 / 3.0, 2.0, 1.0}, {-1.0 / 3.0, -1.0, 0.0}}; }
// Of a step that knows one state, or two.
inline StepScheme step_scheme(double dt, bool has_before) {
  return has_before ? bdf2(dt) : implicit_euler(dt);
}

// What a step knows before anything has moved. The vectors outlive whatever is built from them.
struct StepStart {
  double dt;      // [s]
  double time;    // at the end of the step, counted from the shot's first frame [s]
  const VecX& x;  // positions  [m]    (3n)
  const VecX& v;  // velocities [m/s]  (3n)
  // What contact between triangles keeps from one step to the next, to be faster (surface_pairs.h); null: it
  // keeps that for itself. Outlives what is built here, and is for one thread at a time.
  PairSearch* search = nullptr;
  // A step before, both or none: with them the step is BDF2, without implicit Euler.
  const VecX* x_before = nullptr;
  const VecX* v_before = nullptr;
  // Of a round of a drape, in which no time passes for bodies, pins and frames: the duration that friction
  // multiplies its slowest speed with. Longer steps would let slip more. 0: of a step in time, dt.
  double sliding_time = 0.0;
  // Pairs of the cloth that do not collide in this step, or have a smaller gap; null: none.
  std::shared_ptr<const Exemptions> exempt{};
  // What the step solves is one linear system: friction is as stiff as where x + dt v leads.
  bool is_linearized = false;

  bool is_drape() const { return sliding_time > 0.0; }
  double slip_time() const { return is_drape() ? sliding_time : dt; }
  // At which bodies and pins stand so many steps before the end of this one [s].
  double time_before(int steps) const { return is_drape() ? time : time - steps * dt; }
  StepScheme scheme() const { return step_scheme(dt, x_before != nullptr); }
  // c* of a condition that is c at the start of the step; `before`: what it was a step before, or wherever
  // else it is wanted, is asked for only where that counts.  (I3)
  template <class Before>
  double start_condition(double c, const Before& before) const {
    const StepScheme s = scheme();
    return s.has_before() ? s.start.share * c + s.before.share * before() : c;
  }
  // The condition where a number is taken that the step does not solve for.  (I4)
  template <class Before>
  double lagged_condition(double c, const Before& before) const {
    const StepScheme s = scheme();
    return s.has_before() ? s.start.lag * c + s.before.lag * before() : c;
  }
};

// The states that a step knows, at the vertices of one element.
template <int K>
struct StartStencil {
  Stencil<K> x, v;
  Stencil<K> x_before = Stencil<K>::Zero(), v_before = Stencil<K>::Zero();  // 0 with implicit Euler

  // Where a force is taken that the step does not solve for.  (I4)
  Stencil<K> lagged_x(const StepScheme& s) const {
    return s.has_before() ? Stencil<K>(s.start.lag * x + s.before.lag * x_before) : x;
  }
  Stencil<K> lagged_v(const StepScheme& s) const {
    return s.has_before() ? Stencil<K>(s.start.lag * v + s.before.lag * v_before) : v;
  }
  Stencil<K> star_x(const StepScheme& s) const {  // x*
    return s.has_before() ? Stencil<K>(s.start.share * x + s.before.share * x_before) : x;
  }
};

}  // namespace keydrape
