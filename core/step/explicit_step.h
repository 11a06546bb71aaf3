#pragma once

#include <array>
#include <vector>

#include "core/cloth/model.h"
#include "core/cloth/state.h"
#include "core/constraint/hard_pin.h"
#include "core/step/step_workspace.h"

namespace keydrape {

// A step without any matrix (core/step/EQUATIONS.md (R8)).
enum class ExplicitScheme {
  kSymplectic,  // Euler that moves with the new velocity
  kVerlet,      // velocity Verlet
  kMidpoint,    // Runge-Kutta of second order
  kRungeKutta4,
  kEuler,
};

// Stages i of a scheme: accelerations A_i = M^-1 f(X_i, V_i), each by those before,
//   X_i = x + c_i h v + h^2 sum_j a_ij A_j ,   V_i = v + h sum_j b_ij A_j
//   x+  = x + h v     + h^2 sum_i a_i  A_i ,   v+  = v + h sum_i b_i  A_i
struct ExplicitTable {
  static constexpr int kMostStages = 4;
  using Row = std::array<double, kMostStages>;

  int stages;
  Row c;
  std::array<Row, kMostStages> of_x, of_v;  // a_ij, b_ij
  Row end_x, end_v;                         // a_i, b_i
};
const ExplicitTable& table_of(ExplicitScheme scheme);

// The forces of everything at one moment: f = -dE/dy of a step of BDF2 that has just come there, by its
// velocity, in a time d much shorter than h, so that what dissipates does, to the second order in d.
class MomentForces {
 public:
  // At a state, at a time [s]; h: the step that is taken [s]. All outlive it; `work` is for one thread.
  MomentForces(const Model& model, const State& at, double h, double time, StepWorkspace& work);

  VecX force() const;  // with gravity, without control [N] (3n)
  // -df/dx and -df/dv over the model's pattern.
  void derivatives(BlockMatrix& K, BlockMatrix& B) const;

 private:
  const Model& model_;
  const State& at_;
  double d_, time_;
  VecX start_, before_;  // x - d v, x - 2 d v
  std::vector<std::unique_ptr<EnergyStep>> energies_;
};

// One step as it went.
struct ExplicitStages {
  StepConstraints constraints;
  std::vector<State> at;  // X_i, V_i
  std::vector<VecX> a;    // A_i, over the free directions
  State end;
};
// From a state at `time` [s], under the control forces u [N] (3n). In directions that pins hold, positions go
// straight to where they are held at the end of the step, stages too, and velocities with them.
ExplicitStages take_stages(const Model& model, ExplicitScheme scheme, const State& start, double h,
                           double time, const VecX& u, StepWorkspace& work);

// The fastest motion that cloth has at a state: what explicit steps have to be shorter for.
struct FastestMotion {
  double frequency;  // largest omega of M^-1 (-df/dx) [rad/s]
  double damping;    // largest rate of M^-1 (-df/dv) [1/s]
};
// By power iteration, over the free directions, both with a margin; at least what its bounds of stiffness say
// that it may become (linear/stiffness_bound.h).
FastestMotion fastest_motion(const Model& model, const State& at, double h, double time, StepWorkspace& work);

// Whether what depends on time becomes notably stiffer between these times [s], so that the fastest motion is
// to be looked for anew: each tenth more is one such time.
bool stiffens(const Model& model, double from, double to);

// Of the longest step, what an explicit one may take.
inline constexpr double kShareOfLimit = 0.9;
// The longest step under which such a motion grows by a factor e at most in a second [s].
double longest_step(ExplicitScheme scheme, const FastestMotion& motion);

}  // namespace keydrape
