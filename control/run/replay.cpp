#include "control/run/replay.h"

#include <algorithm>
#include <cmath>

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

// Below this Newton does not get.
double rounding_of(const StepProblem& problem, const VecX& y) {
  const std::shared_ptr<const WidePattern> wide = problem.pattern(y, nullptr);
  BlockMatrix H(wide ? wide->blocks() : problem.model().pattern());
  problem.hessian(y, {}, H, HessianKind::kExact, wide.get());
  problem.constrain(H);
  return rounding_of_residual(H, y, problem.model().force_scale());
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

std::optional<StepResult> replay_step(const Simulator& simulator, int n, const StepFrom& from, const VecX& u,
                                      const VecX& end, StepWorkspace& work) {
  const SimulatorOptions& options = simulator.options();
  StepReport report;
  if (!is_solved(options.method)) return std::nullopt;
  const StepProblem step = simulator.problem(n, from, u, work);
  if (!solves(step, end, options.newton.tolerance, report)) return std::nullopt;
  return StepResult{step.end_state(end), report, nullptr};
}

}  // namespace keydrape
