#pragma once

namespace keydrape {

// Where the time of a step goes [s]. For benchmarks: no result depends on it.
struct StepTimes {
  double broad_phase = 0.0;    // looking for pairs that may touch
  double collision = 0.0;      // how far cloth may go: continuous collision detection, of bodies too
  double assembly = 0.0;       // potentials, residuals and matrices
  double factorization = 0.0;  // with the symbolic analysis, where contact changes the pattern
  double solve = 0.0;          // conjugate gradients, preconditioner included

  StepTimes& operator+=(const StepTimes& other) {
    broad_phase += other.broad_phase;
    collision += other.collision;
    assembly += other.assembly;
    factorization += other.factorization;
    solve += other.solve;
    return *this;
  }
};

}  // namespace keydrape
