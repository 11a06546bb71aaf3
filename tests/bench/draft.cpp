#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "control/run/force_schedule.h"
#include "control/run/rollout.h"
#include "core/contact/pairs/intersection.h"
#include "io/shot/shot.h"
#include "tests/bench/benchmarks.h"
#include "tests/bench/dropped_sheet.h"

namespace keydrape::bench {
namespace {

constexpr double kPatienceOfDraft = 20.0;  // as in bench_step, of solved steps

SimulatorOptions steps_of(StepMethod method, LinearMethod linear, const LinearizedOptions& linearized) {
  SimulatorOptions options = HungSheet::options(linear);
  options.method = method;
  options.linearized = linearized;
  return options;
}

struct Measured {
  Trajectory run;
  double step_s;  // processor time of a step, mean over those that are compared
};

Measured measure(const Model& model, const State& start, const SimulatorOptions& options, int step_count,
                 double patience = 1e300) {
  const Simulator simulator(model, options);
  const std::clock_t begin = std::clock();
  const auto elapsed = [&] { return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC; };
  Measured measured{rollout(simulator, start, NoForces(), step_count,
                            [&](int, const StepReport&) { return elapsed() < patience; }),
                    0.0};
  measured.step_s = elapsed() / measured.run.step_count();
  return measured;
}

int intersected_states(const Trajectory& run, const TriangleMesh& mesh) {
  return static_cast<int>(std::count_if(run.states.begin(), run.states.end(), [&](const State& state) {
    return find_intersections(mesh.triangles, state.x).count > 0;
  }));
}

// How far the two are apart at the end, RMS over vertices [m].
double distance(const Trajectory& a, const Trajectory& b) {
  const VecX d = a.back().x - b.back().x;
  return std::sqrt(3.0 * d.squaredNorm() / static_cast<double>(d.size()));
}

void add_rows(const char* name, const TriangleMesh& mesh, const Model& model, const State& start,
              int step_count, Table& table) {
  const Measured solved = measure(model, start, steps_of(StepMethod::kConverged, LinearMethod::kAuto, {}),
                                  step_count, kPatienceOfDraft);
  const int steps = solved.run.step_count();
  const auto add = [&](const char* quality, const Measured& measured) {
    double newton = 0.0, cg = 0.0, factorizations = 0.0, residual = 0.0, cuts = 0.0;
    for (const StepReport& report : measured.run.reports) {
      newton += report.iterations;
      cg += report.cg_iterations;
      factorizations += report.factorizations;
      residual = std::max(residual, report.residual);
      cuts += report.cuts > 0;
    }
    fmt::print(stderr, "draft: {}, {} vertices, {}: {} steps\n", name, mesh.vertex_count(), quality,
               measured.run.step_count());
    table.rows.push_back({name, mesh.vertex_count(), quality, measured.run.step_count(),
                          1e3 * measured.step_s, solved.step_s / measured.step_s, newton / steps, cg / steps,
                          factorizations / steps, cuts / steps, residual,
                          1e3 * distance(measured.run, solved.run), intersected_states(measured.run, mesh)});
  };
  add("solved", solved);
  const auto linearized = [&](LinearMethod linear, const LinearizedOptions& options) {
    return measure(model, start, steps_of(StepMethod::kLinearized, linear, options), steps);
  };
  add("linearized", linearized(LinearMethod::kAuto, {}));
  add("draft, filtered CG", linearized(LinearMethod::kConjugateGradient, kDraftSteps));
  add("draft", linearized(LinearMethod::kAuto, kDraftSteps));
}

}  // namespace

Table bench_draft(const BenchOptions& options) {
  Table table{
      "draft",
      {HungSheet::note(), "Dropped: let go above a ball, in contact with it and itself, friction 0.3.",
       "Times, of the processor, iterations, factorisations and steps cut short are means a step, over the "
       "same "
       "steps; "
       "the distance is RMS at the end, from the run of solved steps.",
       fmt::format("Steps: 60; a row ends early after {:.0f} s of solved steps. Let --threads be 1.",
                   kPatienceOfDraft)},
      {"scene", "vertices", "steps are", "steps", "step ms", "times faster", "rounds", "CG", "factorisations",
       "cut", "worst residual", "distance mm", "intersected states"},
      {}};
  const std::vector<int> sides = options.quick ? std::vector{16} : std::vector{32, 50, 100};
  const int step_count = options.quick ? 30 : 60;
  for (const int m : sides) {
    const HungSheet hung(m);
    add_rows("hung", test::square(m - 1, 1.0), hung.model, hung.start, step_count, table);
    const ClothDescription dropped = dropped_sheet(m);
    const Model model = build_model(dropped);
    add_rows("dropped", dropped.mesh, model,
             {stacked(dropped.mesh.positions), VecX::Zero(3 * model.vertex_count())}, step_count, table);
  }
  return table;
}

}  // namespace keydrape::bench
