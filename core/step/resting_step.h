#pragma once

#include "core/step/newton.h"

namespace keydrape {

// A linearised step whose vertices are held on the bodies of Model::resting() (Baraff & Witkin 1998,
// section 6; core/contact/impulse/EQUATIONS.md (Z11)): what would end in a body, or nearer than its gap, is
// held along the body's normal, at the gap, and the step is solved again; what would have to be pulled to
// stay there is let go, and not held again in this step. So nothing bounces, and nothing sticks. A step
// knows nothing of those before it. The arguments are those of linearized_step(); vertices that pins hold
// stay as pinned. Friction slows what slides by what its body presses it with.
NewtonResult resting_step(StepProblem& problem, const CholeskySolver& cholesky, const NewtonHints& hints,
                          const NewtonOptions& options, const LinearizedOptions& linearized);

}  // namespace keydrape
