#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "control/run/force_schedule.h"
#include "control/run/rollout.h"
#include "core/contact/pairs/intersection.h"
#include "tests/bench/benchmarks.h"
#include "tests/bench/dropped_sheet.h"

namespace keydrape::bench {
namespace {

struct Row {
  const char* name;
  StepMethod steps;
  ContactMethod contact;
  bool knows_itself;
};
constexpr Row kRows[] = {
    {"barrier, newton", StepMethod::kConverged, ContactMethod::kBarrier, true},
    {"barrier, linearized", StepMethod::kLinearized, ContactMethod::kBarrier, true},
    {"impulses", StepMethod::kLinearized, ContactMethod::kImpulses, true},
    {"barrier, newton", StepMethod::kConverged, ContactMethod::kBarrier, false},
    {"penalty, newton", StepMethod::kConverged, ContactMethod::kPenalty, false},
    {"penalty, linearized", StepMethod::kLinearized, ContactMethod::kPenalty, false},
    {"penalty, prefactored", StepMethod::kPrefactored, ContactMethod::kPenalty, false},
    {"projection", StepMethod::kLinearized, ContactMethod::kProjection, false},
    {"filter", StepMethod::kLinearized, ContactMethod::kFilter, false},
    {"constraint", StepMethod::kLinearized, ContactMethod::kConstraint, false},
};

// How far a vertex is within the ball at worst [m].
double deepest(const Trajectory& run) {
  double depth = 0.0;
  for (const State& state : run.states)
    for (Eigen::Index i = 0; i < state.x.size(); i += 3)
      depth = std::max(depth, kDropRadius - state.x.segment<3>(i).norm());
  return depth;
}

// Speed that is left over the last fifth of a run, RMS over vertices [m/s].
double jitter(const Trajectory& run) {
  const int begin = run.step_count() * 4 / 5;
  double sum = 0.0;
  for (int n = begin; n < run.step_count(); ++n)
    sum += 3.0 * run.states[n + 1].v.squaredNorm() / static_cast<double>(run.states[n + 1].v.size());
  return std::sqrt(sum / std::max(1, run.step_count() - begin));
}

}  // namespace

Table bench_contact(const BenchOptions& options) {
  Table table{
      "contact",
      {HungSheet::note(),
       "Dropped on a ball, friction 0.3; with the cloth's contact with itself, and without.",
       "ms: of the processor, a step; deepest: of a vertex within the ball; left: RMS speed in the last "
       "fifth of the run. Let --threads be 1."},
      {"method", "self", "vertices", "steps", "step ms", "systems", "deepest mm", "intersected states",
       "left mm/s"},
      {}};
  const int step_count = options.quick ? 30 : 90;
  for (const int m : {options.quick ? 16 : 32})
    for (const Row& row : kRows) {
      ClothDescription cloth = dropped_sheet(m);
      cloth.contact.self = row.knows_itself;
      cloth.contact.method = row.contact;
      const Model model = build_model(cloth);
      SimulatorOptions how = HungSheet::options(LinearMethod::kAuto);
      how.method = row.steps;
      const Simulator simulator(model, how);
      const State start{stacked(cloth.mesh.positions), VecX::Zero(3 * model.vertex_count())};
      const std::clock_t begin = std::clock();
      const Trajectory run = rollout(simulator, start, NoForces(), step_count);
      const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      double systems = 0.0;
      for (const StepReport& report : run.reports) systems += report.iterations;
      const auto intersected = std::count_if(run.states.begin(), run.states.end(), [&](const State& state) {
        return find_intersections(cloth.mesh.triangles, state.x).count > 0;
      });
      fmt::print(stderr, "contact: {}, {} vertices: {} steps\n", row.name, model.vertex_count(),
                 run.step_count());
      table.rows.push_back({row.name, row.knows_itself ? "yes" : "no", model.vertex_count(), run.step_count(),
                            1e3 * seconds / run.step_count(), systems / run.step_count(), 1e3 * deepest(run),
                            static_cast<int>(intersected), 1e3 * jitter(run)});
    }
  return table;
}

}  // namespace keydrape::bench
