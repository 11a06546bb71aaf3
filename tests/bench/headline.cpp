#include "examples/generator/headline.h"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "control/derivatives/run_sweeps.h"
#include "control/run/force_schedule.h"
#include "control/run/rollout.h"
#include "io/scene/scene.h"
#include "io/shot/shot.h"
#include "tests/bench/benchmarks.h"
#include "tests/bench/timing.h"

namespace keydrape::bench {
namespace {

constexpr int kSweepsOfHeadline = 3;

// The scene's folder, gone with it.
class SceneFolder {
 public:
  SceneFolder()
      : path_(std::filesystem::temp_directory_path() / fmt::format("keydrape_headline_{}", getpid())) {
    examples::write_headline(path_, examples::kHeadlineTwin, examples::HeadlineHold::kFrame);
  }
  ~SceneFolder() { std::filesystem::remove_all(path_); }
  SceneFolder(const SceneFolder&) = delete;
  SceneFolder& operator=(const SceneFolder&) = delete;

  std::filesystem::path scene() const { return path_ / "scene.toml"; }

 private:
  std::filesystem::path path_;
};

}  // namespace

Table bench_headline(const BenchOptions& options) {
  const SceneFolder folder;
  const Shot shot = open_shot(read_scene(folder.scene()));
  const int step_count = options.quick ? 30 : shot.clock.step_count();
  const Model& model = shot.model();
  const StorageCosts costs = storage_costs(shot.simulator(), model.pattern(), shot.simulator().cholesky());
  const auto all = [&](StepStorage storage) {
    return step_count * costs[static_cast<size_t>(storage)].bytes + passing_bytes(costs);
  };
  Trajectory run;
  const double forward =
      seconds_of([&] { run = rollout(shot.simulator(), shot.start(), NoForces(), step_count); });
  std::vector<StateVector> seeds(step_count + 1);
  seeds.back().x = run.back().x - run.states.front().x;

  Table table{"headline",
              {"Twin of the headline (tests/bench/headline): 441 vertices, hung by two corners. One "
               "gradient, by what "
               "is kept of each step.",
               "Linearise: once a run. Adjoint: median of 3 sweeps."},
              {"steps", "MB", "single", "matrices", "nothing", "forward s", "linearise s", "adjoint s",
               "adjoint/forward", "difference"},
              {}};
  VecX expected;
  for (const double budget : {all(StepStorage::kSingle), all(StepStorage::kMatrices), 0.0}) {
    std::optional<LinearizedTrajectory> linearized;
    const double linearize =
        seconds_of([&] { linearized.emplace(shot.simulator(), run, static_cast<size_t>(budget)); });
    VecX gradient;
    const double sweep =
        median_seconds_of(kSweepsOfHeadline, [&] { gradient = adjoint(*linearized, seeds).value().start.x; });
    if (expected.size() == 0) expected = gradient;
    const auto count = [&](StepStorage s) { return linearized->counts()[static_cast<size_t>(s)]; };
    table.rows.push_back({step_count, static_cast<double>(linearized->memory_bytes()) / 1e6,
                          count(StepStorage::kSingle), count(StepStorage::kMatrices),
                          count(StepStorage::kNone), forward, linearize, sweep, sweep / forward,
                          (gradient - expected).norm() / expected.norm()});
  }
  return table;
}

}  // namespace keydrape::bench
