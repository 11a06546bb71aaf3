#include "control/derivatives/step_storage.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>

#include "control/derivatives/step_linearization.h"
#include "core/linear/symmetric_matrix.h"

namespace keydrape {

namespace {

// Times [ns] on two threads, as measured at 8,100 vertices. Factor of 4.5 million entries: solve in single
// precision 1.9 ms, again with the same factor 0.7; in double precision, which CHOLMOD does on one thread, 8
// ms; 3 solves and products of 0.1 ms to refine, 4 to 6 solves by a factor made in single precision; 87,664
// blocks assembled in 27 ms.
constexpr double kSolve = 0.42;               // an entry
constexpr double kRefinedSolve = 0.83;        // an entry
constexpr double kRefinedPassingSolve = 1.3;  // an entry
constexpr double kDoubleSolve = 1.8;          // an entry
constexpr double kAssembly = 310.0;           // a block of H
constexpr double kRead = 0.83;                // a byte of a scratch file, from a solid-state disk of 1.2 GB/s
constexpr size_t kBytesOfBlock = 9 * sizeof(double);

// Whether b is on or above the straight line from a to c.
bool is_above(const StorageCost& a, const StorageCost& b, const StorageCost& c) {
  return (b.work - a.work) * (c.bytes - a.bytes) >= (c.work - a.work) * (b.bytes - a.bytes);
}

std::vector<StepStorage> lower_hull(const StorageCosts& costs) {
  std::vector<StepStorage> order{StepStorage::kNone, StepStorage::kMatrices, StepStorage::kSingle,
                                 StepStorage::kDouble};
  const auto cost = [&](StepStorage s) { return costs[static_cast<size_t>(s)]; };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return cost(a).bytes < cost(b).bytes; });
  std::vector<StepStorage> hull;
  for (const StepStorage s : order) {
    if (!hull.empty() && cost(s).work >= cost(hull.back()).work) continue;
    while (hull.size() > 1 && is_above(cost(hull[hull.size() - 2]), cost(hull.back()), cost(s)))
      hull.pop_back();
    hull.push_back(s);
  }
  return hull;
}

}  // namespace

StorageCosts storage_costs(const Simulator& simulator, const BlockPattern& pattern,
                           const CholeskySolver& cholesky) {
  const Model& model = simulator.model();
  const double levels = simulator.options().method == StepMethod::kBdf2 ? kStepLevels : 1;
  const double blocks = pattern.block_count();
  const double entries = static_cast<double>(cholesky.kept_factor_bytes()) / sizeof(float);
  const double H = static_cast<double>(SymmetricMatrix::memory_bytes(pattern));
  const double of_model = static_cast<double>(kBytesOfBlock) * model.pattern().block_count();
  const bool has_C = model.depends_on_start_x() || simulator.has_exact_linearized_derivatives();
  const double C = has_C ? kBytesOfBlock * blocks + (levels - 1) * of_model : 0.0;
  const double D = model.depends_on_start_v() ? levels * of_model : 0.0;
  const double assemble = kAssembly * blocks,
               factorize = kSolve * cholesky.solves_per_factorization() * entries;
  const double refined = kRefinedSolve * entries, passing = factorize + kRefinedPassingSolve * entries;
  const double single = H + C + D + static_cast<double>(cholesky.kept_factor_bytes());
  return {{{0.0, assemble + passing},
           {H + C + D, passing},
           {0.0, refined + kRead * single, single},
           {single, refined},
           {C + D + static_cast<double>(cholesky.factor_bytes()), kDoubleSolve * entries}}};
}

double passing_bytes(const StorageCosts& costs, double scratch_bytes) {
  const double single = costs[static_cast<size_t>(StepStorage::kSingle)].bytes;
  return std::max(scratch_bytes > 0.0 ? 2.0 * single : single,
                  costs[static_cast<size_t>(StepStorage::kDouble)].bytes);
}

StorageChoice::StorageChoice(const StorageCosts& typical, int step_count, const StorageBytes& budget)
    : typical_(typical),
      hull_(lower_hull(typical)),
      step_count_(step_count),
      steps_left_(step_count),
      bytes_left_(budget.memory),
      scratch_left_(budget.scratch) {
  assert(step_count >= 0 && budget.memory >= 0.0 && budget.scratch >= 0.0);
  const bool has_factors = std::any_of(hull_.begin(), hull_.end(), [&](StepStorage s) {
    return s >= StepStorage::kSingle && typical[static_cast<size_t>(s)].bytes * step_count <= budget.memory;
  });
  if (has_factors) return;
  bytes_left_ = std::max(0.0, bytes_left_ - passing_bytes(typical, budget.scratch));
  const StorageCost &file = typical[static_cast<size_t>(StepStorage::kFile)],
                    &single = typical[static_cast<size_t>(StepStorage::kSingle)];
  if (file.work >= typical[static_cast<size_t>(StepStorage::kNone)].work) return;
  const double in_memory = std::floor(bytes_left_ / single.bytes),
               in_file = std::floor(scratch_left_ / file.file_bytes);
  filed_steps_ = all_filed_ = static_cast<int>(std::min(std::max(0.0, step_count - in_memory), in_file));
}

// Whether fewer steps are in the file so far than their share of the steps up to the next one.
bool StorageChoice::is_filed_next() const {
  const std::int64_t steps = step_count_ - steps_left_ + 1;
  return all_filed_ - filed_steps_ < steps * all_filed_ / step_count_;
}

StepStorage StorageChoice::choose(const StorageCosts& costs) const {
  assert(steps_left_ > 0);
  if (is_filed_next() && costs[static_cast<size_t>(StepStorage::kFile)].file_bytes <= scratch_left_)
    return StepStorage::kFile;
  StepStorage chosen = StepStorage::kNone;
  const int later_in_memory = std::max(0, steps_left_ - 1 - filed_steps_);
  for (size_t rank = 1; rank < hull_.size(); ++rank) {
    const double own = costs[static_cast<size_t>(hull_[rank])].bytes;
    if (own + later_in_memory * typical_bytes(rank - 1) <= bytes_left_) chosen = hull_[rank];
  }
  return chosen;
}

void StorageChoice::take(const StorageBytes& bytes) {
  assert(steps_left_ > 0);
  --steps_left_;
  if (bytes.scratch > 0.0) --filed_steps_;
  scratch_left_ = std::max(0.0, scratch_left_ - bytes.scratch);
  bytes_left_ = std::max(0.0, bytes_left_ - bytes.memory);
}

StoragePlan plan_storage(const StorageCosts& costs, int step_count, const StorageBytes& budget) {
  StoragePlan plan;
  StorageChoice choice(costs, step_count, budget);
  for (int n = 0; n < step_count; ++n) {
    const auto storage = static_cast<size_t>(choice.choose(costs));
    choice.take({costs[storage].bytes, costs[storage].file_bytes});
    plan.bytes += costs[storage].bytes;
    plan.file_bytes += costs[storage].file_bytes;
    ++plan.counts[storage];
  }
  const int ready = plan.counts[static_cast<size_t>(StepStorage::kSingle)] +
                    plan.counts[static_cast<size_t>(StepStorage::kDouble)];
  if (ready < step_count) plan.bytes += passing_bytes(costs, budget.scratch);
  return plan;
}

}  // namespace keydrape
