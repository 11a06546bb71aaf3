#pragma once

#include "core/base/types.h"
#include "core/constraint/hard_pin.h"

namespace keydrape {

// What a filter knows of the step that it looks through. All outlive it.
struct FilteredStep {
  double dt;                           // [s]
  double end_time;                     // at the end of the step, counted from the shot's first frame [s]
  const VecX& x;                       // positions at its start [m] (3n)
  const VecX& v;                       // velocities there [m/s] (3n)
  const VecX& vertex_mass;             // [kg] (n)
  const StepConstraints& constraints;  // that hold at its end

  double begin_time() const { return end_time - dt; }
};

// What corrects where a step has got to, behind any integrator that takes one step by itself: contact of the
// older kinds, edges that are too long. Takes the end y that the integrator proposes for the one that counts,
// and with it the velocities: v+ = v_c + (y+ - y)/dt, where v_c are the integrator's (core/contact/impulse/
// EQUATIONS.md (Z1)). No energy: a step that is filtered minimises nothing, and has no derivatives.
// Immutable, for any number of threads at a time; the same bits for any number of threads.
class StepFilter {
 public:
  virtual ~StepFilter() = default;

  // Returns in how many places no end is known that it may let through, mostly 0; y is of no use else.
  virtual int apply(const FilteredStep& step, VecX& y) const = 0;
};

}  // namespace keydrape
