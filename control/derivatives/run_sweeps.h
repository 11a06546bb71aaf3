#pragma once

#include <optional>
#include <vector>

#include "control/derivatives/channel_derivatives.h"
#include "control/derivatives/linearized_trajectory.h"

// Derivatives of a whole run by everything that it is made from: the sweeps of linearized_trajectory.h, with
// channels or without, and without the unknowns of a search.

namespace keydrape {

// What a run is made from: changes of it, or derivatives by it.
struct RunInputs {
  std::vector<VecX> forces;  // in each step [N] (3n)
  VecX channels;             // c of all channels (C5), one after the other; no numbers: there are none
  StateVector start;         // x_0, v_0
};

// Forward sweep: the change of all states, from one of the inputs with all its parts; forces may be empty
// (zero), each by itself. `channels`: null without; outlives the call. Here and below, none: the derivatives
// of some step could not be had (LinearizedTrajectory::failure).  (T1), (C2)
std::optional<std::vector<StateVector>> tangent(LinearizedTrajectory& trajectory, const RunInputs& change,
                                                const ChannelDerivatives* channels = nullptr);

// Backward sweep, the transpose: from seeds dJ/dx_n, dJ/dv_n, n = 0 .. N (either part may be empty: zero), to
// dJ by the inputs.  (A1) to (A4), (C3), (C4)
std::optional<RunInputs> adjoint(LinearizedTrajectory& trajectory, const std::vector<StateVector>& seeds,
                                 const ChannelDerivatives* channels = nullptr);

}  // namespace keydrape
