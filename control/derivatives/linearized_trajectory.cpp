#include "control/derivatives/linearized_trajectory.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace keydrape {

namespace {

using Precision = StepLinearization::Precision;

bool keeps_factor(StepStorage storage) { return storage >= StepStorage::kFile; }

}  // namespace

LinearizedTrajectory::LinearizedTrajectory(const Simulator& simulator, const Trajectory& trajectory,
                                           size_t memory_budget_bytes, Scratch* scratch, Observer observer)
    : simulator_(simulator),
      trajectory_(trajectory),
      observer_(std::move(observer)),
      store_(trajectory.step_count()),
      indefinite_(trajectory.step_count(), false) {
  assert(trajectory.first_failure() == trajectory.step_count());
  if (!simulator.has_derivatives()) {
    using Cause = DerivativeFailure::Cause;
    failure_ = {simulator.model().has_passes() ? Cause::kPassed : Cause::kNotSmooth, 0};
    return;
  }
  if (simulator.differentiates_way()) {
    assert(trajectory.forces.size() == static_cast<size_t>(trajectory.step_count()));
    counts_[static_cast<size_t>(StepStorage::kNone)] = step_count();
    return;
  }
  const Model& model = simulator.model();
  const StorageCosts typical = storage_costs(simulator, model.pattern(), simulator.cholesky());
  StorageChoice choice(typical, step_count(),
                       {.memory = static_cast<double>(memory_budget_bytes),
                        .scratch = scratch ? scratch->capacity_bytes() : 0.0});
  if (choice.filed_steps() > 0)
    store_.open_file(*scratch,
                     choice.filed_steps() * typical[static_cast<size_t>(StepStorage::kFile)].file_bytes);
  for (int n = 0; n < step_count(); ++n) {
    if (observer_) observer_();
    const StepStorage storage = choice.choose(typical);
    std::unique_ptr<StepLinearization> kept;
    if (storage != StepStorage::kNone) kept = keep(n, storage, choice);
    if (failure_) return;
    const size_t bytes = kept ? kept->memory_bytes() : 0;
    choice.take({.memory = static_cast<double>(bytes),
                 .scratch = kept ? static_cast<double>(kept->filed_bytes()) : 0.0});
    memory_bytes_ += bytes;
    if (!kept) ++counts_[static_cast<size_t>(StepStorage::kNone)];
    store_.keep(n, std::move(kept));
  }
}

// What fits of what is to be kept of a step; null: nothing does. A step in contact is larger than most, and
// one whose factor cannot be rounded, or is an LU, larger than expected.
std::unique_ptr<StepLinearization> LinearizedTrajectory::keep(int n, StepStorage storage,
                                                              const StorageChoice& choice) {
  const Model& model = simulator_.model();
  std::unique_ptr<StepLinearization> step = assemble(n);
  if (&step->pattern() != &model.pattern()) {
    StorageCosts costs = storage_costs(simulator_, step->pattern(), step->cholesky());
    for (StorageCost& cost : costs) cost.bytes += static_cast<double>(step->pattern_bytes());
    storage = choice.choose(costs);
    if (storage == StepStorage::kNone) return nullptr;
  }
  const auto held = [&] { return static_cast<double>(step->memory_bytes()); };
  if (keeps_factor(storage)) {
    if (!factorize(*step, storage == StepStorage::kDouble ? Precision::kDouble : Precision::kSingle))
      return nullptr;
    if (storage == StepStorage::kFile && step->is_single()) {
      store_.move_to_file(*step);
    } else if (choice.fits(held() - step->releasable_bytes())) {
      step->release_matrix();
      storage = step->is_single() ? StepStorage::kSingle : StepStorage::kDouble;
    } else {
      step->release_factor();
      storage = StepStorage::kMatrices;
    }
  }
  if (!choice.fits(held())) return nullptr;
  ++counts_[static_cast<size_t>(storage)];
  return step;
}

std::unique_ptr<StepLinearization> LinearizedTrajectory::assemble(int n) {
  return std::make_unique<StepLinearization>(simulator_, n, trajectory_.from(n), trajectory_.states[n + 1],
                                             work_);
}

bool LinearizedTrajectory::factorize(StepLinearization& step, Precision precision) {
  const bool has_factor = step.factorize(precision);
  ++factorizations_;
  indefinite_[step.index()] = step.is_indefinite();
  if (!has_factor) failure_ = {DerivativeFailure::Cause::kSingular, step.index()};
  return has_factor;
}

const StepLinearization* LinearizedTrajectory::step(int n, SweepDirection next) {
  if (failure_ && failure_->cause != DerivativeFailure::Cause::kUnrefined) return nullptr;
  if (observer_) observer_();
  const StepLinearization* asked = provide(n);
  store_.read_ahead(n, next);
  return asked;
}

const StepLinearization* LinearizedTrajectory::provide(int n) {
  StepLinearization* kept = store_.kept(n);
  if (passing_index_ == n) return kept ? kept : passing_.get();
  const bool is_filed = kept && kept->is_filed();
  if (kept && !is_filed && kept->has_factor()) return kept;
  store_.finish_reading();
  release_passing();
  if (is_filed) {
    store_.fetch(n);
    passing_index_ = n;
    return kept;
  }
  store_.make_room();
  if (!kept) {
    passing_ = assemble(n);
    kept = passing_.get();
  }
  if (!factorize(*kept, Precision::kPassing)) return nullptr;
  passing_index_ = n;
  return kept;
}

// One factor passes by at a time.
void LinearizedTrajectory::release_passing() {
  passing_.reset();
  const int n = std::exchange(passing_index_, -1);
  StepLinearization* kept = n < 0 ? nullptr : store_.kept(n);
  if (!kept) return;
  if (kept->is_filed())
    store_.give_back(n);
  else
    kept->release_factor();
}

StepSweep::StepSweep(LinearizedTrajectory& trajectory, SweepDirection direction, SolveAccuracy accuracy)
    : trajectory_(trajectory),
      direction_(direction),
      accuracy_(accuracy),
      next_(direction == SweepDirection::kForward ? 0 : trajectory.step_count() - 1) {}

bool StepSweep::knows_more_levels() const {
  return trajectory_.simulator_.options().method == StepMethod::kBdf2;
}

bool StepSweep::goes_along_ways() const { return trajectory_.simulator_.differentiates_way(); }

void StepSweep::take_turn([[maybe_unused]] int n) {
  assert(n == next_ && 0 <= n && n < trajectory_.step_count());
  next_ += direction_ == SweepDirection::kForward ? 1 : -1;
}

std::unique_ptr<WayDerivative> StepSweep::way(int n) {
  take_turn(n);
  if (trajectory_.observer_) trajectory_.observer_();
  return way_derivative(trajectory_.simulator_, n, trajectory_.trajectory_.from(n),
                        trajectory_.trajectory_.forces[static_cast<size_t>(n)], trajectory_.work_);
}

const StepLinearization* StepSweep::step(int n) {
  take_turn(n);
  const bool is_forward = direction_ == SweepDirection::kForward;
  const bool is_last = next_ < 0 || next_ == trajectory_.step_count();
  return trajectory_.step(n, is_forward != is_last ? SweepDirection::kForward : SweepDirection::kBackward);
}

bool StepSweep::solve(const StepLinearization& step, const VecX& b, VecX& x) {
  const bool reached = step.solve(b, x, accuracy_);
  if (!reached) trajectory_.failure_ = {DerivativeFailure::Cause::kUnrefined, step.index()};
  return reached;
}

int LinearizedTrajectory::kept_count() const {
  return counts_[static_cast<size_t>(StepStorage::kFile)] +
         counts_[static_cast<size_t>(StepStorage::kSingle)] +
         counts_[static_cast<size_t>(StepStorage::kDouble)];
}

int LinearizedTrajectory::indefinite_count() const {
  return static_cast<int>(std::count(indefinite_.begin(), indefinite_.end(), true));
}

StateVector seed_or_zero(const StateVector& seed, int vertex_count) {
  const VecX zero = VecX::Zero(3 * vertex_count);
  return {seed.x.size() ? seed.x : zero, seed.v.size() ? seed.v : zero};
}

std::optional<StateVector> adjoint_step(StepSweep& sweep, int n, const StateVector& bar,
                                        const StateVector& seed, VecX& lambda,
                                        WayDerivative::ByRound* by_round) {
  if (by_round) by_round->clear();
  if (sweep.goes_along_ways()) {
    WayDerivative::ByRound rounds;
    StateVector before = sweep.way(n)->adjoint(bar, rounds);
    if (seed.x.size()) before.x += seed.x;
    if (seed.v.size()) before.v += seed.v;
    lambda = VecX::Zero(bar.x.size());
    for (const VecX& each : rounds) lambda += each;
    if (by_round) *by_round = std::move(rounds);
    return before;
  }
  const StepLinearization* step = sweep.step(n);
  if (!step) return std::nullopt;
  const StepScheme& scheme = step->scheme();
  if (!sweep.solve(*step, bar.x + bar.v / scheme.beta, lambda)) return std::nullopt;  // (A1), (A2)
  const auto through = [&](StepLevel level, double share) {                           // (A3), (A4)
    StateVector bars;
    step->apply_x_transposed(level, lambda, bars.x);
    step->apply_v_transposed(level, lambda, bars.v);
    bars.x -= share * (bar.v / scheme.beta);
    return bars;
  };
  StateVector before = through(StepLevel::kStart, scheme.start.share);
  if (seed.x.size()) before.x += seed.x;
  if (seed.v.size()) before.v += seed.v;
  if (StateVector& carried = sweep.carried(); carried.x.size()) {  // by the step after this one
    before.x += carried.x;
    before.v += carried.v;
    carried = {};
  }
  if (scheme.has_before()) sweep.carried() = through(StepLevel::kBefore, scheme.before.share);
  return before;
}

std::optional<StateVector> tangent_step(StepSweep& sweep, int n, const StateVector& change, const VecX& du,
                                        const WayDerivative::ByRound& more) {
  if (sweep.goes_along_ways())
    return sweep.way(n)->tangent(change, du.size() ? du : VecX::Zero(change.x.size()), more);
  assert(more.empty());
  const StepLinearization* step = sweep.step(n);
  if (!step) return std::nullopt;
  const StepScheme& scheme = step->scheme();
  StateVector after;
  VecX b, part;
  step->apply_x(StepLevel::kStart, change.x, b);
  step->apply_v(StepLevel::kStart, change.v, part);
  b += part;
  // A state before the first one is given.
  StateVector& before = sweep.carried();
  const bool has_before = scheme.has_before() && before.x.size() > 0;
  if (has_before) {
    step->apply_x(StepLevel::kBefore, before.x, part);
    b += part;
    step->apply_v(StepLevel::kBefore, before.v, part);
    b += part;
  }
  if (du.size()) b += du;
  if (!sweep.solve(*step, b, after.x)) return std::nullopt;  // (T1)
  VecX star = scheme.start.share * change.x;
  if (has_before) star += scheme.before.share * before.x;
  after.v = (after.x - star) / scheme.beta;
  if (sweep.knows_more_levels()) before = change;
  return after;
}

}  // namespace keydrape
