#include "core/inspect/untangle.h"

#include <cassert>
#include <cmath>
#include <optional>

#include "core/contact/pairs/exemptions.h"
#include "core/inspect/crossing_pull.h"
#include "core/linear/cholesky.h"
#include "core/step/newton.h"
#include "core/step/step_problem.h"

namespace keydrape {

namespace {

constexpr double kStep = 0.01;  // [s]
// Of the mean weight of a vertex, for each crossing; doubled wherever so many steps leave as many crossings.
constexpr double kFirstDraw = 5.0, kLargestPull = 1e5;
constexpr int kPatience = 3;
constexpr double kEasyBending = 0.01;  // of the fabric's: folds are to open, not to spring back
constexpr double kFarthest = 0.5;  // of the cloth's size: what moves further is another start, and no repair
constexpr double kLooseTolerance = 1e-3;

// The cloth at rest at x, without weight, wind and limit of strain, which contact keeps apart within steps.
ClothDescription still_cloth(const ClothDescription& cloth, const VecX& x) {
  ClothDescription still = minimised(cloth);
  for (int i = 0; i < cloth.mesh.vertex_count(); ++i) still.mesh.positions[i] = x.segment<3>(3 * i);
  still.rest = {};
  still.bending.reset();
  still.stretch_scale = Animated<Vec2>(Vec2(1, 1));
  still.gravity = Animated<Vec3>(Vec3(0, 0, 0));
  still.wind.reset();
  still.pressure.reset();
  still.springs.clear();
  still.material.strain_limit.reset();
  still.material.bend *= kEasyBending;
  still.contact.exempt_start = true;
  // What is calibrated by lengths of the mesh stays that of the cloth.
  const ContactLaw law = body_contact_law(cloth);
  still.contact.body_gap = law.barrier.thickness;
  still.contact.activation = law.barrier.activation;
  still.contact.stiffness = law.stiffness;
  return still;
}

}  // namespace

UntangleResult untangle(const ClothDescription& cloth, const VecX& x, const UntangleOptions& options) {
  assert(cloth.contact.self);
  const ClothDescription still = still_cloth(cloth, x);
  // A pose may squeeze a triangle to nothing, in which no cloth can be at rest.
  if (find_mesh_defect(still.mesh, build_topology(still.mesh.triangles, still.mesh.vertex_count())))
    return {.x = x, .exempt = start_exemptions(still, x)};
  const Model model = build_model(still);
  const CholeskySolver cholesky(model.pattern());
  NewtonOptions newton;
  newton.tolerance = kLooseTolerance;
  const CrossingPulls pulls(still.mesh.triangles);
  const double weight = kStandardGravity * model.vertex_mass().mean();
  StepWorkspace work;
  const VecX at_rest = VecX::Zero(x.size());
  State state{x, at_rest, start_exemptions(still, x)};
  double pull = kFirstDraw;
  std::optional<size_t> fewest;
  int vain = 0;
  UntangleResult result;
  for (; result.steps < options.max_steps; ++result.steps) {
    const std::vector<EdgeThroughFace> crossings = list_intersections(still.mesh.triangles, state.x);
    if (crossings.empty()) break;
    vain = fewest && crossings.size() >= *fewest ? vain + 1 : 0;
    if (vain == 0) fewest = crossings.size();
    if (vain == kPatience) pull = std::min(2.0 * pull, kLargestPull), vain = 0;
    VecX u = VecX::Zero(x.size());
    for (const EdgeThroughFace& crossing : crossings)
      if (const std::optional<CrossingPull> out = pulls.of(crossing, state.x))
        for (int i = 0; i < 5; ++i)
          u.segment<3>(3 * out->vertices[i]) += pull * weight * out->weights(i) * out->way;  // (R4)
    // Wherever a step ends, what collides has not passed through anything.
    NewtonResult step = minimize_step(
        StepProblem(model, {state, nullptr, kStep}, kStep, options.time, u, work), cholesky, {}, newton);
    if (step.report.end == NewtonEnd::kBlocked || !step.y.allFinite()) break;
    ExemptionsPointer exempt = model.exemptions_after(state.exempt, step.y);
    state = {std::move(step.y), at_rest, std::move(exempt)};
  }
  const auto rows = x.reshaped(3, x.size() / 3);
  const double size = (rows.rowwise().maxCoeff() - rows.rowwise().minCoeff()).norm();
  const double moved = (state.x - x).reshaped(3, x.size() / 3).colwise().norm().maxCoeff();
  result.is_apart = list_intersections(still.mesh.triangles, state.x).empty() && moved <= kFarthest * size;
  result.x = std::move(state.x);
  result.exempt = std::move(state.exempt);
  return result;
}

}  // namespace keydrape
