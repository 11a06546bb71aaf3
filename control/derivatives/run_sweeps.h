#pragma once

#include <optional>
#include <vector>

#include "control/derivatives/channel_derivatives.h"
#include "control/derivatives/linearized_trajectory.h"

// Derivatives of a whole run by everything that it is made from, for goals of one's own: the sweeps of
// linearized_trajectory.h with channels, and without the unknowns of a search.

namespace keydrape {

// What a run is made from: changes of it, or derivatives by it.
struct RunInputs {
  std::vector<VecX> forces;  // in each step [N] (3n)
  VecX channels;             // c of all channels (C5), one after the other; no numbers: there are none
  StateVector start;         // x_0, v_0
};

// The change of all states, from one of the inputs with all its parts; forces may be empty (zero), each by
// itself. `channels`: null without; outlives the call. Here and below, none: the derivatives of some step
// could not be had (LinearizedTrajectory::failure).  (T1), (C2)
std::optional<std::vector<StateVector>> push_forward(LinearizedTrajectory& trajectory,
                                                     const ChannelDerivatives* channels,
                                                     const RunInputs& change);

// The transpose: from seeds dJ/dx_n, dJ/dv_n, n = 0 .. N (either part may be empty: zero), to dJ by the
// inputs. `channel_size`: numbers of all channels.  (A1) to (A4), (C3), (C4)
std::optional<RunInputs> pull_back(LinearizedTrajectory& trajectory, const ChannelDerivatives* channels,
                                   int channel_size, const std::vector<StateVector>& seeds);

}  // namespace keydrape
