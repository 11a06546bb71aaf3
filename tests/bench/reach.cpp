#include "control/run/force_schedule.h"
#include "control/run/rollout.h"
#include "control/task/target_reach.h"
#include "tests/bench/benchmarks.h"
#include "tests/bench/dropped_sheet.h"
#include "tests/bench/timing.h"

namespace keydrape::bench {
namespace {

constexpr int kSampledSteps = 5;

// The dropped sheet, stretched by 10 % along both threads, as a target: all of it, or its first row.
Task stretched_task(int m, bool is_part) {
  Task task;
  task.cloth = dropped_sheet(m);
  const VecX rest = stacked(task.cloth.mesh.positions);
  task.start = {rest, VecX::Zero(rest.size())};
  task.grid = {.interval_count = 24, .intervals_per_second = 24.0, .substeps = 4};
  Target target;
  target.keyframe.state = task.grid.step_count();
  target.keyframe.target = 1.1 * rest;
  target.keyframe.vertex_weight = VecX::Ones(rest.size() / 3);
  if (is_part) target.keyframe.vertex_weight.tail(rest.size() / 3 - m).setZero();
  task.targets = {target};
  return task;
}

std::vector<nlohmann::ordered_json> row(int m) {
  const Task whole = stretched_task(m, false), part = stretched_task(m, true);
  const Model model = build_model(whole.cloth);
  const Simulator simulator(model, HungSheet::options(LinearMethod::kAuto));
  const double step = mean(rollout(simulator, whole.start, NoForces(), kSampledSteps).seconds);
  const double opened = median_seconds_of(3, [&] { ReachMeter meter(whole); });
  // Made anew each time: a meter keeps the lengths along the cloth that it has found.
  const double of_whole = median_seconds_of(3, [&] { ReachMeter(whole).measure(0); });
  const double of_part = median_seconds_of(3, [&] { ReachMeter(part).measure(0); });
  return {m * m, 1e3 * step, 1e3 * opened, 1e3 * of_whole, 1e3 * of_part, of_whole / step, of_part / step};
}

}  // namespace

Table bench_reach(const BenchOptions& options) {
  Table table{
      "reach",
      {"What is told of a target before a search, of the cloth of the drape benchmark over its ball, which "
       "collides with itself; the meter's making included.",
       "Whole: a pose stretched by 10 %; part: its first row alone. Step: the mean of the first five."},
      {"vertices", "step ms", "meter ms", "whole ms", "part ms", "whole/step", "part/step"},
      {}};
  const std::vector<int> sides = options.quick ? std::vector{16} : std::vector{32, 50, 100};
  for (const int m : sides) table.rows.push_back(row(m));
  return table;
}

}  // namespace keydrape::bench
