#pragma once

#include <memory>
#include <string>
#include <vector>

#include "control/goal/objective.h"
#include "control/unknowns/channel/channels.h"
#include "control/unknowns/control_layout.h"
#include "core/cloth/cloth.h"
#include "core/step/simulator.h"
#include "io/scene/scene.h"
#include "io/scene/shot_clock.h"
#include "io/shot/keyframes.h"

namespace keydrape {

// A scene whose files have been opened: everything that core and control need, in SI units. Its parts refer
// to each other and live on the heap, so that a shot can be moved.
struct Shot {
  ShotClock clock;
  double meters_per_unit;
  TriangleMesh rest;                         // [m]
  State start;                               // at the first frame, at rest
  std::unique_ptr<const Model> owned_model;  // none in a window of another shot
  const Model* model;
  std::unique_ptr<Simulator> simulator;
  std::vector<ClothBody> bodies;                         // that the cloth lies on, those of its model
  std::vector<ShotKeyframe> keyframes;                   // in the order of the objective's
  std::vector<std::unique_ptr<TargetSurface>> surfaces;  // that keyframes refer to
  std::unique_ptr<ControlLayout> layout;
  std::unique_ptr<Channels> channels;   // whose unknowns the layout counts; null: none
  std::unique_ptr<ForceSchedule> base;  // the take that forces come on top of; null: none
  std::unique_ptr<Objective> objective;
  std::vector<std::string> warnings;  // one sentence each, for people
};

// Opens the scene's meshes, caches and weights, and builds the cloth. Time 0 is the shot's first frame.
// Throws InputError, which names the scene file's line wherever one is to blame: for files that do not fit
// each other, and as build_model.
Shot build_shot(const Scene& scene);

// The shot under the given values of its channels, one vector each: other cloth, or another start. Requires
// channels. Throws InputError where the cloth cannot be built.
void use_channels(Shot& shot, const std::vector<VecX>& values);

// Requires max_acceleration: what it means for the shot's unknowns.
BallBounds open_bounds(const Scene& scene, const Shot& shot);

// Adapts what targets leave open (Objective::adapt_to) to a complete run, for its records.
void adapt_targets(Shot& shot, const Trajectory& run);

// Forward simulations that the optimiser may spend.
int forward_simulation_budget(const scene::Control& control);
// Memory for states and factors.
inline constexpr double kBytesPerGb = 1e9;
size_t memory_budget_bytes(const scene::Solver& solver);

}  // namespace keydrape
