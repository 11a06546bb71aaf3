#include "core/simulator.h"

#include <cassert>
#include <cmath>

namespace keydrape {

Simulator::Simulator(const Model& model, const SimulatorOptions& options)
    : model_(model), options_(options), cholesky_(model.pattern()) {
  assert(options.dt > 0.0 && options.newton.tolerance > 0.0 && options.newton.max_iterations > 0);
}

StepProblem Simulator::problem(int n, const State& start, const VecX& u) const {
  return StepProblem(model_, start, options_.dt, (options_.first_step + n + 1) * options_.dt, u);
}

StepResult Simulator::step(int n, const State& start, const VecX& u, const NewtonHints& hints) const {
  const StepProblem step_problem = problem(n, start, u);
  NewtonResult result = options_.method == StepMethod::kConverged
                            ? minimize_step(step_problem, cholesky_, hints, options_.newton)
                            : linearized_step(step_problem, cholesky_);
  State next;
  next.v = (result.y - start.x) / options_.dt;
  next.x = std::move(result.y);
  return {std::move(next), result.report, std::move(result.factor)};
}

double kinetic_energy(const Model& model, const State& state) {
  return 0.5 * state.v.dot(model.mass().cwiseProduct(state.v));
}

double elastic_energy(const Model& model, const State& state, double dt, double time) {
  // A step that starts where it ends dissipates nothing: what is left of the potentials is what they store.
  const VecX rest = VecX::Zero(state.x.size());
  double sum = 0.0;
  for (const auto& energy : model.energies())
    if (energy->is_elastic()) sum += energy->begin_step({dt, time, state.x, rest})->value(state.x);
  if (model.self_contact())
    sum += SelfContactStep(*model.self_contact(), {dt, time, state.x, rest}).stored(state.x);
  return sum;
}

}  // namespace keydrape
