#pragma once

#include "core/contact/simple/touched_body.h"

namespace keydrape {

// Contact by projection: a vertex that ends a step in a body, or nearer to it than its gap, is put to the
// nearest point at the gap, and what that moves it by over the step is its change of velocity; with friction
// (core/contact/impulse/EQUATIONS.md (Z9)). A vertex that passes through a thin body within a step is not
// seen, nor is anything between vertices. One that ends where no way out is known is let through, and counts.
// Between bodies that leave no room the last of them decides.
class Projection final : public StepFilter {
 public:
  explicit Projection(std::vector<TouchedBody> bodies) : bodies_(std::move(bodies)) {}

  int apply(const FilteredStep& step, VecX& y) const override;

 private:
  std::vector<TouchedBody> bodies_;
};

}  // namespace keydrape
