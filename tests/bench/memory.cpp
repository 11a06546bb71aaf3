#include <cmath>
#include <limits>

#include "core/base/error.h"
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
                                        const SearchResult& found, const SearchResult& reference) {
  const ShootingWork& work = found.summary.work;
  const double objective = found.best->record.objective, expected = reference.best->record.objective;
  return {scene.shot.name,
          memory,
          work.forward_simulations,
          found.summary.time_s,
          found.summary.time_s / reference.summary.time_s,
          static_cast<double>(work.trajectory_bytes) / 1e9,
          kept_factors(work),
          shot.clock.step_count(),
          work.factorizations,
          objective,
          std::abs(objective - expected) / std::abs(expected)};
}

}  // namespace

Table bench_memory(const BenchOptions& options) {
  Table table{"memory",
              {"Gauss-Newton, once with all factors kept and once within memory_gb = 0.2, where sweeps "
               "factorise again "
               "what was not kept."},
              {"scene", "memory", "forward simulations", "time s", "time ratio", "trajectory GB",
               "kept steps", "steps", "factorisations", "objective", "objective difference"},
              {}};
  for (const auto& path : options.scenes) {
    Scene scene = read_scene(path);
    scene.solver.memory_gb = kBudgetGb;
    scene.control.max_forward_simulations = options.quick ? 2 : 6;
    const Shot shot = open_shot(scene);
    const auto solve = [&](double memory_bytes) {
      SearchOptions search = shot.options;
      search.method = SearchMethod::kGaussNewton;
      search.memory_bytes = memory_bytes;
      SearchResult found = search_curve(shot, search).result;
      if (!found.best) throw InputError(path.string() + ": " + found.summary.sentence());
      return found;
    };
    const SearchResult unlimited = solve(std::numeric_limits<double>::infinity());
    const SearchResult limited = solve(shot.options.memory_bytes);
    table.rows.push_back(row(scene, shot, "unlimited", unlimited, unlimited));
    table.rows.push_back(row(scene, shot, "0.2 GB", limited, unlimited));
  }
  return table;
}

}  // namespace keydrape::bench
