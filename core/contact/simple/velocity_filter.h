#pragma once

#include "core/contact/simple/touched_body.h"

namespace keydrape {

// Contact by a filter of velocities: a vertex that begins a step in a body, or nearer to it than its gap,
// loses the speed at which it goes in; with friction (core/contact/impulse/EQUATIONS.md (Z9)). What is in a
// body already stays there: a vertex sinks in by what it goes in one step.
class VelocityFilter final : public StepFilter {
 public:
  explicit VelocityFilter(std::vector<TouchedBody> bodies) : bodies_(std::move(bodies)) {}

  int apply(const FilteredStep& step, VecX& y) const override;

 private:
  std::vector<TouchedBody> bodies_;
};

}  // namespace keydrape
