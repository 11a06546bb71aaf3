#include <algorithm>
#include <limits>
#include <numeric>

#include "control/shooting/shooting_iterate.h"
#include "io/run/run_records.h"
#include "tests/bench/benchmarks.h"
#include "tests/bench/search_curve.h"

namespace keydrape::bench {
namespace {

struct Variant {
  SearchMethod method;
  SearchStart start;
  const char* name;
  const char* start_name;
};
constexpr Variant kVariants[] = {
    {SearchMethod::kGaussNewton, SearchStart::kGuided, "gauss-newton", "guided"},
    {SearchMethod::kLbfgs, SearchStart::kFree, "lbfgs", "none"},
    {SearchMethod::kLbfgs, SearchStart::kGuided, "lbfgs", "guided"},
};

// Where the table looks at a search: ascending, the last one is all that it may spend.
std::vector<int> looks(const Variant& variant, const BenchOptions& options) {
  std::vector<int> at;
  if (variant.method == SearchMethod::kGaussNewton) {
    at.resize(options.quick ? 3 : kGaussNewtonRuns);
    std::iota(at.begin(), at.end(), 1);
    return at;
  }
  const int all = options.quick ? 5 : options.lbfgs_evaluations;
  for (const int k : {12, 50, 150})
    if (k < all) at.push_back(k);
  at.push_back(all);
  return at;
}

// The misses that converged steps give to what was found: what a search by the swapped gradient, which
// simulates by linearised steps, is worth. Null: they do not come to the end.
nlohmann::ordered_json replayed_misses(const Shot& exact, const VecX& z) {
  ShootingProblem problem(exact.simulator(), exact.start(), exact.layout(), exact.objective(),
                          std::numeric_limits<std::size_t>::max(), exact.prepared.shooting_options());
  const ShootingIterate run(problem, z);
  return run.is_complete() ? nlohmann::ordered_json(miss_percent(exact, run.misses()))
                           : nlohmann::ordered_json();
}

void add_rows(const Scene& scene, const Shot& exact, const Shot& shot, const char* gradient_name,
              const BenchOptions& options, Table& table) {
  for (const Variant& variant : kVariants) {
    const std::vector<int> at = looks(variant, options);
    SearchOptions search = shot.options;
    search.method = variant.method;
    search.start = variant.start;
    search.max_forward_runs = at.back();
    search.memory_bytes = std::numeric_limits<double>::infinity();
    const SearchCurve curve = search_curve(shot, search);
    for (const int k : at) {
      const CurvePoint* point = point_after(curve, k);
      std::vector<nlohmann::ordered_json> row{scene.shot.name, variant.name, gradient_name,
                                              variant.start_name, k};
      if (point)
        row.insert(row.end(), {point->objective, point->miss_percent, point->seconds});
      else
        row.insert(row.end(), 3, nullptr);
      if (k == at.back() && curve.result.best) {
        const VecX& z = curve.result.best->z;
        const ControlForces forces(shot.layout(), z, shot.base());
        row.insert(row.end(), {measure_forces(shot, forces).peak_g, replayed_misses(exact, z)});
      } else {
        row.insert(row.end(), 2, nullptr);
      }
      table.rows.push_back(std::move(row));
    }
  }
}

// The cloth without control, as the search begins with it.
std::vector<nlohmann::ordered_json> uncontrolled_row(const Scene& scene, const Shot& shot) {
  SearchOptions one_run = shot.options;
  one_run.max_forward_runs = 1;
  one_run.coarsening = {};
  const SearchCurve curve = search_curve(shot, one_run);
  const std::vector<double> misses = miss_percent(shot, curve.result.summary.uncontrolled);
  return {
      scene.shot.name, "uncontrolled", nullptr, "none", 1, nullptr, misses, curve.result.summary.time_s, 0.0,
      nullptr};
}

}  // namespace

Table bench_solve(const BenchOptions& options) {
  Table table{
      "solve",
      {"Misses: RMS distance at each keyframe, in percent of the cloth's size (bounding box diagonal). The "
       "run without forces and the guided run count as forward simulations.",
       "A row shows the last iteration within its forward simulations; its objective is that of the weights "
       "then. Peak and replayed misses: of the result, the latter simulated by converged steps."},
      {"scene", "method", "gradient", "start", "forward simulations", "objective", "misses %", "time s",
       "peak g", "replayed misses %"},
      {}};
  for (const auto& path : options.scenes) {
    Scene scene = read_scene(path);
    scene.control.gradient = scene::Gradient::kExact;
    const Shot exact = open_shot(scene);
    scene.control.gradient = scene::Gradient::kSwapped;
    const Shot swapped = open_shot(scene);
    table.rows.push_back(uncontrolled_row(scene, exact));
    add_rows(scene, exact, exact, "exact", options, table);
    add_rows(scene, exact, swapped, "swapped", options, table);
  }
  return table;
}

}  // namespace keydrape::bench
