#pragma once

#include <memory>
#include <vector>

#include "control/control_layout.h"
#include "control/objective.h"
#include "core/mesh.h"
#include "core/model.h"
#include "io/scene.h"
#include "io/shot_clock.h"
#include "io/shot_keyframes.h"

namespace keydrape {

// Where and when the [control] table lets forces act: all but the vertices that pins hold during the whole
// shot, and nowhere with forces = false. Throws InputError: no such group, weights that do not fit, no vertex
// left.
std::unique_ptr<ControlLayout> open_control_layout(const Scene& scene, const ShotClock& clock,
                                                   const TriangleMesh& rest, const Model& model);

ObjectiveOptions objective_options(const scene::Control& control, const TriangleMesh& rest);

// What effort = "auto" aims at: each keyframe's tolerance, or 0.5 % of the cloth's size where there is none
// [m].
std::vector<double> aimed_tolerances(const std::vector<ShotKeyframe>& keyframes, const Objective& objective);

// The goal over some keyframes. `layout` outlives it.
std::unique_ptr<Objective> make_objective(const Scene& scene, const ShotClock& clock,
                                          const TriangleMesh& rest, std::vector<Keyframe> keyframes,
                                          const ControlLayout& layout);

}  // namespace keydrape
