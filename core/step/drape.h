#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "core/cloth/model.h"
#include "core/cloth/state.h"
#include "core/linear/cholesky.h"
#include "core/step/newton.h"

namespace keydrape {

struct DrapeOptions {
  double time = 0.0;           // at which pins, bodies and wind stand [s]
  double sliding_time = 0.01;  // friction holds what slides less than its slowest speed times this [s], > 0
  double tolerance = 1e-6;     // of the forces that are left, over the cloth's weight
  int max_rounds = 200;
  double longest_round = 20.0;  // [s]
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
  int farthest_vertex = -1;  // which; -1: none has
  bool is_settled = false;   // to the tolerance, or to rounding if that is more
  // Of its rounds, for cloth much like it [s]: where loads follow from where a round begins, the last one,
  // since longer ones may lead away from rest.
  double longest_round = 0.0;
  // Of the last round that failed, unless one as long has been solved since: why it did.
  NewtonEnd end = NewtonEnd::kMinimum;

  // Whether rounds could not be made longer, since those that are could not be solved.
  bool has_failed() const { return !is_settled && end != NewtonEnd::kMinimum; }
};

// Where cloth comes to rest: implicit steps that all start at rest, longer and longer, a proximal point
// iteration (Rockafellar 1976; core/EQUATIONS.md (I5), (I6)). Each lowers the energy, and no state
// intersects itself where that is not exempt. Requires a start that is clean but for what is. `observer`:
// told how far it is after every round, and whether to go on; empty: nobody.
DrapeResult drape(const Model& model, const VecX& start, const DrapeOptions& options,
                  const std::function<bool(const DrapeResult&)>& observer = {});

// What a drape is to make small of cloth at rest there: DrapeResult::residual. As `options` say, of which it
// takes no more than the time and what friction holds.
double forces_at_rest(const Model& model, const State& state, const DrapeOptions& options);

// A drape anew, of cloth that is not quite the one that came to rest.
struct DrapeRounds {
  std::vector<State> states;      // the start, and the end of each round, all at rest
  std::vector<double> durations;  // of each round [s], one less
  double sliding_time;            // as in DrapeOptions
  double residual = std::numeric_limits<double>::infinity();  // as in DrapeResult
  bool is_settled = false;
};

// Where cloth of `model` comes to rest from `settled`, at which cloth much like it does, at time 0: rounds of
// (I6), always of the same lengths where each converges, and all solved to rounding, so that the result is a
// smooth function of the model, and each round has the derivatives of a step. Requires what drape does of its
// start. `options`: but for its time.
DrapeRounds drape_again(const Model& model, const State& settled, const DrapeOptions& options);

}  // namespace keydrape
