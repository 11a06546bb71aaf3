#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "control/goal/objective.h"
#include "control/search/tolerance_weights.h"
#include "control/unknowns/control_layout.h"
#include "core/cloth/model.h"
#include "core/mesh/mesh.h"
#include "io/scene/scene.h"
#include "io/scene/shot_clock.h"
#include "io/shot/keyframes.h"
#include "io/shot/selection.h"

namespace keydrape {

// Where and when the [control] table lets forces act: all but the vertices that pins hold during the whole
// shot, and nowhere with forces = false. Throws InputError: no such group, weights that do not fit, no vertex
// left. `window`: none: when [control] says.
std::unique_ptr<ControlLayout> open_control_layout(const Scene& scene, const ShotClock& clock,
                                                   const TriangleMesh& rest, const Model& model,
                                                   std::optional<FrameRange> window = std::nullopt);
// The same, of vertices that were selected already; none with forces = false.
std::unique_ptr<ControlLayout> open_control_layout(const Scene& scene, const ShotClock& clock,
                                                   const TriangleMesh& rest, const Model& model,
                                                   const VertexSelection& selection,
                                                   std::optional<FrameRange> window = std::nullopt);

ObjectiveOptions objective_options(const scene::Control& control, const TriangleMesh& rest);

// What effort = "auto" aims at: the tolerances of what has weight, infinite elsewhere.
std::vector<KeyframeTolerance> aimed_tolerances(const std::vector<ShotKeyframe>& keyframes);

// The goal over some keyframes. `layout` outlives it. `share`: that of the shot's blocks of forces which the
// layout has; effort and smoothness weigh by it.
std::unique_ptr<Objective> make_objective(const Scene& scene, const ShotClock& clock,
                                          const TriangleMesh& rest, std::vector<Keyframe> keyframes,
                                          const ControlLayout& layout, double share = 1.0);

}  // namespace keydrape
