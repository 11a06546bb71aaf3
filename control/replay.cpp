#include "control/replay.h"

#include <cassert>
#include <chrono>
#include <cmath>
#include <limits>

namespace keydrape {
namespace {

// How far rounding lets a vertex be from where a pin holds it, relative to its coordinates.
constexpr double kPinRounding = 1e-12;

// |r| over the free directions, in units of |M g_0|.
double residual_of(const StepProblem& problem, const VecX& y) {
  VecX r;
  problem.residual(y, r);
  problem.constraints().filter(r);
  return r.norm() / problem.model().force_scale();
}

// What rounding y does to the residual: below this Newton does not get (NewtonReport::rounding).
double rounding_of(const StepProblem& problem, const VecX& y) {
  const std::shared_ptr<const WidePattern> wide = problem.pattern(y, nullptr);
  BlockMatrix H(wide ? wide->blocks() : problem.model().pattern());
  problem.hessian(y, {}, H, SelfContactStep::HessianKind::kExact, wide.get());
  problem.constrain(H);
  VecX r;
  H.multiply_absolute(y, r);
  return 0.5 * std::numeric_limits<double>::epsilon() * r.norm() / problem.model().force_scale();
}

// Whether y solves the step; the report then says how well.
bool solves(const StepProblem& problem, const VecX& y, double tolerance, StepReport& report) {
  VecX held = y;
  problem.constraints().impose(held);
  if ((held - y).lpNorm<Eigen::Infinity>() > kPinRounding * (1.0 + y.lpNorm<Eigen::Infinity>())) return false;
  if (problem.count_violations(y) > 0) return false;
  report.residual = residual_of(problem, y);
  if (!std::isfinite(report.residual)) return false;
  if (report.residual > tolerance) report.rounding = rounding_of(problem, y);
  report.end = NewtonEnd::kMinimum;
  return report.residual <= std::max(tolerance, report.rounding);
}

}  // namespace

Replay replay(const Simulator& simulator, const State& start, const ForceSchedule& forces,
              const std::vector<VecX>& take, const StepObserver& observer) {
  using Clock = std::chrono::steady_clock;
  assert(!take.empty());
  const SimulatorOptions& options = simulator.options();
  Replay result;
  Trajectory& trajectory = result.trajectory;
  trajectory.states.push_back(start);
  std::unique_ptr<SingleFactor> factor;
  VecX u(start.x.size());
  for (int n = 0; n + 1 < static_cast<int>(take.size()); ++n) {
    const Clock::time_point begin = Clock::now();
    const State& from = trajectory.back();
    const VecX& expected = take[n + 1];
    forces.force(n, u);
    StepReport report;
    if (options.method == StepMethod::kConverged &&
        solves(simulator.problem(n, from, u), expected, options.newton.tolerance, report)) {
      trajectory.states.push_back({expected, (expected - from.x) / simulator.dt()});  // (2)
      ++result.repeated_steps;
    } else {
      StepResult step = simulator.step(n, from, u, {factor.get(), &expected});
      report = step.report;
      trajectory.states.push_back(std::move(step.next));
      if (step.factor) factor = std::move(step.factor);
    }
    trajectory.reports.push_back(report);
    trajectory.seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    const bool go_on = !observer || observer(n, report);
    if (!report.converged() || !go_on) break;
  }
  return result;
}

}  // namespace keydrape
