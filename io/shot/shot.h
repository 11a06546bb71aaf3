#pragma once

#include <memory>
#include <string>
#include <vector>

#include "control/search/options.h"
#include "control/task/prepared_task.h"
#include "control/task/target_reach.h"
#include "io/scene/scene.h"
#include "io/scene/shot_clock.h"
#include "io/shot/keyframes.h"

namespace keydrape {

// A scene whose files have been read: what core and control work with, in SI units, and the names and places
// by which people know its parts. It can be moved.
struct Shot {
  ShotClock clock;
  double meters_per_unit;
  PreparedTask prepared;  // the task, and what was built of it
  SearchOptions options;  // how [control] and [solver] ask for it to be searched; without a scratch file
  // In the order of the task's targets; adapted to a run for its records.
  std::vector<ShotKeyframe> keyframes;
  std::vector<TargetReach> reach;     // of each keyframe, before anything is simulated
  std::vector<std::string> warnings;  // one sentence each, for people
  std::vector<std::string> covered;   // by the scene's files of weights, a line each
  // What the channels' values make of the cloth (use_channels); null: as the scene has it.
  std::unique_ptr<const ClothVariant> variant{};

  const Task& task() const { return prepared.task; }
  const TriangleMesh& rest() const { return task().cloth.mesh; }                 // [m]
  const std::vector<VolumeBody>& bodies() const { return task().cloth.bodies; }  // that the cloth lies on
  const State& start() const { return variant ? variant->start : prepared.start(); }  // at the first frame
  const Model& model() const { return variant && variant->model ? *variant->model : *prepared.model; }
  const Simulator& simulator() const {
    return variant && variant->simulator ? *variant->simulator : *prepared.simulator;
  }
  const ControlLayout& layout() const { return *prepared.layout; }
  bool has_forces() const { return !task().pushing.vertices.empty(); }
  const Objective& objective() const { return *prepared.objective; }
  const Channels* channels() const { return prepared.channels.get(); }  // null: none
  const ForceSchedule* base() const {
    return prepared.base();
  }  // the take that forces come on top of; null: none
};

// Steps of a preview: what nobody sees is not solved for (core/measurements/draft.md).
inline constexpr LinearizedOptions kDraftSteps{.tolerance = 1e-3, .max_rounds = 2, .enough = 0.1};

enum class StepQuality {
  kScene,  // as [solver] says
  kDraft,  // linearised, for a preview: kDraftSteps
};
// Reads the scene's meshes, caches and weights, and builds the cloth. Time 0 is the shot's first frame.
// Throws InputError, which names the scene file's line wherever one is to blame: for files that do not fit
// each other, and as build_model.
Shot open_shot(const Scene& scene, StepQuality quality = StepQuality::kScene);

// The shot under the given values of its channels, one vector each: other cloth, or another start. Requires
// channels. Throws InputError where the cloth cannot be built.
void use_channels(Shot& shot, const std::vector<VecX>& values);

// Adapts what targets leave open to a complete run, for its records; with `states`, one a target: at these.
void adapt_targets(Shot& shot, const Trajectory& run);
void adapt_targets(Shot& shot, const Trajectory& run, const std::vector<int>& states);

inline constexpr double kBytesPerGb = 1e9;

}  // namespace keydrape
