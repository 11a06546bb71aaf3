#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/cloth/cloth.h"
#include "core/step/drape.h"
#include "core/step/simulator.h"

// Ways to set cloth in motion and to bring it to rest, for tests.

namespace keydrape::test {

// Cotton-like, without damping unless asked for.
inline Material cotton(double damping = 0.0) { return {0.15, 2000, 2000, 200, 1e-5, damping, 4e-4}; }

inline ClothDescription cloth_of(TriangleMesh mesh, const Material& material, const Vec3& gravity) {
  ClothDescription cloth;
  cloth.mesh = std::move(mesh);
  cloth.material = material;
  cloth.gravity = gravity;
  return cloth;
}

inline SimulatorOptions options_of(double dt, double tolerance = 1e-8) {
  SimulatorOptions options;
  options.dt = dt;
  options.newton.tolerance = tolerance;
  return options;
}

// Of linearised steps.
inline SimulatorOptions linearized(double dt) {
  SimulatorOptions options = options_of(dt);
  options.method = StepMethod::kLinearized;
  return options;
}

inline constexpr double kRoundStep = 1.0 / 60;  // [s]

// Of steps that are not solved, and take so many rounds whatever is left.
inline SimulatorOptions rounds_of(StepMethod method, int rounds = 1, double dt = kRoundStep) {
  SimulatorOptions options = options_of(dt, 1e-300);
  options.method = method;
  options.rounds = rounds;
  return options;
}

// The description's own mesh, at rest.
inline State at_rest_in(const ClothDescription& cloth) {
  const VecX x = stacked(cloth.mesh.positions);
  return {x, VecX::Zero(x.size())};
}

inline Vec3 at(const VecX& x, int i) { return x.segment<3>(3 * i); }

// Vertices held where they are in `x`; `vertices` ascending.
inline HardPin held(const VecX& x, std::vector<int> vertices) {
  VecX where(3 * vertices.size());
  for (size_t k = 0; k < vertices.size(); ++k) where.segment<3>(3 * k) = at(x, vertices[k]);
  HardPin pin;
  pin.vertices = std::move(vertices);
  pin.motion.samples = {std::move(where)};
  return pin;
}

// The vertices that satisfy `wanted`, ascending.
template <class Wanted>
std::vector<int> vertices_where(const TriangleMesh& mesh, const Wanted& wanted) {
  std::vector<int> found;
  for (int i = 0; i < mesh.vertex_count(); ++i)
    if (wanted(mesh.positions[i])) found.push_back(i);
  return found;
}

struct Motion {
  std::vector<State> states;  // one more than reports
  std::vector<StepReport> reports;

  const State& back() const { return states.back(); }
  int unconverged() const {
    return static_cast<int>(
        std::count_if(reports.begin(), reports.end(), [](const StepReport& r) { return !r.converged(); }));
  }
};

// Steps without control forces, whether they converge or not.
inline Motion run(const Model& model, const SimulatorOptions& options, const State& start, int step_count) {
  const Simulator simulator(model, options);
  const VecX u = VecX::Zero(start.x.size());
  StepWorkspace work;
  std::unique_ptr<SingleFactor> factor;
  Motion motion{{start}, {}};
  for (int n = 0; n < step_count; ++n) {
    StepResult result =
        simulator.step(n, {motion.back(), n > 0 ? &motion.states[n - 1] : nullptr}, u, {factor.get()}, work);
    motion.states.push_back(std::move(result.next));
    motion.reports.push_back(result.report);
    if (result.factor) factor = std::move(result.factor);
  }
  return motion;
}

// The force that the cloth exerts on its vertices at `x`, of everything that stores energy [N].
inline VecX elastic_force(const Model& model, const VecX& x) {
  const VecX v = VecX::Zero(x.size());
  VecX gradient = VecX::Zero(x.size());
  for (const auto& energy : model.energies())
    if (energy->is_elastic()) energy->begin_step({1.0, 0.0, x, v})->add_gradient(x, gradient);
  return -gradient;
}

// Where cloth comes to rest, to so small a force that is left, over its weight.
inline DrapeResult settle(const Model& model, const VecX& start, double tolerance) {
  DrapeOptions options;
  options.tolerance = tolerance;
  options.newton.max_iterations = 300;
  return drape(model, start, options);
}

}  // namespace keydrape::test
