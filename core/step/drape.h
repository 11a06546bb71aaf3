#pragma once

#include <functional>
#include <limits>

#include "core/cloth/model.h"
#include "core/linear/cholesky.h"
#include "core/step/newton.h"

namespace keydrape {

struct DrapeOptions {
  double time = 0.0;           // at which pins, bodies and wind stand [s]
  double sliding_time = 0.01;  // friction holds what slides less than its slowest speed times this [s], > 0
  double tolerance = 1e-6;     // of the forces that are left, over the cloth's weight
  int max_rounds = 200;
  NewtonOptions newton;
  ExemptionsPointer exempt{};  // of the start: State::exempt
};

struct DrapeResult {
  VecX x;                      // positions [m] (3n)
  ExemptionsPointer exempt{};  // what is left of those of the start
  // Of the forces without inertia, over the cloth's weight; infinite: no round has ended yet.
  double residual = std::numeric_limits<double>::infinity();
  int rounds = 0;
  int newton_iterations = 0;
  double farthest = 0.0;     // that a vertex has moved [m]
  int farthest_vertex = -1;  // which
  bool is_settled = false;   // to the tolerance, or to rounding if that is more
};

// Where cloth comes to rest: implicit steps that all start at rest, longer and longer, a proximal point
// iteration (Rockafellar 1976; core/EQUATIONS.md (I5), (I6)). Each lowers the energy, and no state
// intersects itself where that is not exempt. Requires a start that is clean but for what is. `observer`:
// told how far it is after every round, and whether to go on; empty: nobody.
DrapeResult drape(const Model& model, const VecX& start, const DrapeOptions& options,
                  const std::function<bool(const DrapeResult&)>& observer = {});

}  // namespace keydrape
