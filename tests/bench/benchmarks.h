#pragma once

#include <filesystem>
#include <vector>

#include "tests/bench/table.h"

// What keydrape_bench measures. Times are wall-clock, but those of contact, draft and rounds are the
// processor's; on a shared machine only ratios within one run mean anything.

namespace keydrape::bench {

struct BenchOptions {
  bool quick = false;  // small sheets and few runs: whether it works, not how fast
  int lbfgs_evaluations = 150;
  std::vector<int> vertices{1024, 2500, 10000};  // of the sheets of rounds, each as near as a square comes
  std::vector<std::filesystem::path> scenes{"examples/flag/flag.toml"};  // of solve and memory
};

// The forward step: time and iterations at 1,024, 2,500 and 10,000 vertices, by method for the linear
// systems: auto and direct.
Table bench_step(const BenchOptions& options);

// The same cloth, dropped over a ball: where the time of a step with contact goes, at 1,024 to
// 40,000 vertices.
Table bench_drape(const BenchOptions& options);

// The same two, hung and dropped, in steps that are solved for and in those of a preview.
Table bench_draft(const BenchOptions& options);

// A sheet dropped on a ball, in contact by every method: depth, intersections, time.
Table bench_contact(const BenchOptions& options);

// What is left of a step's residual after so many rounds, and in what time: solved, linearised, prefactored,
// with memory and without, and diagonal, of soft and of stiff cloth.
Table bench_rounds(const BenchOptions& options);

// Adjoint and tangent sweep against the forward run that they differentiate.
Table bench_gradient(const BenchOptions& options);

// Objective and misses after so many forward simulations: Gauss-Newton and L-BFGS, exact and swapped
// gradient. Throws InputError, as bench_memory.
Table bench_solve(const BenchOptions& options);

// The headline's twin: one gradient in each way of keeping derivatives.
Table bench_headline(const BenchOptions& options);

// What is told of targets before a search, against a step.
Table bench_reach(const BenchOptions& options);

// How near bending comes to a smooth plate's, by model, mesh and resolution.
Table bench_bending(const BenchOptions& options);

// A solve within 0.2 GB against one without a bound.
Table bench_memory(const BenchOptions& options);

}  // namespace keydrape::bench
