#include <fmt/format.h>

#include <limits>
#include <optional>

#include "control/derivatives/run_sweeps.h"
#include "control/run/force_schedule.h"
#include "control/run/rollout.h"
#include "tests/bench/benchmarks.h"
#include "tests/bench/dropped_sheet.h"
#include "tests/bench/timing.h"

namespace keydrape::bench {
namespace {

constexpr double kPatienceOfDrape = 90.0;  // as in bench_step [s]
constexpr int kLargestSweep = 2500;        // vertices up to which the adjoint is measured: memory

// Adjoint over forward run, with a keyframe at the end.
double adjoint_share(const Simulator& simulator, const Trajectory& run, double forward) {
  LinearizedTrajectory linearized(simulator, run, std::numeric_limits<size_t>::max());
  std::vector<StateVector> seeds(run.states.size());
  seeds.back().x = run.back().x - run.states.front().x;
  return median_seconds_of(3, [&] { adjoint(linearized, seeds); }) / forward;
}

std::vector<nlohmann::ordered_json> row(int m, int step_count) {
  const ClothDescription cloth = dropped_sheet(m);
  const Model model = build_model(cloth);
  const Simulator simulator(model, HungSheet::options(LinearMethod::kAuto));
  const State start{stacked(cloth.mesh.positions), VecX::Zero(3 * model.vertex_count())};
  double elapsed = 0.0;
  auto last = std::chrono::steady_clock::now();
  const Trajectory run = rollout(simulator, start, NoForces(), step_count, [&](int, const StepReport&) {
    const auto now = std::chrono::steady_clock::now();
    elapsed += std::chrono::duration<double>(now - last).count();
    last = now;
    return elapsed < kPatienceOfDrape;
  });
  fmt::print(stderr, "drape: {} vertices: {} steps in {:.1f} s\n", m * m, run.step_count(), elapsed);
  const double steps = run.step_count();
  double newton = 0.0, factorizations = 0.0, residual = 0.0;
  StepTimes times;
  for (const StepReport& report : run.reports) {
    newton += report.iterations;
    factorizations += report.factorizations;
    residual = std::max(residual, report.residual);
    times += report.times;
  }
  const double total = mean(run.seconds) * steps;
  const auto percent = [&](double seconds) { return 100 * seconds / total; };
  nlohmann::ordered_json share;
  if (m * m <= kLargestSweep) share = adjoint_share(simulator, run, total);
  return {m * m,
          run.step_count(),
          1e3 * total / steps,
          1e3 * median(run.seconds),
          percent(times.broad_phase),
          percent(times.collision),
          percent(times.assembly),
          percent(times.factorization),
          percent(times.solve),
          newton / steps,
          factorizations / steps,
          share,
          residual};
}

}  // namespace

Table bench_drape(const BenchOptions& options) {
  Table table{
      "drape",
      {fmt::format("The cloth of the step benchmark, let go {:g} cm above a ball of {} m, friction 0.3, "
                   "colliding with itself; "
                   "h = 1/60 s, residual 1e-8 of the weight.",
                   100 * (kDropHeight - kDropRadius), kDropRadius),
       fmt::format("Steps: 60, at 10,000 vertices 40, at 40,000 20, quick 10; a row ends early after {:.0f} "
                   "s. Shares of "
                   "the time in %; assembly with that of contact. Adjoint/forward: target at most 0.05.",
                   kPatienceOfDrape)},
      {"vertices", "steps", "step ms", "step median ms", "broad phase %", "collision %", "assembly %",
       "factorise %", "solve %", "Newton", "factorisations", "adjoint/forward", "worst residual"},
      {}};
  const std::vector<int> sides = options.quick ? std::vector{16, 32} : std::vector{32, 50, 100, 200};
  for (const int m : sides)
    table.rows.push_back(row(m, options.quick ? 10 : m >= 200 ? 20 : m >= 100 ? 40 : 60));
  return table;
}

}  // namespace keydrape::bench
