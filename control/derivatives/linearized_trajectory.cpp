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
      steps_(trajectory.step_count()),
      indefinite_(trajectory.step_count(), false) {
  assert(trajectory.first_failure() == trajectory.step_count());
  const Model& model = simulator.model();
  const StorageCosts typical = storage_costs(model, model.pattern(), simulator.cholesky());
  StorageChoice choice(typical, step_count(), static_cast<double>(memory_budget_bytes),
                       scratch ? scratch->capacity_bytes() : 0.0);
  if (choice.filed_steps() > 0)
    file_ = scratch->open(choice.filed_steps() * typical[static_cast<size_t>(StepStorage::kFile)].file_bytes);
  for (int n = 0; n < step_count(); ++n) {
    if (observer_) observer_();
    const StepStorage storage = choice.choose(typical);
    if (storage != StepStorage::kNone) steps_[n] = keep(n, storage, choice);
    const size_t bytes = steps_[n] ? steps_[n]->memory_bytes() : 0;
    choice.take(static_cast<double>(bytes), steps_[n] ? static_cast<double>(steps_[n]->filed_bytes()) : 0.0);
    memory_bytes_ += bytes;
    if (!steps_[n]) ++counts_[static_cast<size_t>(StepStorage::kNone)];
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
      step->move_to(*file_);
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

std::unique_ptr<StepLinearization> LinearizedTrajectory::assemble(int n) const {
  return std::make_unique<StepLinearization>(simulator_, n, trajectory_.states[n], trajectory_.states[n + 1]);
}

void LinearizedTrajectory::factorize(StepLinearization& step, int n, Precision precision) const {
  step.factorize(precision);
  ++factorizations_;
  indefinite_[n] = step.is_indefinite();
}

const StepLinearization& LinearizedTrajectory::step(int n) const {
  assert(0 <= n && n < step_count());
  if (observer_) observer_();
  // Sweeps turn at the ends.
  const bool is_ascending = n == 0 || (n > asked_ && n < step_count() - 1);
  asked_ = n;
  const StepLinearization& asked = provide(n);
  if (ahead_index_ < 0) read_ahead(n, is_ascending ? 1 : -1);
  return asked;
}

const StepLinearization& LinearizedTrajectory::provide(int n) const {
  StepLinearization* kept = steps_[n].get();
  if (passing_index_ == n) return kept ? *kept : *passing_;
  const bool is_filed = kept && kept->is_filed();
  if (kept && !is_filed && kept->has_factor()) return *kept;
  finish_reading();
  release_passing();
  if (is_filed) {
    if (ahead_index_ >= 0 && ahead_index_ != n) drop_ahead();
    if (ahead_index_ != n) kept->fetch(*file_, spare_);
    ahead_index_ = -1;
    passing_index_ = n;
    return *kept;
  }
  if (ahead_index_ >= 0) spare_ = {};  // memory is set aside for two steps, not for three
  if (!kept) {
    passing_ = assemble(n);
    kept = passing_.get();
  }
  factorize(*kept, n, Precision::kPassing);
  passing_index_ = n;
  return *kept;
}

// One factor passes by at a time.
void LinearizedTrajectory::release_passing() const {
  passing_.reset();
  const int n = std::exchange(passing_index_, -1);
  if (n < 0 || !steps_[n]) return;
  if (steps_[n]->is_filed())
    steps_[n]->drop_fetched(spare_);
  else
    steps_[n]->release_factor();
}

// Begins to read the first step after n in this direction that is in the file, unless it is at hand.
void LinearizedTrajectory::read_ahead(int n, int direction) const {
  if (!file_) return;
  const auto has_to_be_read = [&](int k) {
    return steps_[k] && steps_[k]->is_filed() && k != passing_index_;
  };
  int next = n + direction;
  while (0 <= next && next < step_count() && !has_to_be_read(next)) next += direction;
  if (next < 0 || next >= step_count()) return;
  ahead_index_ = next;
  reading_ = std::async(std::launch::async, [this, next] { steps_[next]->fetch(*file_, spare_); });
}

void LinearizedTrajectory::finish_reading() const {
  if (!reading_.valid()) return;
  try {
    reading_.get();
  } catch (...) {
    ahead_index_ = -1;
    throw;
  }
}

void LinearizedTrajectory::drop_ahead() const {
  steps_[std::exchange(ahead_index_, -1)]->drop_fetched(spare_);
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

StateVector adjoint_step(const LinearizedTrajectory& trajectory, int n, const StateVector& bar,
                         const StateVector& seed, VecX& lambda) {
  const double dt = trajectory.dt();
  const StepLinearization& step = trajectory.step(n);
  StateVector before;
  step.solve(bar.x + bar.v / dt, lambda);  // (A1), (A2)
  step.apply_start_x_transposed(lambda, before.x);
  step.apply_start_v_transposed(lambda, before.v);
  before.x -= bar.v / dt;  // (A3), (A4)
  if (seed.x.size()) before.x += seed.x;
  if (seed.v.size()) before.v += seed.v;
  return before;
}

StateVector tangent_step(const LinearizedTrajectory& trajectory, int n, const StateVector& change,
                         const VecX& du) {
  const StepLinearization& step = trajectory.step(n);
  StateVector after;
  VecX b, through_v;
  step.apply_start_x(change.x, b);
  step.apply_start_v(change.v, through_v);
  b += through_v;
  if (du.size()) b += du;
  step.solve(b, after.x);  // (T1)
  after.v = (after.x - change.x) / trajectory.dt();
  return after;
}

StateVector adjoint(const LinearizedTrajectory& trajectory, const std::vector<StateVector>& seeds,
                    const ForceGradientSink& sink) {
  const int N = trajectory.step_count();
  assert(static_cast<int>(seeds.size()) == N + 1);
  VecX lambda;
  StateVector bar = seed_or_zero(seeds[N], trajectory.vertex_count());
  for (int n = N - 1; n >= 0; --n) {
    bar = adjoint_step(trajectory, n, bar, seeds[n], lambda);
    sink(n, lambda);
  }
  return bar;
}

AdjointResult adjoint(const LinearizedTrajectory& trajectory, const std::vector<StateVector>& seeds) {
  AdjointResult result;
  result.u_bar.resize(trajectory.step_count());
  result.initial = adjoint(trajectory, seeds, [&](int n, const VecX& u_bar) { result.u_bar[n] = u_bar; });
  return result;
}

std::vector<StateVector> tangent(const LinearizedTrajectory& trajectory, const std::vector<VecX>& du,
                                 const StateVector& initial) {
  assert(static_cast<int>(du.size()) == trajectory.step_count());
  std::vector<StateVector> change{initial};
  for (int n = 0; n < trajectory.step_count(); ++n)
    change.push_back(tangent_step(trajectory, n, change[n], du[n]));
  return change;
}

}  // namespace keydrape
