#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <utility>

#include "core/step/simulator.h"
#include "tests/bench/benchmarks.h"
#include "tests/bench/hung_sheet.h"

namespace keydrape::bench {
namespace {

constexpr int kStepsBefore = 12;  // of solved ones, until the sheet swings
constexpr int kRepeats = 3;       // of which the fastest counts

// Warp and weft of so much, shear a tenth of it [N/m].
Model sheet(int m, double stretch) {
  const TriangleMesh mesh = test::square(m - 1, 1.0);
  ClothDescription cloth = test::cloth_of(mesh, HungSheet::material(), Vec3(0, 0, -kStandardGravity));
  cloth.material.k_warp = cloth.material.k_weft = stretch;
  cloth.material.k_shear = 0.1 * stretch;
  cloth.pins = {test::held(stacked(mesh.positions), {0, m - 1})};
  return build_model(cloth);
}

// One step from a state, again and again with a workspace that has seen it: its processor time [s].
double seconds_of_step(const Simulator& simulator, const State& start, const NewtonHints& hints,
                       StepResult& result) {
  const VecX u = VecX::Zero(start.x.size());
  StepWorkspace work;
  double fastest = std::numeric_limits<double>::infinity();
  for (int k = 0; k <= kRepeats; ++k) {
    const std::clock_t begin = std::clock();
    result = simulator.step(kStepsBefore, start, u, hints, work);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (k > 0) fastest = std::min(fastest, seconds);
  }
  return fastest;
}

void add_rows(int m, double stretch, Table& table) {
  const Model model = sheet(m, stretch);
  SimulatorOptions options = HungSheet::options(LinearMethod::kAuto);
  const Simulator newton(model, options);
  State state{stacked(test::square(m - 1, 1.0).positions), VecX::Zero(3 * model.vertex_count())};
  StepWorkspace work;
  std::unique_ptr<SingleFactor> factor;
  for (int n = 0; n < kStepsBefore; ++n) {
    StepResult step = newton.step(n, state, VecX::Zero(state.x.size()), {factor.get()}, work);
    state = std::move(step.next);
    if (step.factor) factor = std::move(step.factor);
  }
  StepResult solved;
  const double of_newton = seconds_of_step(newton, state, {factor.get()}, solved);
  const double moved = (solved.next.x - state.x).norm();
  const auto add = [&](const std::string& name, double seconds, const StepResult& step) {
    table.rows.push_back({stretch, model.vertex_count(), name, step.report.iterations, 1e3 * seconds,
                          seconds / of_newton, step.report.residual,
                          (step.next.x - solved.next.x).norm() / moved});
  };
  add("newton", of_newton, solved);
  // Ended by a looser tolerance: by a bound on iterations it would be begun anew.
  int iterations = 0;
  for (const double tolerance : {10.0, 1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-6}) {
    options.newton.tolerance = tolerance;
    const Simulator loose(model, options);
    StepResult step;
    const double seconds = seconds_of_step(loose, state, {factor.get()}, step);
    if (step.report.iterations == std::exchange(iterations, step.report.iterations)) continue;
    if (iterations < solved.report.iterations) add("newton, loose", seconds, step);
  }
  options = HungSheet::options(LinearMethod::kAuto);
  options.method = StepMethod::kLinearized;
  StepResult step;
  const Simulator linearized(model, options);
  const double of_linearized = seconds_of_step(linearized, state, {}, step);
  add("linearized", of_linearized, step);
  options.method = StepMethod::kPredictor;
  const Simulator predictor(model, options);
  const double of_predictor = seconds_of_step(predictor, state, {}, step);
  add("predictor", of_predictor, step);
  struct Rounds {
    const char* name;
    StepMethod method;
    int memory;
  };
  for (const auto& [name, method, memory] : {Rounds{"prefactored", StepMethod::kPrefactored, 0},
                                             Rounds{"prefactored, remembering", StepMethod::kPrefactored, 5},
                                             Rounds{"descent", StepMethod::kDescent, 0}})
    for (const int rounds : {1, 2, 5, 10, 20, 50, 200}) {
      options.method = method;
      options.rounds = rounds;
      options.rounds_memory = memory;
      const Simulator simulator(model, options);
      const double seconds = seconds_of_step(simulator, state, {}, step);
      add(name, seconds, step);
    }
  fmt::print(stderr, "rounds: {} vertices of {} N/m\n", model.vertex_count(), stretch);
}

}  // namespace

Table bench_rounds(const BenchOptions& options) {
  Table table{
      "rounds",
      {HungSheet::note() + " Stretch as in the row, shear a tenth of it.",
       fmt::format("One step, after {} that were solved; the factor of a shot is made before.", kStepsBefore),
       "Times are of the processor, the least of a few; off is the distance from the solved step over "
       "the way of that. Loose: newton with a larger tolerance. Let --threads be 1."},
      {"stretch N/m", "vertices", "steps are", "rounds", "ms", "over newton", "residual", "off"},
      {}};
  for (const double stretch : {50.0, 5000.0})
    for (const int vertices : options.quick ? std::vector{256} : options.vertices)
      add_rows(std::max(2, static_cast<int>(std::lround(std::sqrt(vertices)))), stretch, table);
  return table;
}

}  // namespace keydrape::bench
