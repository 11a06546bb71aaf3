#include "control/derivatives/run_sweeps.h"

#include <cassert>
#include <utility>

namespace keydrape {

std::optional<std::vector<StateVector>> tangent(LinearizedTrajectory& trajectory, const RunInputs& change,
                                                const ChannelDerivatives* channels) {
  const int N = trajectory.step_count();
  assert(static_cast<int>(change.forces.size()) == N);
  StateVector first = seed_or_zero(change.start, trajectory.vertex_count());
  if (channels) {
    const StateVector more = channels->start_change(change.channels);
    first.x += more.x;
    first.v += more.v;
  }
  std::vector<StateVector> states{std::move(first)};
  const VecX zero = VecX::Zero(3 * trajectory.vertex_count());
  StepSweep sweep = trajectory.forward_sweep();
  for (int n = 0; n < N; ++n) {
    VecX du = change.forces[n].size() > 0 ? change.forces[n] : zero;
    if (channels) channels->add_force(n, change.channels, du);
    std::optional<StateVector> after =
        tangent_step(sweep, n, states[n], du,
                     channels ? channels->forces_by_round(n, change.channels) : WayDerivative::ByRound());
    if (!after) return std::nullopt;
    if (channels) channels->add_held(n, change.channels, *after);
    states.push_back(std::move(*after));
  }
  return states;
}

std::optional<RunInputs> adjoint(LinearizedTrajectory& trajectory, const std::vector<StateVector>& seeds,
                                 const ChannelDerivatives* channels) {
  const int N = trajectory.step_count();
  assert(static_cast<int>(seeds.size()) == N + 1);
  RunInputs bars{
      std::vector<VecX>(static_cast<std::size_t>(N)), VecX::Zero(channels ? channels->size() : 0), {}};
  bars.start = seed_or_zero(seeds[N], trajectory.vertex_count());
  WayDerivative::ByRound by_round;
  StepSweep sweep = trajectory.backward_sweep();
  for (int n = N - 1; n >= 0; --n) {
    std::optional<StateVector> before =
        adjoint_step(sweep, n, bars.start, seeds[n], bars.forces[n], &by_round);
    if (!before) return std::nullopt;
    if (channels) channels->add_transposed(n, {bars.forces[n], by_round}, bars.start, bars.channels);
    bars.start = std::move(*before);
  }
  if (channels) channels->add_start_transposed(bars.start, bars.channels);
  return bars;
}

}  // namespace keydrape
