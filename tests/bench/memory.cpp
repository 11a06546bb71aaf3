#include <cmath>
#include <limits>

#include "tests/bench/benchmarks.h"
#include "tests/bench/search_curve.h"

namespace keydrape::bench {
namespace {

constexpr double kBudgetGb = 0.2;

// Steps of which a factor is kept.
int kept_factors(const ShootingWork& work) {
  int count = 0;
  for (const StepStorage storage : {StepStorage::kFile, StepStorage::kSingle, StepStorage::kDouble})
    count += work.kept[static_cast<std::size_t>(storage)];
  return count;
}

std::vector<nlohmann::ordered_json> row(const Scene& scene, const Shot& shot, const char* memory,
                                        const SearchCurve& curve, const SearchCurve& reference) {
  return {scene.shot.name,
          memory,
          curve.work.forward_simulations,
          curve.seconds,
          curve.seconds / reference.seconds,
          static_cast<double>(curve.work.trajectory_bytes) / 1e9,
          kept_factors(curve.work),
          shot.clock.step_count(),
          curve.work.factorizations,
          curve.objective,
          std::abs(curve.objective - reference.objective) / std::abs(reference.objective)};
}

}  // namespace

Table bench_memory(const BenchOptions& options) {
  Table table{
      "memory",
      {"Gauss-Newton from the guided run, once with all factors kept and once within memory_gb = 0.2, where "
       "sweeps factorise again what was not kept."},
      {"scene", "memory", "forward simulations", "time s", "time ratio", "trajectory GB", "kept steps",
       "steps", "factorisations", "objective", "objective difference"},
      {}};
  const int budget = options.quick ? 2 : 6;
  for (const auto& path : options.scenes) {
    Scene scene = read_scene(path);
    scene.solver.memory_gb = kBudgetGb;
    const Shot shot = open_shot(scene);
    const auto solve = [&](size_t bytes) {
      return search_curve(shot, scene::ControlMethod::kGaussNewton, SearchStart::kGuided, budget, bytes);
    };
    const SearchCurve unlimited = solve(std::numeric_limits<size_t>::max());
    const SearchCurve limited = solve(static_cast<std::size_t>(shot.options.memory_bytes));
    table.rows.push_back(row(scene, shot, "unlimited", unlimited, unlimited));
    table.rows.push_back(row(scene, shot, "0.2 GB", limited, unlimited));
  }
  return table;
}

}  // namespace keydrape::bench
