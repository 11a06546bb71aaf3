#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "control/shooting/shooting_iterate.h"
#include "tests/bench/benchmarks.h"
#include "tests/bench/search_curve.h"

namespace keydrape::bench {
namespace {

constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();

struct Variant {
  scene::ControlMethod method;
  SearchStart start;
  const char* name;
  const char* start_name;
};
constexpr Variant kVariants[] = {
    {scene::ControlMethod::kGaussNewton, SearchStart::kGuided, "gauss-newton", "guided"},
    {scene::ControlMethod::kLbfgs, SearchStart::kNoForces, "lbfgs", "none"},
    {scene::ControlMethod::kLbfgs, SearchStart::kGuided, "lbfgs", "guided"},
};

// Where the table looks at a search: ascending, the last one is all that it may spend.
std::vector<int> looks(const Variant& variant, const BenchOptions& options) {
  std::vector<int> at;
  if (variant.method == scene::ControlMethod::kGaussNewton) {
    at.resize(options.quick ? 3 : 12);
    std::iota(at.begin(), at.end(), 1);
    return at;
  }
  const int all = options.quick ? 5 : options.lbfgs_evaluations;
  for (const int k : {12, 50, 150})
    if (k < all) at.push_back(k);
  at.push_back(all);
  return at;
}

// The objective that the converged step gives to the forces found: what a search by the swapped gradient,
// which simulates by linearised steps, is worth.
nlohmann::ordered_json replayed_objective(const Shot& exact, const VecX& z) {
  ShootingProblem problem(exact.simulator(), exact.start(), exact.layout(), exact.objective(), kUnlimited);
  const ShootingIterate run(problem, z);
  return run.is_complete() ? nlohmann::ordered_json(run.objective()) : nlohmann::ordered_json();
}

void add_rows(const Scene& scene, const Shot& exact, const Shot& shot, const char* gradient_name,
              const BenchOptions& options, Table& table) {
  for (const Variant& variant : kVariants) {
    const std::vector<int> at = looks(variant, options);
    const SearchCurve curve = search_curve(shot, variant.method, variant.start, at.back(), kUnlimited);
    for (const int k : at) {
      const SearchPoint* point = point_after(curve, k);
      std::vector<nlohmann::ordered_json> row{scene.shot.name, variant.name, gradient_name,
                                              variant.start_name, k};
      if (point)
        row.insert(row.end(), {point->objective, point->miss_percent, point->peak_g, point->seconds});
      else
        row.insert(row.end(), 4, nullptr);
      row.push_back(k == at.back() && point ? replayed_objective(exact, curve.z) : nullptr);
      table.rows.push_back(std::move(row));
    }
  }
}

}  // namespace

Table bench_solve(const BenchOptions& options) {
  Table table{
      "solve",
      {"Misses: RMS distance at each keyframe, in percent of the cloth's size (bounding box diagonal). The "
       "guided run counts as a forward simulation.",
       "A row shows the last accepted iterate within its forward simulations. Replayed: the best forces, "
       "simulated by converged steps."},
      {"scene", "method", "gradient", "start", "forward simulations", "objective", "misses %", "peak g",
       "time s", "replayed objective"},
      {}};
  for (const auto& path : options.scenes) {
    Scene scene = read_scene(path);
    scene.control.gradient = scene::Gradient::kExact;
    const Shot exact = open_shot(scene);
    scene.control.gradient = scene::Gradient::kSwapped;
    const Shot swapped = open_shot(scene);
    ShootingProblem problem(exact.simulator(), exact.start(), exact.layout(), exact.objective(), kUnlimited);
    const SearchPoint free = measure(exact, ShootingIterate(problem, VecX::Zero(problem.size())));
    table.rows.push_back({scene.shot.name, "uncontrolled", nullptr, "none", 1, free.objective,
                          free.miss_percent, 0.0, problem.work().forward_s, nullptr});
    add_rows(scene, exact, exact, "exact", options, table);
    add_rows(scene, exact, swapped, "swapped", options, table);
  }
  return table;
}

}  // namespace keydrape::bench
