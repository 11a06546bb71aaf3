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
  const Model& model = simulator.model();
  const StorageCosts typical = storage_costs(model, model.pattern(), simulator.cholesky());
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
    const size_t bytes = kept ? kept->memory_bytes() : 0;
    choice.take(static_cast<double>(bytes), kept ? static_cast<double>(kept->filed_bytes()) : 0.0);
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
    StorageCosts costs = storage_costs(model, step->pattern(), step->cholesky());
    for (StorageCost& cost : costs) cost.bytes += static_cast<double>(step->pattern_bytes());
    storage = choice.choose(costs);
    if (storage == StepStorage::kNone) return nullptr;
  }
  const auto held = [&] { return static_cast<double>(step->memory_bytes()); };
  if (keeps_factor(storage)) {
    factorize(*step, n, storage == StepStorage::kDouble ? Precision::kDouble : Precision::kSingle);
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
  return std::make_unique<StepLinearization>(simulator_, n, trajectory_.states[n], trajectory_.states[n + 1],
                                             work_);
}

void LinearizedTrajectory::factorize(StepLinearization& step, int n, Precision precision) {
  step.factorize(precision);
  ++factorizations_;
  indefinite_[n] = step.is_indefinite();
}

const StepLinearization& LinearizedTrajectory::step(int n, SweepDirection next) {
  if (observer_) observer_();
  const StepLinearization& asked = provide(n);
  store_.read_ahead(n, next);
  return asked;
}

const StepLinearization& LinearizedTrajectory::provide(int n) {
  StepLinearization* kept = store_.kept(n);
  if (passing_index_ == n) return kept ? *kept : *passing_;
  const bool is_filed = kept && kept->is_filed();
  if (kept && !is_filed && kept->has_factor()) return *kept;
  store_.finish_reading();
  release_passing();
  if (is_filed) {
    store_.fetch(n);
    passing_index_ = n;
    return *kept;
  }
  store_.make_room();
  if (!kept) {
    passing_ = assemble(n);
    kept = passing_.get();
  }
  factorize(*kept, n, Precision::kPassing);
  passing_index_ = n;
  return *kept;
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

StepSweep::StepSweep(LinearizedTrajectory& trajectory, SweepDirection direction)
    : trajectory_(trajectory),
      direction_(direction),
      next_(direction == SweepDirection::kForward ? 0 : trajectory.step_count() - 1) {}

const StepLinearization& StepSweep::step(int n) {
  assert(n == next_ && 0 <= n && n < trajectory_.step_count());
  const bool is_forward = direction_ == SweepDirection::kForward;
  next_ += is_forward ? 1 : -1;
  const bool is_last = next_ < 0 || next_ == trajectory_.step_count();
  return trajectory_.step(n, is_forward != is_last ? SweepDirection::kForward : SweepDirection::kBackward);
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

StateVector adjoint_step(const StepLinearization& step, const StateVector& bar, const StateVector& seed,
                         VecX& lambda) {
  const double dt = step.dt();
  StateVector before;
  step.solve(bar.x + bar.v / dt, lambda);  // (A1), (A2)
  step.apply_start_x_transposed(lambda, before.x);
  step.apply_start_v_transposed(lambda, before.v);
  before.x -= bar.v / dt;  // (A3), (A4)
  if (seed.x.size()) before.x += seed.x;
  if (seed.v.size()) before.v += seed.v;
  return before;
}

StateVector tangent_step(const StepLinearization& step, const StateVector& change, const VecX& du) {
  StateVector after;
  VecX b, through_v;
  step.apply_start_x(change.x, b);
  step.apply_start_v(change.v, through_v);
  b += through_v;
  if (du.size()) b += du;
  step.solve(b, after.x);  // (T1)
  after.v = (after.x - change.x) / step.dt();
  return after;
}

StateVector adjoint(LinearizedTrajectory& trajectory, const std::vector<StateVector>& seeds,
                    const ForceGradientSink& sink) {
  const int N = trajectory.step_count();
  assert(static_cast<int>(seeds.size()) == N + 1);
  VecX lambda;
  StateVector bar = seed_or_zero(seeds[N], trajectory.vertex_count());
  StepSweep sweep = trajectory.backward_sweep();
  for (int n = N - 1; n >= 0; --n) {
    bar = adjoint_step(sweep.step(n), bar, seeds[n], lambda);
    sink(n, lambda);
  }
  return bar;
}

AdjointResult adjoint(LinearizedTrajectory& trajectory, const std::vector<StateVector>& seeds) {
  AdjointResult result;
  result.u_bar.resize(trajectory.step_count());
  result.initial = adjoint(trajectory, seeds, [&](int n, const VecX& u_bar) { result.u_bar[n] = u_bar; });
  return result;
}

std::vector<StateVector> tangent(LinearizedTrajectory& trajectory, const std::vector<VecX>& du,
                                 const StateVector& initial) {
  assert(static_cast<int>(du.size()) == trajectory.step_count());
  std::vector<StateVector> change{initial};
  StepSweep sweep = trajectory.forward_sweep();
  for (int n = 0; n < trajectory.step_count(); ++n)
    change.push_back(tangent_step(sweep.step(n), change[n], du[n]));
  return change;
}

}  // namespace keydrape
