#include <cmath>
#include <limits>
#include <optional>

#include "control/derivatives/run_sweeps.h"
#include "control/run/force_schedule.h"
#include "control/run/rollout.h"
#include "tests/bench/benchmarks.h"
#include "tests/bench/hung_sheet.h"
#include "tests/bench/timing.h"

namespace keydrape::bench {
namespace {

constexpr int kSweeps = 5;
constexpr double kMegabyte = 1e6;

// Of the keyframe's term 1/2 |x_N - x*|^2: the cloth is to be back where it was released.
std::vector<StateVector> keyframe_seeds(const Trajectory& run) {
  std::vector<StateVector> seeds(run.states.size());
  seeds.back().x = run.back().x - run.states.front().x;
  return seeds;
}

// Relative difference of <seed, tangent(du)> and <adjoint(seed), du>: zero but for rounding.
double dot_product_error(const std::vector<StateVector>& seeds, const std::vector<StateVector>& change,
                         const RunInputs& gradient, const std::vector<VecX>& du) {
  const double ahead = seeds.back().x.dot(change.back().x);
  double behind = 0.0;
  for (size_t n = 0; n < du.size(); ++n) behind += gradient.forces[n].dot(du[n]);
  return std::abs(ahead - behind) / std::abs(ahead);
}

}  // namespace

Table bench_gradient(const BenchOptions& options) {
  const int m = options.quick ? 16 : 50, step_count = options.quick ? 30 : 120;
  const HungSheet sheet(m);
  const Simulator simulator(sheet.model, HungSheet::options(LinearMethod::kAuto));

  Trajectory run;
  const double forward = seconds_of([&] { run = rollout(simulator, sheet.start, NoForces(), step_count); });
  std::optional<LinearizedTrajectory> linearized;
  const double linearize =
      seconds_of([&] { linearized.emplace(simulator, run, std::numeric_limits<size_t>::max()); });

  const std::vector<StateVector> seeds = keyframe_seeds(run);
  RunInputs gradient;
  const double adjoint_s =
      median_seconds_of(kSweeps, [&] { gradient = adjoint(*linearized, seeds).value(); });

  const VecX zero = VecX::Zero(sheet.start.x.size());
  const std::vector<VecX> du(step_count, kStandardGravity * sheet.model.mass());
  std::vector<StateVector> change;
  const double tangent_s = median_seconds_of(kSweeps, [&] {
    change = tangent(*linearized, {du, {}, {zero, zero}}).value();
  });

  const double state_bytes = 2.0 * sizeof(double) * static_cast<double>(zero.size());
  const double step_bytes = static_cast<double>(linearized->memory_bytes()) / step_count + state_bytes;
  return {"gradient",
          {HungSheet::note(),
           "A keyframe at the end. Linearise: every converged step is factorised once. Sweeps are "
           "medians of 5. Target: adjoint/forward at most 0.03."},
          {"vertices", "steps", "forward s", "linearise s", "adjoint s", "tangent s", "adjoint/forward",
           "adjoint/(forward+linearise)", "MB/step", "indefinite steps", "dot product error"},
          {{m * m, step_count, forward, linearize, adjoint_s, tangent_s, adjoint_s / forward,
            adjoint_s / (forward + linearize), step_bytes / kMegabyte, linearized->indefinite_count(),
            dot_product_error(seeds, change, gradient, du)}}};
}

}  // namespace keydrape::bench
