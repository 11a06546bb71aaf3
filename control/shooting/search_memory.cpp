#include "control/shooting/search_memory.h"

#include <algorithm>
#include <cassert>

#include "control/derivatives/channel_derivatives.h"
#include "control/optimize/model_subspace.h"

namespace keydrape {

namespace {

// The iterate, the change that leads to the trial, the trial, and a copy of the best so far.
constexpr double kTrajectories = 4;
// Vectors as long as z. In every method z of the iterate, the trial, the optimiser's result, the best and the
// checkpoint that is being written, and the iterate's gradient; besides, with
//   Gauss-Newton:         local gradient; p, r, and the newest vector, also in the metric; images: of the
//                         gradient, the newest, p, and that weighed; the change of z and the bar of a sweep
//   projected:            dz, H dz, q, b, w and the face's normals beside those
//   L-BFGS:               y, direction, both points and gradients of the line search, s and y of the newest
//                         pair, the trial's own gradient (with bounds: and what y stands for)
constexpr double kCommon = 6, kGaussNewton = 11, kProjected = 13, kLbfgs = 9;
constexpr double kImages = 4;       // of these vectors
constexpr double kFineVectors = 4;  // while effort and smoothness are evaluated: as long as y
constexpr int kLeastPairs = 3;      // fewer make L-BFGS a gradient descent
// Vectors of the model and their images: where memory is short, derivatives are worth more.
constexpr double kModelShare = 0.1;
constexpr double kNewtonMatrices = 6, kNewtonFactors = 3;  // at a time; the factors in single precision
// One of double precision, one of single that was recycled, and a quarter of one for update matrices.
constexpr double kSpareFactors = 1.75;

double other_vectors(StoredMethod method) {
  switch (method) {
    case StoredMethod::kGaussNewton:
      return kCommon + kGaussNewton;
    case StoredMethod::kBoundedGaussNewton:
      return kCommon + kProjected;
    case StoredMethod::kLbfgs:
    case StoredMethod::kDescent:
      return kCommon + kLbfgs;
  }
  return 0;
}

}  // namespace

SearchMemory plan_search_memory(const Simulator& simulator, const ControlLayout& layout, StoredMethod method,
                                int seen_states, int wanted_pairs, const StorageBytes& budget,
                                const Channels* channels) {
  assert(budget.memory >= 0.0 && wanted_pairs >= 1);
  constexpr double kNumber = sizeof(double);
  const Model& model = simulator.model();
  const double n = model.vertex_count(), z = kNumber * layout.size();
  const double y = kNumber * 3.0 * layout.block_count() * layout.active_count();
  const StorageCosts costs = storage_costs(simulator, model.pattern(), simulator.cholesky());
  SearchMemory memory;
  memory.budget = budget.memory;
  memory.scratch = budget.scratch;
  const double a_vertex = simulator.differentiates_way() ? 9 : 6;  // with forces, or without
  memory.states_of_run = (layout.step_count() + 1) * a_vertex * n * kNumber;
  memory.trajectories = kTrajectories * memory.states_of_run;
  const double image = z + seen_states * 6 * n * kNumber, with_image = z + image;
  memory.vectors = other_vectors(method) * z + kFineVectors * y;
  if (method == StoredMethod::kGaussNewton)
    memory.vectors += kImages * (image - z) + ModelSubspace::kLeastCapacity * with_image;
  const CholeskySolver& cholesky = simulator.cholesky();
  memory.work_space = kNewtonMatrices * 9 * kNumber * model.pattern().block_count() +
                      kNewtonFactors * static_cast<double>(cholesky.single_factor_bytes()) +
                      kSpareFactors * static_cast<double>(cholesky.factor_bytes()) +
                      static_cast<double>(cholesky.memory_bytes());
  if (channels) memory.channels = channel_derivative_bytes(*channels, simulator, layout.step_count());
  const double passing = passing_bytes(costs, budget.scratch);
  memory.needed = memory.trajectories + memory.vectors + memory.work_space + memory.channels + passing;
  if (method == StoredMethod::kLbfgs) {
    const int least = std::min(kLeastPairs, wanted_pairs);
    memory.needed += 2 * least * z;
    const double room = std::max(0.0, budget.memory - memory.needed);
    memory.memory_pairs = least + static_cast<int>(std::min<double>(wanted_pairs - least, room / (2 * z)));
    memory.vectors += 2 * memory.memory_pairs * z;
  }
  const auto left = [&] {
    const double spent = memory.trajectories + memory.vectors + memory.work_space + memory.channels;
    return std::max(0.0, budget.memory - spent);
  };
  if (method == StoredMethod::kGaussNewton) {
    constexpr int kLeast = ModelSubspace::kLeastCapacity;
    const double most = OptimizerOptions().model_vectors - kLeast;
    const double room = std::max(0.0, left() - passing);
    const int more = static_cast<int>(std::min(most, kModelShare * room / with_image));
    memory.model_vectors = kLeast + more;
    memory.vectors += more * with_image;
  }
  memory.derivatives = left();
  memory.plan = plan_storage(costs, layout.step_count(), {memory.derivatives, budget.scratch});
  if (simulator.differentiates_way()) {  // of which nothing is kept
    memory.plan = {};
    memory.plan.counts[static_cast<size_t>(StepStorage::kNone)] = layout.step_count();
  }
  return memory;
}

}  // namespace keydrape
