#include <fmt/format.h>

#include <algorithm>

#include "control/run/force_schedule.h"
#include "control/run/rollout.h"
#include "control/run/trajectory.h"
#include "tests/bench/benchmarks.h"
#include "tests/bench/hung_sheet.h"
#include "tests/bench/timing.h"

namespace keydrape::bench {
namespace {

// A run is cut off after the step that reaches so much time, and judged by the steps that it has taken
// until then [s].
constexpr double kPatienceOfStep = 60.0;

struct Method {
  LinearMethod linear;
  const char* name;
};
constexpr Method kMethods[] = {{LinearMethod::kAuto, "auto"}, {LinearMethod::kDirect, "direct"}};

struct LinearTimes {
  double factorization, solve;  // [s]
};

// Of the matrix of the first step, at rest: there it is positive definite, and its pattern is that
// of all others.
LinearTimes measure_linear_algebra(const Simulator& simulator, const State& start) {
  const VecX u = VecX::Zero(start.x.size());
  StepWorkspace work;
  const StepProblem problem = simulator.problem(0, start, u, work);
  BlockMatrix H(simulator.model().pattern());
  problem.hessian(start.x, VecX(), H);
  problem.constrain(H);
  std::unique_ptr<CholeskyFactor> factor;
  LinearTimes times{};
  times.factorization =
      median_seconds_of(5, [&] { factor = simulator.cholesky().factorize(H, work.cholesky); });
  const VecX b = simulator.model().mass();
  VecX x;
  times.solve = median_seconds_of(25, [&] { factor->solve(b, x, work.cholesky); });
  return times;
}

std::vector<nlohmann::ordered_json> row(int m, int step_count, const Method& method) {
  const HungSheet sheet(m);
  const Simulator simulator(sheet.model, HungSheet::options(method.linear));
  const LinearTimes linear = measure_linear_algebra(simulator, sheet.start);
  double elapsed = 0.0;
  auto last = std::chrono::steady_clock::now();
  const Trajectory run = rollout(simulator, sheet.start, NoForces(), step_count, [&](int, const StepReport&) {
    const auto now = std::chrono::steady_clock::now();
    elapsed += std::chrono::duration<double>(now - last).count();
    last = now;
    return elapsed < kPatienceOfStep;
  });
  fmt::print(stderr, "step: {} vertices, {}: {} steps in {:.1f} s\n", m * m, method.name, run.step_count(),
             elapsed);
  const double steps = run.step_count();
  double newton = 0.0, cg = 0.0, factorizations = 0.0, residual = 0.0;
  for (const StepReport& report : run.reports) {
    newton += report.iterations;
    cg += report.cg_iterations;
    factorizations += report.factorizations;
    residual = std::max(residual, report.residual);
  }
  const double step_mean = mean(run.seconds), step_median = median(run.seconds);
  return {m * m,
          method.name,
          run.step_count(),
          1e3 * linear.factorization,
          1e3 * linear.solve,
          1e3 * step_mean,
          1e3 * step_median,
          step_mean / linear.factorization,
          step_median / linear.factorization,
          newton / steps,
          cg / steps,
          factorizations / steps,
          m * m / step_mean,
          residual};
}

}  // namespace

Table bench_step(const BenchOptions& options) {
  Table table{
      "step",
      {HungSheet::note(),
       fmt::format(
           "Steps: 60, at 10,000 vertices 20, quick 10; a row ends early after {:.0f} s. Newton, CG and "
           "factorisations are means a step.",
           kPatienceOfStep)},
      {"vertices", "linear", "steps", "factor ms", "solve ms", "step ms", "step median ms", "step/factor",
       "step/factor median", "Newton", "CG", "factorisations", "vertices x steps / s", "worst residual"},
      {}};
  const std::vector<int> sides = options.quick ? std::vector{16, 32} : std::vector{32, 50, 100};
  for (const int m : sides)
    for (const Method& method : kMethods)
      table.rows.push_back(row(m, options.quick ? 10 : m >= 100 ? 20 : 60, method));
  return table;
}

}  // namespace keydrape::bench
