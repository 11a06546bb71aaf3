#include "core/step/simulator.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/step/resting_step.h"

namespace keydrape {

namespace {

constexpr int kPiecesOfStep[] = {4, 16, 64};  // of one that is blocked
constexpr int kStepsBetweenLimits = 50;       // explicit ones, of which the limit is looked for anew
constexpr double kPieceTolerance = 1e-3;      // of their ends nothing is wanted but that they are free

}  // namespace

Simulator::Simulator(const Model& model, const SimulatorOptions& options)
    : model_(model), options_(options), cholesky_(model.pattern()) {
  assert(options.dt > 0.0 && options.newton.tolerance > 0.0 && options.newton.max_iterations > 0);
  assert(
      (options.method != StepMethod::kConverged && options.method != StepMethod::kBdf2 && !is_explicit()) ||
      !model.has_passes());
  assert(is_linearized() || model.resting().empty());
  assert(!options.rounds || *options.rounds > 0);
  const bool has_rounds = keydrape::takes_rounds(options.method);
  if ((has_rounds || is_explicit()) && model.is_limited())
    throw InputError(
        "steps that are not solved (prefactored, predictor, descent, explicit) know neither barriers nor "
        "strain limits: nothing would keep cloth on its side; take another integrator, or leave both out");
  if ((options.method == StepMethod::kPredictor || is_explicit()) && model.has_contact())
    throw InputError(
        "steps of predictor and explicit do not look whether the potential falls, and a penalty is stiff as "
        "soon as cloth touches: take another integrator, or leave contact out");
  if (has_rounds)
    matrices_ = std::make_unique<const RoundMatrices>(
        model, options.dt,
        options.method == StepMethod::kDescent ? RoundMatrixKind::kDiagonal : RoundMatrixKind::kStiffness);
}

int default_rounds(StepMethod method) {
  switch (method) {
    case StepMethod::kPrefactored:
      return 10;
    case StepMethod::kDescent:
      return 32;
    default:
      return 1;
  }
}

RoundsOptions Simulator::rounds_options() const {
  assert(takes_rounds());
  const bool is_predictor = options_.method == StepMethod::kPredictor;
  RoundsOptions options;
  options.rounds = is_predictor ? 1 : options_.rounds.value_or(default_rounds(options_.method));
  options.tolerance = options_.newton.tolerance;
  options.memory = options_.method == StepMethod::kPrefactored ? options_.rounds_memory : 0;
  options.searches = !is_predictor;
  options.keeps_rotation = is_predictor;
  options.begin = is_predictor                              ? RoundsBegin::kStart
                  : options_.method == StepMethod::kDescent ? RoundsBegin::kInertial
                                                            : RoundsBegin::kFalling;
  return options;
}

MatrixOfStep Simulator::round_matrix(const StepProblem& problem, int n) const {
  return matrices_->at(problem.constraints(), (options_.first_step + n + 1) * options_.dt,
                       problem.work().matrices);
}

ExplicitStages Simulator::stages(int n, const State& start, const VecX& u, StepWorkspace& work) const {
  assert(is_explicit());
  ExplicitStages taken = take_stages(model_, options_.scheme, start, options_.dt,
                                     (options_.first_step + n) * options_.dt, u, work);
  // To the bits of a run that is resumed.
  if (ends_as_it_moved()) taken.end = end_state(start, std::move(taken.end.x));
  return taken;
}

StepResult Simulator::explicit_step(int n, const State& start, const VecX& u, StepWorkspace& work) const {
  StepReport report;
  const double begin = (options_.first_step + n) * options_.dt, end = begin + options_.dt;
  const auto is_too_long = [&](double time) {
    const double longest =
        longest_step(options_.scheme, fastest_motion(model_, start, options_.dt, time, work));
    if (options_.dt <= kShareOfLimit * longest) return false;
    report.end = NewtonEnd::kTooLong;
    report.residual = options_.dt / longest;
    return true;
  };
  const bool stiffens = keydrape::stiffens(model_, begin, end);
  if ((stiffens || n % kStepsBetweenLimits == 0) && is_too_long(stiffens ? end : begin))
    return {start, report, nullptr};
  ExplicitStages taken = stages(n, start, u, work);
  report.iterations = static_cast<int>(taken.at.size());
  report.end = NewtonEnd::kMinimum;
  if (!taken.end.x.allFinite() || !taken.end.v.allFinite()) {
    if (is_too_long(end)) return {start, report, nullptr};
    report.end = NewtonEnd::kNotFinite;
    report.residual = std::numeric_limits<double>::infinity();
    return {start, report, nullptr};
  }
  return {std::move(taken.end), report, nullptr};
}

StepProblem Simulator::problem(int n, const StepFrom& from, const VecX& u, StepWorkspace& work) const {
  const State* before = options_.method == StepMethod::kBdf2 ? from.before : nullptr;
  return StepProblem(model_, {from.start, before, from.sliding_time, is_linearized()}, options_.dt,
                     (options_.first_step + n + 1) * options_.dt, u, work);
}

std::optional<VecX> Simulator::approach_in_pieces(int n, State start, const VecX& u, int pieces,
                                                  NewtonReport& taken, StepWorkspace& work) const {
  const double dt = options_.dt / pieces, begin = (options_.first_step + n) * options_.dt;
  NewtonOptions newton = options_.newton;
  newton.tolerance = std::max(newton.tolerance, kPieceTolerance);
  for (int k = 0; k < pieces; ++k) {
    const double end = k + 1 < pieces ? begin + (k + 1) * dt : (options_.first_step + n + 1) * options_.dt;
    NewtonResult part = minimize_step(StepProblem(model_, start, dt, end, u, work), cholesky_, {}, newton);
    taken.add_work(part.report);
    if (part.report.end == NewtonEnd::kBlocked || !std::isfinite(part.report.residual)) return std::nullopt;
    start.v = (part.y - start.x) / dt;
    start.x = std::move(part.y);
  }
  return std::move(start.x);
}

NewtonResult Simulator::retry_from_pieces(int n, const StepFrom& from, const VecX& u,
                                          const NewtonHints& hints, NewtonResult blocked,
                                          StepWorkspace& work) const {
  NewtonReport taken;
  for (const int pieces : kPiecesOfStep) {
    const std::optional<VecX> begin = approach_in_pieces(n, from.start, u, pieces, taken, work);
    if (!begin) continue;
    NewtonResult found = minimize_step(problem(n, from, u, work), cholesky_,
                                       {hints.preconditioner, hints.expected, &*begin}, options_.newton);
    ++found.report.retries;
    found.report.add_work(blocked.report);
    found.report.add_work(taken);
    return found;
  }
  blocked.report.add_work(taken);
  return blocked;
}

NewtonResult Simulator::first_result(StepProblem& step, const NewtonHints& hints) const {
  if (!is_linearized()) return minimize_step(step, cholesky_, hints, options_.newton);
  if (!model_.resting().empty())
    return resting_step(step, cholesky_, hints, options_.newton, options_.linearized);
  return linearized_step(step, cholesky_, hints, options_.newton, options_.linearized);
}

void Simulator::filter(const StepProblem& step, NewtonResult& result) const {
  if (!result.report.converged()) return;
  const State& start = step.start();
  const FilteredStep filtered{step.dt(), step.end_time(),      start.x,
                              start.v,   model_.vertex_mass(), step.constraints()};
  for (const auto& filter : model_.filters()) {
    result.report.violations = filter->apply(filtered, result.y);
    if (result.report.violations == 0) continue;
    result.report.end = NewtonEnd::kBlocked;
    result.report.residual = std::numeric_limits<double>::infinity();
    result.y = start.x;
    return;
  }
}

StepResult Simulator::step(int n, const StepFrom& from, const VecX& u, const NewtonHints& hints,
                           StepWorkspace& work) const {
  if (is_explicit()) return explicit_step(n, from.start, u, work);
  StepProblem step = problem(n, from, u, work);
  NewtonResult result =
      takes_rounds() ? take_rounds(step, round_matrix(step, n), rounds_options()) : first_result(step, hints);
  if (result.report.end == NewtonEnd::kBlocked)
    result = retry_from_pieces(n, from, u, hints, std::move(result), work);
  filter(step, result);
  return {step.end_state(std::move(result.y)), result.report, std::move(result.factor)};
}

StepResult Simulator::step(int n, const StepFrom& from, const VecX& u, const NewtonHints& hints) const {
  StepWorkspace work;
  return step(n, from, u, hints, work);
}

State Simulator::end_state(const StepFrom& from, VecX y) const {
  const StepScheme s = scheme(from);
  VecX v = s.end_velocity(y, s.star(from.start.x, from.before ? &from.before->x : nullptr));
  ExemptionsPointer exempt = model_.exemptions_after(from.start.exempt, y);
  return {std::move(y), std::move(v), std::move(exempt)};
}

double kinetic_energy(const Model& model, const State& state) {
  return 0.5 * state.v.dot(model.mass().cwiseProduct(state.v));
}

double elastic_energy(const Model& model, const State& state, double dt, double time, PairSearch* search) {
  // A step that starts where it ends, and in which no pin moves, dissipates nothing: what is left of the
  // potentials is what they store.
  const VecX rest = VecX::Zero(state.x.size());
  double sum = 0.0;
  for (const auto& energy : model.energies())
    if (energy->is_elastic()) {
      StepStart start{dt, time, state.x, rest, search};
      start.exempt = state.exempt;
      start.sliding_time = dt;
      sum += energy->begin_step(start)->stored(state.x);
    }
  return sum;
}

}  // namespace keydrape
